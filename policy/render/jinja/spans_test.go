package jinja

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bracketed shows the content spans in a text: [source:bytes].
func bracketed(o Output) string {
	var b strings.Builder
	at := 0
	for _, s := range o.Content {
		i, _ := s.Source.Message()
		fmt.Fprintf(&b, "%s[%d:%s]", o.Text[at:s.Start], i, o.Text[s.Start:s.End])
		at = s.End
	}
	return b.String() + o.Text[at:]
}

func TestContentSpans(t *testing.T) {
	vars := Vars{
		"u": Untrusted("  evil text ", FromMessage(3)), "w": Untrusted("x", FromMessage(4)), "e": Untrusted("", FromMessage(3)),
		"q": Untrusted(`a"b`, FromMessage(3)), "z": Untrusted("Zürich, née", FromMessage(3)), "t": String("trusted"),
		"list": NewList(Untrusted("a", FromMessage(1)), String("b"), Untrusted("c", FromMessage(2))),
		"html": Untrusted("<b>&", FromMessage(3)),
	}
	d := NewDict(2)
	d.put(Untrusted("key", FromMessage(5)), Untrusted("val", FromMessage(5)))
	d.Set("n", Int(3))
	vars["d"] = d
	for src, want := range map[string]string{
		`{{ u }}`:                          `[3:  evil text ]`,
		`a{{ t }}b`:                        `atrustedb`,
		`{{ e }}{{ t }}`:                   `trusted`,
		`<{{ u|trim }}>`:                   `<[3:evil text]>`,
		`{{ u.strip() ~ t }}`:              `[3:evil text]trusted`,
		`{{ t + u.strip() + w }}`:          `trusted[3:evil text][4:x]`,
		`{{ w + w }}{{ w }}`:               `[4:xxx]`,
		`{{ u.strip()[1:3] }}`:             `[3:vi]`,
		`{{ (t ~ u)[5:11] }}`:              `ed[3:  ev]`,
		`{{ (t ~ u)[::-2] }}`:              `[3: xtlv ]dtut`,
		`{{ z[1:4] }}{{ z[-1] }}`:          `[3:ürie]`,
		`{{ u.split() }}`:                  `['[3:evil]', '[3:text]']`,
		`{{ u.split('e')[1] ~ '|' }}`:      `[3:vil t]|`,
		`{{ u|replace('evil', 'good') }}`:  `[3:  ]good[3: text ]`,
		`{{ t|replace('rust', w) }}`:       `t[4:x]ed`,
		`{{ t.replace('t', w) }}`:          `[4:x]rus[4:x]ed`,
		`{{ u|upper }}{{ (t ~ w)|upper }}`: `[3:  EVIL TEXT ][4:TRUSTEDX]`,
		`{{ q|tojson }}`:                   `"[3:a\"b]"`,
		`{{ d|tojson }}`:                   `{"[5:key]": "[5:val]", "n": 3}`,
		`{{ d }}`:                          `{'[5:key]': '[5:val]', 'n': 3}`,
		`{{ list|join(', ') }}`:            `[1:a], b, [2:c]`,
		`{{ list|join(w) }}`:               `[1:a][4:x]b[4:x][2:c]`,
		`{% for x in u.strip()[:2] %}{{ x }}.{% endfor %}`:                                                  `[3:e].[3:v].`,
		`{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}`:                                           `[5:key]=[5:val];n=3;`,
		`{% set ns = namespace(s='') %}{% for c in w ~ t %}{% set ns.s = ns.s ~ c %}{% endfor %}{{ ns.s }}`: `[4:x]trusted`,
		`{% set x %}<{{ w }}>{% endset %}{{ x }}{{ x[1:] }}`:                                                `<[4:x]>[4:x]>`,
		`{% macro m(a) %}({{ a }}){% endmacro %}{{ m(w) }}`:                                                 `([4:x])`,
		`{% filter upper %}a{{ w }}{% endfilter %}`:                                                         `[4:AX]`,
		`{{ '%s-%5s-%r' % (w, w, w) }}`:                                                                     `[4:x]-    [4:x]-'[4:x]'`,
		`{{ '<{:>3}>'.format(w) }}`:                                                                         `<  [4:x]>`,
		`{{ w * 3 ~ '-' }}`:                                                                                 `[4:xxx]-`,
		`{{ html|e }}`:                                                                                      `[3:&lt;b&gt;&amp;]`,
		`{{ ('a'|safe) + html }}`:                                                                           `a[3:&lt;b&gt;&amp;]`,
		`{{ w.center(5, '*') }}{{ w.zfill(3) }}`:                                                            `**[4:x]**00[4:x]`,
		`{{ 'a\nb'|indent(w) }}`:                                                                            "a\n[4:x]b",
		`{{ (t ~ ' ' ~ w)|title }}`:                                                                         `[4:Trusted X]`,
		`{{ (u ~ t)|wordwrap(4) }}`:                                                                         "[3:evil\ntext\ntrus\nted]",
		`{{ u|length }}{{ u is string }}`:                                                                   `12True`,
		`{{ d|dictsort|first|first }}`:                                                                      `[5:key]`,
		`{{ list|map('upper')|list|tojson }}`:                                                               `["[1:A]", "B", "[2:C]"]`,
		`{{ list|sort(reverse=true)|first }}`:                                                               `[2:c]`,
		`{{ {w: 1}|items|list }}`:                                                                           `[('[4:x]', 1)]`,
		`{{ u.partition('evil')[1] }}`:                                                                      `[3:evil]`,
		`{{ strftime_now(w ~ '%Y') }}`:                                                                      `[4:x2026]`,
		`{{ ('abc'|safe)|replace('b', html) }}`:                                                             `a[3:<b>&]c`,
		`{{ z.encode is defined }}{{ (z ~ '')|truncate(6) }}`:                                               `True[3:Zürich, née]`,
		`{{ z|truncate(6, true, '…', 0) }}`:                                                                 `[3:Züric]…`,
		`{{ u|string|trim ~ (w|default('y')) }}`:                                                            `[3:evil text][4:x]`,
		`{{ nothing|default(w) }}{{ w if w else 'n' }}`:                                                     `[4:xx]`,
		`{{ [w, t]|pprint }}`:                                                                               `[4:['x', 'trusted']]`,
		`{{ 'a-x-b'.split(w) }}`:                                                                            `['a-', '-b']`,
		`{{ w|urlencode }}{{ z|urlencode }}`:                                                                `[4:x][3:Z%C3%BCrich%2C%20n%C3%A9e]`,
		`{{ '<i>x</i>'|striptags }}{{ html|striptags }}`:                                                    `x[3:&]`,
		`{{ {'a': w}|xmlattr }}`:                                                                            ` a="[4:x]"`,
		`{{ raise_exception is defined }}`:                                                                  `True`,
	} {
		tmpl, err := Parse(src)
		require.NoError(t, err, src)
		o, err := tmpl.Render(vars, goldenNow)
		require.NoError(t, err, src)
		if got := bracketed(o); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
	}
}

