package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"focus/rollout"
)

// fields reads a JSON object one name at a time with the coercions of vLLM's
// request model: numbers may be strings, integers may be integral floats or
// booleans. The first bad field is kept in err.
type fields struct {
	raw map[string]json.RawMessage
	err *apiError
}

// parseFields reads the object in body.
func parseFields(body []byte) (*fields, *apiError) {
	f := &fields{}
	err := json.Unmarshal(body, &f.raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return nil, schemaError(strconv.FormatInt(syntax.Offset, 10), "JSON decode error: %s", syntax)
	}
	if err != nil || f.raw == nil {
		return nil, schemaError("", "input should be a JSON object")
	}
	return f, nil
}

// has reports whether name is there and not null.
func (f *fields) has(name string) bool {
	v, ok := f.raw[name]
	return ok && !bytes.Equal(v, []byte("null"))
}

func (f *fields) fail(name, want string) {
	if f.err == nil {
		f.err = schemaError(name, "%s should be %s, got %.40s", name, want, f.raw[name])
	}
}

func (f *fields) float(name string, unset float64) float64 {
	if !f.has(name) {
		return unset
	}
	v, ok := looseFloat(f.raw[name])
	if !ok {
		f.fail(name, "a number")
		return unset
	}
	return v
}

func (f *fields) int(name string, unset int64) int64 {
	if !f.has(name) {
		return unset
	}
	v, ok := looseInt(f.raw[name])
	if !ok {
		f.fail(name, "an integer")
		return unset
	}
	return v
}

func (f *fields) flag(name string) bool { return f.flagOr(name, false) }

func (f *fields) flagOr(name string, unset bool) bool {
	if !f.has(name) {
		return unset
	}
	switch strings.ToLower(strings.Trim(string(f.raw[name]), `"`)) {
	case "true", "1", "1.0", "yes", "on", "t", "y":
		return true
	case "false", "0", "0.0", "no", "off", "f", "n":
		return false
	}
	f.fail(name, "a boolean")
	return unset
}

func (f *fields) text(name string) string {
	if !f.has(name) {
		return ""
	}
	var s string
	if json.Unmarshal(f.raw[name], &s) != nil {
		f.fail(name, "a string")
	}
	return s
}

func (f *fields) ids(name string) []rollout.TokenID {
	if !f.has(name) {
		return nil
	}
	ids, bad, ok := looseIDs(f.raw[name])
	switch {
	case !ok:
		f.fail(name, "a list of integers")
	case bad >= 0 && f.err == nil:
		f.err = schemaError(name+"."+strconv.Itoa(bad), "%s should hold integers between 0 and %d", name, math.MaxInt32)
	}
	return ids
}

// looseIDs reads a list of ids. ok is false when raw is no list of numbers; bad
// is the position of the first one that is no id, -1 when all are.
func looseIDs(raw json.RawMessage) (ids []rollout.TokenID, bad int, ok bool) {
	// encoding/json would read a null as 0.
	if bytes.Contains(raw, []byte("null")) || json.Unmarshal(raw, &ids) != nil {
		ids = nil
		var loose []json.RawMessage
		if json.Unmarshal(raw, &loose) != nil {
			return nil, -1, false
		}
		for i, item := range loose {
			v, isInt := looseInt(item)
			if !isInt {
				return nil, i, false
			}
			if v < 0 || v > math.MaxInt32 {
				return nil, i, true
			}
			ids = append(ids, rollout.TokenID(v))
		}
	}
	for i, id := range ids {
		if id < 0 {
			return nil, i, true
		}
	}
	return ids, -1, true
}

func looseFloat(raw json.RawMessage) (float64, bool) {
	s := strings.Trim(string(raw), `"`)
	switch s {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func looseInt(raw json.RawMessage) (int64, bool) {
	if v, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64); err == nil {
		return v, true
	}
	v, ok := looseFloat(raw)
	if !ok || v != math.Trunc(v) || math.Abs(v) >= 1<<63 {
		return 0, false
	}
	return int64(v), true
}
