package env

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"focus/rollout"
)

const (
	// maxArguments bounds what is decoded of one call, in bytes.
	maxArguments = 1 << 16
	// maxExponent bounds numbers: the schema library makes exact rationals of
	// them, and 1e999999999 would fill the memory.
	maxExponent = 400
)

// argumentCheck holds a tool's compiled parameter schema.
type argumentCheck struct{ schema *jsonschema.Schema }

func compileParameters(s rollout.ToolSchema) (argumentCheck, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.Parameters))
	if err != nil {
		return argumentCheck{}, fmt.Errorf("tool %q: read parameters: %w", s.Name, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const at = "tool:///parameters"
	if err := c.AddResource(at, doc); err != nil {
		return argumentCheck{}, fmt.Errorf("tool %q: add parameters: %w", s.Name, err)
	}
	schema, err := c.Compile(at)
	if err != nil {
		return argumentCheck{}, fmt.Errorf("tool %q: compile parameters: %w", s.Name, err)
	}
	return argumentCheck{schema}, nil
}

// noLoader keeps a schema from reading files or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %s is outside the schema", url)
}

// problem says what is wrong with raw; empty when nothing is. The same raw
// gives the same words.
func (c argumentCheck) problem(raw json.RawMessage) string {
	if len(raw) > maxArguments {
		return fmt.Sprintf("arguments are over %d bytes", maxArguments)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return "arguments are not JSON"
	}
	if _, ok := v.(map[string]any); !ok {
		return "arguments must be an object"
	}
	if !numbersInRange(v) {
		return "a number is out of range"
	}
	if err := c.schema.Validate(v); err != nil {
		return validationProblem(err)
	}
	return ""
}

// numbersInRange refuses numbers that no float64 or int64 field could hold.
func numbersInRange(v any) bool {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(v.String(), 64)
		return err == nil && !math.IsInf(f, 0) && smallExponent(v.String())
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !numbersInRange(x) })
	case map[string]any:
		for _, x := range v {
			if !numbersInRange(x) {
				return false
			}
		}
	}
	return true
}

// smallExponent also catches 1e-999999999 and 0e999999999, which parse to 0.
func smallExponent(s string) bool {
	i := strings.IndexAny(s, "eE")
	if i < 0 {
		return len(s) <= maxExponent
	}
	e, err := strconv.Atoi(strings.TrimPrefix(s[i+1:], "+"))
	return err == nil && e >= -maxExponent && e <= maxExponent && i <= maxExponent
}

// validationProblem words the first few leaves of a validation error. They are
// sorted: the library walks maps, and an observation must not depend on that.
func validationProblem(err error) string {
	ve, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return "arguments do not fit"
	}
	printer := message.NewPrinter(language.English)
	var found []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			text := e.ErrorKind.LocalizedString(printer)
			if at := strings.Join(e.InstanceLocation, "."); at != "" {
				text = at + ": " + text
			}
			found = append(found, text)
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(ve)
	slices.Sort(found)
	found = slices.Compact(found)
	return strings.Join(found[:min(len(found), 3)], "; ")
}
