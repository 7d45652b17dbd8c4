package jinja

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// SyntaxError is a template the reference does not compile either.
type SyntaxError struct {
	Message string
	Line    int
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("template line %d: %s", e.Line, e.Message) }

// TemplateError is what a template says with raise_exception: its author refuses this conversation.
type TemplateError struct {
	Message string
	Line    int
}

func (e *TemplateError) Error() string { return fmt.Sprintf("template line %d: %s", e.Line, e.Message) }

// RuntimeError is an exception the reference raises while rendering.
type RuntimeError struct {
	Kind    string // Python's or Jinja's class: TypeError, UndefinedError, SecurityError, …
	Message string
	Line    int
}

func (e *RuntimeError) Error() string {
	return fmt.Sprintf("template line %d: %s: %s", e.Line, e.Kind, e.Message)
}

// LimitError is a render that was stopped because it reached one of its Limits.
type LimitError struct {
	Limit string // the field of Limits
	Max   int
	Line  int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("template line %d: more than %d %s", e.Line, e.Max, limitUnits[e.Limit])
}

var limitUnits = map[string]string{
	"Steps": "steps", "Depth": "nested calls", "Bytes": "bytes of intermediate values", "Output": "bytes of output",
}

// ErrEncoding means that a render's text is not valid UTF-8: a string given to it was not, or the template wrote half a
// surrogate pair. HF cannot encode such text either.
var ErrEncoding = errors.New("rendered text is not valid UTF-8")

// errInternal reports a defect of this package. A template is untrusted input, so a defect it hits must not end the process.
type errInternal struct {
	value any
	stack []byte
}

func (e *errInternal) Error() string {
	return fmt.Sprintf("template engine defect: %v\n%s", e.value, e.stack)
}

// fault carries an error up to Render; nothing else in the package panics on purpose.
type fault struct{ err error }

func failSyntax(line int, format string, a ...any) {
	panic(fault{&SyntaxError{Message: fmt.Sprintf(format, a...), Line: line}})
}

// syntaxFault turns what recover() returned while parsing into an error.
func syntaxFault(p any, line int) error {
	if f, ok := p.(fault); ok {
		return f.err
	}
	return &SyntaxError{Message: fmt.Sprintf("template engine defect: %v\n%s", p, debug.Stack()), Line: line}
}

func raise(kind, format string, a ...any) {
	panic(fault{&RuntimeError{Kind: kind, Message: fmt.Sprintf(format, a...)}})
}

func typeError(format string, a ...any) { raise("TypeError", format, a...) }

func valueError(format string, a ...any) { raise("ValueError", format, a...) }

// failUndefined raises what u raises when it is used.
func failUndefined(u *undefined) {
	kind := u.kind
	if kind == "" {
		kind = "UndefinedError"
	}
	panic(fault{&RuntimeError{Kind: kind, Message: u.message()}})
}

// recovered turns what recover() returned into an error that knows its line.
func recovered(p any, line int) error {
	f, ok := p.(fault)
	if !ok {
		return &errInternal{value: p, stack: debug.Stack()}
	}
	switch e := f.err.(type) {
	case *RuntimeError:
		e.Line = line
	case *TemplateError:
		e.Line = line
	case *LimitError:
		e.Line = line
	}
	return f.err
}
