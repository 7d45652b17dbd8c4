package jinja

import (
	"sync"
	"time"
	"unicode/utf8"
)

// Template is a compiled chat template. It is safe for concurrent use.
type Template struct {
	prog *program
	free sync.Pool // *state of renders that ended
}

// Vars are the variables of a render. Templates see tools and documents as None, not as missing, when there are none: it
// is the caller who passes None.
type Vars map[string]Value

// Options are what a render depends on besides its variables.
type Options struct {
	// Now is what strftime_now formats. The zero time makes a template that asks for the date fail: a prompt must not
	// change at midnight.
	Now time.Time
	Limits
}

// Limits stop a template that would not end, or would fill the memory. Zero fields mean the defaults, which grow with the
// conversation: some templates look at every message for each message.
type Limits struct {
	// Steps is how many expressions and statements may be evaluated; default 10 million (some hundred milliseconds) and
	// 5000 for each item of a list among the variables.
	Steps int
	// Depth is how deep calls and values may nest, in frames of CPython's stack: a macro call takes five, a level of a
	// value one. Default 990, where CPython raises RecursionError.
	Depth int
	// Bytes is how much text and list the render may build on its way, all intermediate values together; default 512 MiB
	// and 2 MiB for each item of a list among the variables.
	Bytes int
	// Output is how long the rendered text, or a text on its way, may become in bytes; default 64 MiB, at most 512 MiB.
	Output int
}

func (l Limits) orDefaults(vars Vars) Limits {
	items := 0
	for _, v := range vars {
		if list, ok := v.(*List); ok {
			items += len(list.items)
		}
	}
	def := func(n *int, d int) {
		if *n <= 0 {
			*n = d
		}
	}
	def(&l.Steps, 10_000_000+5000*items)
	def(&l.Depth, 990)
	def(&l.Bytes, 512<<20+items<<21)
	def(&l.Output, 64<<20)
	l.Output = min(l.Output, 512<<20)
	return l
}

// maxValueDepth bounds the nesting of values where no render is under way.
const maxValueDepth = 990

// Output is a rendered text and what its bytes are.
type Output struct {
	Text string
	// Content are the bytes that came from untrusted values, ascending and disjoint; neighbours differ in their source.
	Content []Span
	// Generation are the bytes inside {% generation %} blocks, ascending and disjoint.
	Generation []Span
}

// Parse compiles a chat template. It returns a *SyntaxError for what Jinja does not compile either.
func Parse(src string) (*Template, error) {
	body, err := parseTemplate(src)
	if err != nil {
		return nil, err
	}
	prog, err := compile(body)
	if err != nil {
		return nil, err
	}
	return &Template{prog: prog}, nil
}

// Render renders the template. It returns a *TemplateError where the template called raise_exception, a *RuntimeError
// where Jinja raises, a *LimitError where a limit was reached and ErrEncoding where the text has no UTF-8 form.
func (t *Template) Render(vars Vars, o Options) (out Output, err error) {
	st := t.state()
	st.ctx, st.now, st.limits = context{vars: vars}, o.Now, o.Limits.orDefaults(vars)
	defer func() {
		if p := recover(); p != nil {
			out, err = Output{}, recovered(p, st.line)
		}
	}()
	st.root()
	if !utf8.Valid(st.out.buf) {
		return Output{}, ErrEncoding
	}
	out.Text = string(st.out.buf)
	out.Content, out.Generation = st.out.spans()
	t.free.Put(st)
	return out, nil
}

// state returns a state with nothing in it but memory an earlier render is done with.
func (t *Template) state() *state {
	old, ok := t.free.Get().(*state)
	if !ok {
		old = &state{out: &builder{}}
	}
	old.out.reset()
	clear(old.stack[:cap(old.stack)])
	return &state{
		prog: t.prog, out: old.out, stack: old.stack[:0], spare: old.spare, filters: filters, tests: tests, strMethods: strTable,
	}
}