func TestGenerationSpans(t *testing.T) {
	vars := Vars{"u": Untrusted("U", FromMessage(0)), "l": NewList(Int(1), Int(2))}
	for src, want := range map[string]string{
		`a{% generation %}b{{ u }}c{% endgeneration %}d`:                                                            `a{bUc}d`,
		`{% for i in l %}{{ i }}{% generation %}g{{ loop.index }}{% endgeneration %}{% endfor %}`:                   `1{g1}2{g2}`,
		`{% macro m() %}x{% generation %}y{% endgeneration %}z{% endmacro %}-{{ m() }}-`:                            `-x{y}z-`,
		`{% macro m() %}xyz{% endmacro %}{% generation %}{{ m() }}{% endgeneration %}`:                              `{xyz}`,
		`{% set s %}a{% generation %}  b{% endgeneration %}c{% endset %}{{ s }}|{{ s[1:]|trim }}`:                   `a{  b}c|{b}c`,
		`{% generation %}{% endgeneration %}x`:                                                                      `x`,
		`{% generation %}a{% endgeneration %}{% generation %}b{% endgeneration %}`:                                  `{ab}`,
		`{% generation %}{{ u|tojson }}{{ 1.0 }}{{ l }}{% set x = 5 %}{{ x }}{% endgeneration %}{{ x is defined }}`: `{"U"1.0[1, 2]5}False`,
	} {
		tmpl, err := Parse(src)
		require.NoError(t, err, src)
		o, err := tmpl.Render(vars, goldenNow)
		require.NoError(t, err, src)
		var b strings.Builder
		at := 0
		for _, s := range o.Generation {
			b.WriteString(o.Text[at:s.Start] + "{" + o.Text[s.Start:s.End] + "}")
			at = s.End
		}
		if got := b.String() + o.Text[at:]; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", src, got, want)
		}
		for _, s := range o.Content {
			if got := o.Text[s.Start:s.End]; got != "U" {
				t.Errorf("%s: content span %q", src, got)
			}
		}
	}
}

