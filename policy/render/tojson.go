package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"focus/rollout"
)

// maxDepth bounds the nesting of JSON that comes from tools and models.
const maxDepth = 256

// toolJSON is a tool on one line, in the form HF templates are given it.
func toolJSON(t rollout.ToolSchema) (string, error) {
	parameters, err := pythonJSON(t.Parameters)
	if err != nil {
		return "", fmt.Errorf("render tool %s: parameters: %w", t.Name, err)
	}
	return `{"type": "function", "function": {"name": ` + pythonString(t.Name) +
		`, "description": ` + pythonString(t.Description) + `, "parameters": ` + parameters + `}}`, nil
}

// pythonJSON rewrites JSON the way Python's json.loads and then
// json.dumps(ensure_ascii=False) do, which is HF's tojson: ", " and ": " apart,
// keys in their order with the last value of a repeated key, floats as repr.
// Nothing at all is an empty object.
func pythonJSON(raw []byte) (string, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "{}", nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := readValue(dec, 0)
	if err != nil {
		return "", err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("more than one JSON value")
	}
	var out strings.Builder
	v.write(&out)
	return out.String(), nil
}

// node is a JSON value with its keys in order. Scalars are written already.
type node struct {
	scalar string
	open   byte // '[' or '{' or 0
	keys   []string
	items  []node
}

func readValue(dec *json.Decoder, depth int) (node, error) {
	if depth > maxDepth {
		return node{}, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return node{}, err
	}
	switch t := tok.(type) {
	case json.Delim:
		return readNested(dec, byte(t), depth)
	case string:
		return node{scalar: pythonString(t)}, nil
	case json.Number:
		return node{scalar: pythonNumber(string(t))}, nil
	case bool:
		return node{scalar: strconv.FormatBool(t)}, nil
	}
	return node{scalar: "null"}, nil
}

func readNested(dec *json.Decoder, open byte, depth int) (node, error) {
	n := node{open: open}
	at := map[string]int{}
	for dec.More() {
		if open == '{' {
			tok, err := dec.Token()
			if err != nil {
				return node{}, err
			}
			n.keys = append(n.keys, tok.(string))
		}
		item, err := readValue(dec, depth+1)
		if err != nil {
			return node{}, err
		}
		if open == '{' {
			last := len(n.items)
			if i, ok := at[n.keys[last]]; ok {
				n.keys, n.items[i] = n.keys[:last], item
				continue
			}
			at[n.keys[last]] = last
		}
		n.items = append(n.items, item)
	}
	_, err := dec.Token()
	return n, err
}

func (n node) write(out *strings.Builder) {
	if n.open == 0 {
		out.WriteString(n.scalar)
		return
	}
	out.WriteByte(n.open)
	for i, item := range n.items {
		if i > 0 {
			out.WriteString(", ")
		}
		if n.open == '{' {
			out.WriteString(pythonString(n.keys[i]))
			out.WriteString(": ")
		}
		item.write(out)
	}
	out.WriteByte(n.open + 2) // ']' and '}' come two after '[' and '{'
}

// pythonString is json.dumps of a string without ASCII escapes.
func pythonString(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\n':
			out.WriteString(`\n`)
		case '\r':
			out.WriteString(`\r`)
		case '\t':
			out.WriteString(`\t`)
		case '\b':
			out.WriteString(`\b`)
		case '\f':
			out.WriteString(`\f`)
		default:
			if c < 0x20 {
				fmt.Fprintf(&out, `\u%04x`, c)
			} else {
				out.WriteByte(c)
			}
		}
	}
	out.WriteByte('"')
	return out.String()
}

// pythonNumber is repr of what Python reads: whole numbers of any size stay,
// floats become the shortest digits that read back, with an exponent below
// 1e-4 and from 1e16 on.
func pythonNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0"
		}
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if math.Signbit(f) {
			return "-Infinity"
		}
		return "Infinity"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
