package jinja

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestDecode(t *testing.T) {
	for src, want := range map[string]string{
		`{"b": 1, "a": 2.0, "b": 3}`:                            `{'b': 3, 'a': 2.0}`,
		`[1, -0, 1.0, 1e3, -1E-7, 1e400, 12345678901234567890]`: `[1, 0, 1.0, 1000.0, -1e-07, inf, 12345678901234567890]`,
		`[NaN, Infinity, -Infinity, null, true, false]`:         `[nan, inf, -inf, None, True, False]`,
		` {"a" : [ ] , "b":{ } } `:                              `{'a': [], 'b': {}}`,
		`"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\"`:                  `'é😀/\x08\x0c\n\r\t"\\'`,
		`""`:                                                    `''`,
	} {
		v, err := Decode(src, Trusted)
		require.NoError(t, err, src)
		var b builder
		(&state{limits: Limits{}.orDefaults(nil)}).repr(&b, v)
		require.Equal(t, want, string(b.buf), src)
	}
	for _, src := range []string{
		``, `{`, `[1,]`, `{"a":1,}`, `{a:1}`, `"a`, `"\x"`, `"\u12"`, `"\ud83d"`, `"\udc00"`, "\"a\nb\"", `01`, `1.`, `.5`, `+1`, `1 2`, `nul`,
		"\"\xff\"", `-`, `[1 2]`, `{"a" 1}`, strings.Repeat("[", 2000) + strings.Repeat("]", 2000), strings.Repeat("1", 5000),
	} {
		_, err := Decode(src, Trusted)
		require.Error(t, err, src)
	}
}

// FuzzDecode compares what is accepted with encoding/json, whose differences are listed.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,"x\u00e9"]}`, `[null,true,-0.0,1e5]`, `"\ud83d\ude00"`, ` [] `} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Decode(s, FromMessage(0))
		if err == nil && (containsAny(s, []string{"NaN", "Infinity"})) || !utf8.ValidString(s) || containsAny(s, []string{`\u`}) {
			return
		}
		if std := json.Valid([]byte(s)); std != (err == nil) && len(s) < 900 {
			t.Fatalf("%q: we say %v, encoding/json says %t", s, err, std)
		}
		if err != nil {
			return
		}
		w := &jsonWriter{st: &state{limits: Limits{}.orDefaults(nil)}, b: &builder{}, itemSep: text(","), keySep: text(":")}
		w.value(v)
		again, err := Decode(string(w.b.buf), Trusted)
		require.NoError(t, err)
		require.True(t, w.st.equal(v, again) || strings.Contains(string(w.b.buf), "NaN"), "%q reads back as %q", s, w.b.buf)
	})
}