// canary is the first of a block of private-use characters, 64 for each message; tools use the block of message 63.
const canary = 0xE000

// canaried returns v with a character of its source's own put before and after every string in it.
func canaried(v Value, block int) Value {
	switch x := v.(type) {
	case *Str:
		c, src := string(rune(canary+64*block)), FromMessage(block)
		if block == 63 {
			src = ToolSchemas
		}
		return Untrusted(c+x.s+c, src)
	case *List:
		out := make([]Value, len(x.items))
		for i, e := range x.items {
			out[i] = canaried(e, block)
		}
		return &List{items: out}
	case *Dict:
		d := NewDict(len(x.keys))
		for i, k := range x.keys {
			d.put(k, canaried(x.vals[i], block))
		}
		return d
	}
	return v
}

// TestNoContentEscapes puts characters that occur nowhere else into every untrusted string of every conversation and
// looks for them in what every template makes of it: each must be reported under the message it came from.
func TestNoContentEscapes(t *testing.T) {
	dir := goldenDir(t)
	convs := goldenConversations(t, dir)
	found, renders := 0, 0
	for name, src := range goldenTemplates(t, dir) {
		tmpl, err := Parse(src)
		require.NoError(t, err)
		for _, c := range convs {
			vars := c.vars(t)
			plain, plainErr := tmpl.Render(c.vars(t), goldenNow)
			if plainErr == nil {
				checkSpans(t, name+" × "+c.ID, plain)
			}
			list := vars["messages"].(*List)
			messages := make([]Value, len(list.items))
			for i, m := range list.items {
				d := m.(*Dict)
				out := NewDict(len(d.keys))
				for k, key := range d.keys {
					v := d.vals[k]
					if id := key.(*Str).s; id != "role" && id != "type" {
						v = canaried(v, i)
					}
					out.put(key, v)
				}
				messages[i] = out
			}
			vars["messages"], vars["tools"] = &List{items: messages}, canaried(vars["tools"], 63)
			o, err := tmpl.Render(vars, goldenNow)
			if err != nil {
				continue
			}
			renders++
			checkSpans(t, name+" × "+c.ID, o)
			source := make([]Source, len(o.Text))
			for _, s := range o.Content {
				for i := s.Start; i < s.End; i++ {
					source[i] = s.Source
				}
			}
			for i, r := range o.Text {
				if r < canary || r >= canary+64*64 {
					continue
				}
				found++
				want := FromMessage(int(r-canary) / 64)
				if want == FromMessage(63) {
					want = ToolSchemas
				}
				for k := range 3 {
					if source[i+k] != want {
						t.Fatalf("%s × %s: byte %d of …%s… is reported from %d, it came from %d", name, c.ID, i,
							quote(o.Text[max(0, i-30):min(len(o.Text), i+30)]), source[i+k], want)
					}
				}
			}
		}
	}
	t.Logf("%d characters of content found in %d renders, all reported", found, renders)
}

// checkSpans holds an output to its invariants.
func checkSpans(t *testing.T, what string, o Output) {
	t.Helper()
	for _, list := range [][]Span{o.Content, o.Generation} {
		at := 0
		for i, s := range list {
			if s.Start < at || s.End <= s.Start || s.End > len(o.Text) {
				t.Fatalf("%s: span %d is %v after byte %d of %d", what, i, s, at, len(o.Text))
			}
			if i > 0 && s.Start == at && list[i-1].Source == s.Source {
				t.Fatalf("%s: spans %d and %d are one", what, i-1, i)
			}
			at = s.End
		}
	}
}
