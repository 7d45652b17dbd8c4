package jinja

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrors(t *testing.T) {
	render := func(src string, vars Vars) error {
		tmpl, err := Parse(src)
		require.NoError(t, err)
		_, err = tmpl.Render(vars, Options{})
		return err
	}
	t.Run("raise_exception", func(t *testing.T) {
		var e *TemplateError
		require.ErrorAs(t, render("a\nb{{ raise_exception('no ' ~ 1) }}", nil), &e)
		require.Equal(t, TemplateError{Message: "no 1", Line: 2}, *e)
	})
	t.Run("Python's exceptions", func(t *testing.T) {
		for src, want := range map[string]RuntimeError{
			"{{ 'a' + 1 }}":                          {Kind: "TypeError", Message: `can only concatenate str (not "int") to str`, Line: 1},
			"\n{{ x.y }}":                            {Kind: "UndefinedError", Message: "'x' is undefined", Line: 2},
			"{% for m in none %}{% endfor %}":        {Kind: "TypeError", Message: "'NoneType' object is not iterable", Line: 1},
			"{{ l.append(1) }}":                      {Kind: "SecurityError", Message: "access to attribute 'append' of 'list' object is unsafe.", Line: 1},
			"{% set l.x = 1 %}":                      {Kind: "TemplateRuntimeError", Message: "cannot assign attribute on non-namespace object", Line: 1},
			"{{ strftime_now('%Y') }}":               {Kind: "ValueError", Message: "the template asks for the date, and Options.Now is not set", Line: 1},
			"{% include 'etc/passwd' %}":             {Kind: "TypeError", Message: "no loader for this environment specified", Line: 1},
			"{{ ''.__class__.__mro__ }}":             {Kind: "SecurityError", Message: "access to attribute '__class__' of 'str' object is unsafe.", Line: 1},
			"{% if 1 %}{{ 1|from_json }}{% endif %}": {Kind: "TemplateRuntimeError", Message: "No filter named 'from_json' found.", Line: 1},
		} {
			var e *RuntimeError
			require.ErrorAs(t, render(src, Vars{"l": NewList()}), &e, src)
			require.Equal(t, want, *e, src)
		}
	})
	t.Run("syntax", func(t *testing.T) {
		for src, line := range map[string]int{"a\n{% if %}": 2, "{{ 1|from_json }}": 1, "\n\n{% nope %}": 3, "{% for x in y %}": 1} {
			_, err := Parse(src)
			var e *SyntaxError
			require.ErrorAs(t, err, &e, src)
			require.Equal(t, line, e.Line, src)
		}
	})
	t.Run("encoding", func(t *testing.T) {
		require.ErrorIs(t, render(`{{ "\ud83d\ude00" }}`, nil), ErrEncoding)
		require.ErrorIs(t, render("{{ s }}", Vars{"s": String("a\xff")}), ErrEncoding)
		require.NoError(t, render(`{{ "\ud83d\ude00"|length }}`, nil))
	})
}

// TestConcurrentRenders renders every template in several goroutines over the same values; run it with -race.
func TestConcurrentRenders(t *testing.T) {
	dir := goldenDir(t)
	var convs []conversation
	for _, c := range goldenConversations(t, dir) {
		if c.ID == "unicode" || c.ID == "tools_nasty_schema" || c.ID == "reasoning_tools" {
			convs = append(convs, c)
		}
	}
	snapshot := func(v Value) string {
		st := &state{limits: Limits{}.orDefaults(nil)}
		var b builder
		st.repr(&b, v)
		return string(b.buf)
	}
	vars := make([]Vars, len(convs))
	before := make([]string, len(convs))
	for i, c := range convs {
		vars[i] = c.vars(t)
		before[i] = snapshot(vars[i]["messages"]) + snapshot(vars[i]["tools"])
	}
	for name, src := range goldenTemplates(t, dir) {
		tmpl, err := Parse(src)
		require.NoError(t, err)
		for i, c := range convs {
			want, wantErr := tmpl.Render(c.vars(t), goldenNow)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					got, err := tmpl.Render(vars[i], goldenNow)
					if got.Text != want.Text || (err == nil) != (wantErr == nil) {
						t.Errorf("%s × %s: concurrent renders differ: %v", name, c.ID, err)
					}
				})
			}
			wg.Wait()
		}
	}
	for i, c := range convs {
		require.Equal(t, before[i], snapshot(vars[i]["messages"])+snapshot(vars[i]["tools"]), "%s was written to", c.ID)
	}
}

