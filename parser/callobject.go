package parser

import (
	"encoding/json"
	"slices"
	"strings"

	"focus/rollout"
)

// callKeys is what a dialect calls the parts of a call object.
type callKeys struct {
	name string
	args []string
	// id is the key of the call's id; empty where ids are not written.
	id string
}

// usualKeys is what nearly all dialects write.
var usualKeys = callKeys{name: "name", args: []string{"arguments", "parameters"}}

// callObject reads a call object at the cursor.
func (t *turn) callObject(k callKeys) (rollout.ToolCall, *fault) {
	if !t.done() && t.src[t.pos] != '{' {
		return rollout.ToolCall{}, t.malformed("a call is one JSON object with a name and arguments")
	}
	var call rollout.ToolCall
	var name, args string
	both := false
	_, f := t.json(func(key, value string) {
		switch {
		case key == k.name:
			name = value
		case key == k.id && key != "" && value[0] == '"':
			call.ID = unquote(value)
		case slices.Contains(k.args, key):
			both = both || args != ""
			args = value
		}
	})
	switch {
	case f != nil:
		return call, f
	case both:
		return call, t.malformed("a call has arguments or parameters, not both")
	case len(name) < 3 || name[0] != '"':
		return call, t.malformed("a call needs the name of a tool, as a string")
	}
	call.Name = unquote(name)
	call.Arguments, f = t.arguments(args)
	return call, f
}

// arguments is the object that a valid JSON value stands for: itself, none, or
// what a string holds. A string is unwrapped once.
func (t *turn) arguments(value string) (json.RawMessage, *fault) {
	switch {
	case value == "" || value == "null":
		return json.RawMessage("{}"), nil
	case value[0] == '{':
		return json.RawMessage(value), nil
	case value[0] == '"':
		inner := trim(unquote(value))
		if strings.HasPrefix(inner, "{") && wholeJSON(inner) {
			return json.RawMessage(inner), nil
		}
		return nil, t.malformed("the arguments are a string that holds no JSON object")
	}
	return nil, t.malformed("the arguments are not a JSON object")
}

// wholeJSON reports whether s is one strict JSON value and nothing else.
func wholeJSON(s string) bool {
	sc := scanner{src: s}
	return sc.value(nil) == nil && sc.pos == len(s)
}

// bareArguments reads arguments that stand alone, without a call object around
// them: there they are not left out, so null is no object.
func (t *turn) bareArguments() (json.RawMessage, *fault) {
	from := t.pos
	value, f := t.json(nil)
	switch {
	case f != nil:
		return nil, f
	case value == "null":
		t.pos = from
		return nil, t.malformed("the arguments are not a JSON object")
	}
	return t.arguments(value)
}

// hasArguments reports whether the valid object at from has a key for them.
func (t *turn) hasArguments(from int) bool {
	found := false
	s := scanner{src: t.src, pos: from}
	f := s.value(func(key, _ string) { found = found || slices.Contains(usualKeys.args, key) })
	return f == nil && found
}
