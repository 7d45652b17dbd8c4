package parser

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestWholeJSON(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"number forms", `[0, -0, 1.5, 1e5, 1E+5, 1e-05, -0.0, 12345678901234567890]`, true},
		{"leading zero", `[01]`, false},
		{"plus sign", `[+1]`, false},
		{"bare point", `[1.]`, false},
		{"point first", `[.5]`, false},
		{"bare exponent", `[1e]`, false},
		{"hexadecimal", `[0x1]`, false},
		{"blanks of JSON", " \t", false},
		{"no-break space", "[\u00a01]", false},
		{"form feed", "[\f1]", false},
		{"all escapes", `["\"\\\/\b\f\n\r\t\u00e6\uD83D\uDE00"]`, true},
		{"odd escape", `["\x41"]`, false},
		{"short escape", `["\u12"]`, false},
		{"surrogate and text", `["\ud83dx"]`, false},
		{"two high surrogates", `["\ud83d\ud83d"]`, false},
		{"two low surrogates", `["\ude00\ude00"]`, false},
		{"delete character", "[\"\x7f\"]", true},
		{"raw tab", "[\"\t\"]", false},
		{"line separator", "[\"\u2028\"]", true},
		{"empty key", `{"": 1}`, true},
		{"nested duplicate", `[{"a": {"b": 1, "b": 1}}]`, false},
		{"comma first", `[,1]`, false},
		{"comma last", `{"a":1,}`, false},
		{"wrong bracket", `[1}`, false},
		{"byte order mark", "\ufeff{}", false},
	} {
		assert.Equal(t, c.want, wholeJSON(c.text), "%s: %s", c.name, c.text)
	}
}

// FuzzJSON compares the scanner with encoding/json, which accepts more: what is
// accepted here is valid there, and what only we refuse has one of our reasons.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\u00e6",null,true,{}]}`, `[1`, `"\ud83d"`, `{"a":1,"a":2}`} {
		f.Add(s)
	}
	ours := map[string]bool{
		"a key occurs twice in one JSON object": true,
		"a JSON string is not valid UTF-8":      true,
		"the JSON nests too deeply":             true,
		reasonSurrogate:                         true,
	}
	f.Fuzz(func(t *testing.T, text string) {
		sc := scanner{src: text}
		fault := sc.value(nil)
		if fault == nil {
			if !json.Valid([]byte(text[:sc.pos])) {
				t.Fatalf("accepted %q", text[:sc.pos])
			}
			if !utf8.ValidString(text[:sc.pos]) {
				t.Fatalf("accepted invalid UTF-8 in %q", text[:sc.pos])
			}
			return
		}
		if fault.to > len(text) || fault.from > fault.to {
			t.Fatalf("fault at %d to %d of %q", fault.from, fault.to, text)
		}
		if json.Valid([]byte(text)) && trim(text) == text && !ours[fault.reason] {
			t.Fatalf("refused %q: %s", text, fault.reason)
		}
	})
}