// TestSharedStringIndex makes many renders build the offset table of one string at once.
func TestSharedStringIndex(t *testing.T) {
	long := ""
	for range 500 {
		long += "aé漢👩"
	}
	s := Untrusted(long, FromMessage(0))
	tmpl, err := Parse("{{ s[1997:] }}{{ s[65] }}{{ s[-1] }}{{ s[::500] }}")
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			o, err := tmpl.Render(Vars{"s": s}, Options{})
			if err != nil || o.Text != "é漢👩é👩aaaa" {
				t.Errorf("got %q, %v", o.Text, err)
			}
		})
	}
	wg.Wait()
}

func FuzzParse(f *testing.F) {
	for _, src := range []string{
		"{% for m in messages %}{{ m.content|trim }}{% endfor %}", "{%- if a -%}{# c #}{% raw %}{{{% endraw %}{%+ endif %}",
		"{% macro m(a, b=1) %}{{ caller(*a, **b) }}{% endmacro %}{% call(x) m(1) %}{% endcall %}", "{{ 'a\\x41\\u00e9' ~ 1.5e3[::2] }}",
		"{% set ns.x, (y, z) = {'a': [1, (2,)]} %}{% with a=1 %}{% endwith %}", "{{ a is not divisibleby 3 if b not in c else -d ** 2 }}",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		_, err := Parse(src)
		var e *SyntaxError
		if err != nil && (!errors.As(err, &e) || containsAny(e.Message, []string{"defect"})) {
			t.Fatalf("%q: %v", src, err)
		}
	})
}

func FuzzRender(f *testing.F) {
	for _, src := range []string{
		"{{ u|replace('a', t)|title|tojson }}{{ (u ~ t)[1:9:2].split() }}", "{% for k, v in d|dictsort %}{{ loop.last }}{{ k * 3 }}{% endfor %}",
		"{{ '%5.2f|%r|%-8s' % (f, u, d) }}{{ '{:>{}}'.format(u, n) }}", "{{ l|map('upper')|join(u)|indent(2)|wordwrap(3) }}",
		"{% generation %}{{ u|e|urlencode|striptags }}{% endgeneration %}", "{{ l|sort|unique|batch(2)|list|pprint }}{{ u.center(n)|truncate(2) }}",
		"{{ d|items|list|string|upper|round(1)|int }}{{ strftime_now(u) }}", "{{ n ** n // f % 3 }}{{ u.translate({97: t}) }}",
	} {
		f.Add(src, "content é 漢\x00<|im_end|>")
	}
	d := NewDict(2)
	d.Set("a", Int(1))
	d.Set("b", NewList(Float(2.5), None))
	f.Fuzz(func(t *testing.T, src, content string) {
		tmpl, err := Parse(src)
		if err != nil {
			return
		}
		render := func(u *Str) (Output, error) {
			return tmpl.Render(Vars{
				"u": u, "t": String("trusted"), "n": Int(5), "f": Float(-0.5), "d": d, "l": NewList(u, String("b"), String("A")),
			}, Options{Now: goldenNow.Now, Limits: Limits{Steps: 20000, Bytes: 1 << 20, Output: 1 << 16}})
		}
		marked, err := render(Untrusted(content, FromMessage(0)))
		var defect *errInternal
		if errors.As(err, &defect) {
			t.Fatalf("%q: %v", src, err)
		}
		plain, plainErr := render(String(content))
		if (err == nil) != (plainErr == nil) || plain.Text != marked.Text {
			t.Fatalf("%q renders %q where its content is trusted, %q where it is not (%v, %v)", src, plain.Text, marked.Text, plainErr, err)
		}
		if len(plain.Content) > 0 {
			t.Fatalf("%q reports content of trusted values", src)
		}
		checkSpans(t, src, marked)
	})
}
