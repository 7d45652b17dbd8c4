package jinja

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLimits runs templates that would not end, or would fill the memory or the stack.
func TestLimits(t *testing.T) {
	loop := func(body string) string {
		return "{% set ns = namespace(x='ab', l=[1], g=[1]) %}{% for i in range(100000) %}{% for j in range(100000) %}" + body +
			"{% endfor %}{% endfor %}"
	}
	for name, c := range map[string]struct{ src, limit string }{
		"macro recursion":         {"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "Depth"},
		"mutual recursion":        {"{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}", "Depth"},
		"caller recursion":        {"{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{% call m() %}{% endcall %}", ""},
		"recursive loop":          {"{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "Depth"},
		"recursion in generation": {"{% macro m() %}{% generation %}{{ m() }}{% endgeneration %}{% endmacro %}{{ m() }}", "Depth"},
		"block recursion":         {"{% block b %}{{ self.b() }}{% endblock %}", "Depth"},
		"two branches":            {"{% macro m(n) %}{% if n < 150 %}{{ m(n+1) }}{{ m(n+1) }}{% endif %}{% endmacro %}{{ m(0) }}", "Steps"},
		"nested ranges":           {loop(""), "Steps"},
		"endless output":          {loop("xxxxxxxxxxxxxxxxxxxx{{ ns.x * 50 }}"), "Output"},
		"doubling a string":       {loop("{% set ns.x = ns.x + ns.x %}"), "Output"},
		"doubling a list":         {loop("{% set ns.l = ns.l + ns.l %}"), "Bytes"},
		"doubling by ~":           {loop("{% set ns.x = ns.x ~ ns.x %}"), "Output"},
		"doubling by join":        {loop("{% set ns.x = [ns.x, ns.x]|join %}"), "Output"},
		"doubling by replace":     {loop("{% set ns.x = ns.x|replace('a', 'aa') %}"), ""},
		"doubling by escape":      {loop("{% set ns.x = ('&' ~ ns.x)|forceescape %}"), ""},
		"doubling by tojson":      {loop("{% set ns.x = ns.x|tojson %}"), ""},
		"doubling by a set block": {loop("{% set ns.x %}{{ ns.x }}{{ ns.x }}{% endset %}"), "Output"},
		"repeat":                  {"{{ 'abc' * 10000000000 }}", "Bytes"},
		"repeat a list":           {"{{ [0] * 10000000000 }}", "Bytes"},
		"width":                   {"{{ '%1000000000000d' % 1 }}", "Output"},
		"precision":               {"{{ '%.1000000000000d' % 1 }}", "Output"},
		"width of format":         {"{{ '{:1000000000000}'.format(1) }}", "Output"},
		"center":                  {"{{ 'a'.center(1000000000000) }}", "Output"},
		"zfill":                   {"{{ 'a'.zfill(1000000000000) }}", "Output"},
		"indent":                  {"{{ 'a\nb'|indent(1000000000000) }}", "Output"},
		"tojson indent":           {"{{ [[]]|tojson(indent=1000000000000) }}", "Output"},
		"expandtabs":              {"{{ '\t'.expandtabs(1000000000000) }}", "Output"},
		"batch":                   {"{{ [1]|batch(1000000000000, 'x')|list }}", "Bytes"},
		"slice":                   {"{{ [1]|slice(1000000000000)|list }}", "Steps"},
		"power":                   {"{{ 10 ** (10 ** 10) }}", "Bytes"},
		"squaring":                {"{% set ns = namespace(x=9) %}" + strings.Repeat("{% set ns.x = ns.x * ns.x %}", 60), ""},
		"deep list":               {loop("{% set ns.l = [ns.l] %}") + "{{ ns.l }}", "Steps"},
		"text of a deep list":     {"{% set ns = namespace(l=[]) %}{% for i in range(100000) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}", "Depth"},
		"json of a deep list":     {"{% set ns = namespace(l=[]) %}{% for i in range(100000) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l|tojson }}", "Depth"},
		"pprint of a deep list":   {"{% set ns = namespace(l=[]) %}{% for i in range(100000) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l|pprint }}", "Depth"},
		"equal deep lists":        {"{% set ns = namespace(l=[], k=[]) %}{% for i in range(100000) %}{% set ns.l = [ns.l] %}{% set ns.k = [ns.k] %}{% endfor %}{{ ns.l == ns.k }}", "Depth"},
		"order of deep lists":     {"{% set ns = namespace(l=[], k=[1]) %}{% for i in range(100000) %}{% set ns.l = [ns.l] %}{% set ns.k = [ns.k] %}{% endfor %}{{ ns.l < ns.k }}", "Depth"},
		"hash of a deep tuple":    {"{% set ns = namespace(l=()) %}{% for i in range(100000) %}{% set ns.l = (ns.l,) %}{% endfor %}{{ {ns.l: 1} }}", ""},
		"hash of a wide tuple":    {"{% set ns = namespace(l=(1,)) %}{% for i in range(90) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ {ns.l: 1} }}", ""},
		"text of a wide list":     {"{% set ns = namespace(l=(1,)) %}{% for i in range(90) %}{% set ns.l = (ns.l, ns.l) %}{% endfor %}{{ ns.l }}", "Steps"},
		"equal wide lists":        {"{% set ns = namespace(l=(1,), k=(1,)) %}{% for i in range(90) %}{% set ns.l = (ns.l, ns.l) %}{% set ns.k = (ns.k, ns.k) %}{% endfor %}{{ ns.l == ns.k }}", "Steps"},
		"shared text":             {"{% set x = 'a' * 1000000 %}{{ [x] * 100000 }}", ""},
		"generators of generators": {"{% set ns = namespace(g=[1]) %}{% for i in range(100000) %}{% set ns.g = ns.g|map('string') %}{% endfor %}{{ ns.g|list }}",
			"Depth"},
		"loops over loops": {"{% set ns = namespace(g=range(100000)) %}{% for i in range(100000) %}{% for j in ns.g %}{% set ns.g = loop %}" +
			"{% break %}{% endfor %}{% endfor %}{% for x in ns.g %}{% endfor %}", "Depth"},
		"comparing long strings": {"{% set x = 'a' * 5000000 %}{% set y = 'a' * 5000000 %}{% for i in range(100000) %}{% if x == y %}{% endif %}{% endfor %}", "Steps"},
		"searching long strings": {"{% set x = 'a' * 5000000 %}{% for i in range(100000) %}{% if 'b' in x %}{% endif %}{% endfor %}", "Steps"},
		"sorting":                {"{% for i in range(100000) %}{{ range(100000)|sort|length }}{% endfor %}", ""},
		"nested parentheses":     {"{{ " + strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000) + " }}", "syntax"},
		"nested tags":            {strings.Repeat("{% if 1 %}", 100000) + strings.Repeat("{% endif %}", 100000), "syntax"},
		"nested lists":           {"{{ " + strings.Repeat("[", 100000), "syntax"},
		"nots":                   {"{{ " + strings.Repeat("not ", 100000) + "1 }}", "syntax"},
		"minuses":                {"{{ " + strings.Repeat("-", 100000) + "1 }}", "syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			tmpl, err := Parse(c.src)
			if c.limit == "syntax" {
				var syntax *SyntaxError
				require.ErrorAs(t, err, &syntax)
				return
			}
			require.NoError(t, err)
			// About a tenth of the defaults, for speed; the depth is the default.
			_, err = tmpl.Render(nil, Options{Limits: Limits{Steps: 1_000_000, Bytes: 64 << 20, Output: 8 << 20}})
			require.Error(t, err)
			var defect *errInternal
			require.False(t, errors.As(err, &defect), "%v", err)
			var limit *LimitError
			if c.limit != "" && (!errors.As(err, &limit) || limit.Limit != c.limit) {
				t.Errorf("got %v, want the limit %s", err, c.limit)
			}
		})
	}
}

// TestDepthIsPythons holds the default depth to where CPython 3.11 raises RecursionError.
func TestDepthIsPythons(t *testing.T) {
	render := func(src string, n int) error {
		tmpl, err := Parse(src)
		require.NoError(t, err)
		_, err = tmpl.Render(Vars{"N": Int(n)}, Options{})
		return err
	}
	for _, src := range []string{
		"{% macro m(n) %}{% if n < N %}{{ m(n+1) }}{% endif %}{% endmacro %}{{ m(1) }}",
		"{% for x in range(1) recursive %}{% if loop.depth < N %}{{ loop(range(1)) }}{% endif %}{% endfor %}",
	} {
		require.NoError(t, render(src, 198), src)
		require.Error(t, render(src, 199), src)
	}
}

func TestLongChainsAreNotNesting(t *testing.T) {
	for _, src := range []string{
		"{{ 1" + strings.Repeat(" + 1", 5000) + " }}",
		"{{ ''" + strings.Repeat(" ~ 'a'", 5000) + " }}",
		"{{ 'a'" + strings.Repeat("|upper", 5000) + " }}",
		"{{ x" + strings.Repeat(" or x", 5000) + " }}",
		strings.Repeat("{% if 1 %}a{% endif %}", 5000),
	} {
		tmpl, err := Parse(src)
		require.NoError(t, err)
		_, err = tmpl.Render(nil, Options{})
		require.NoError(t, err)
	}
}
