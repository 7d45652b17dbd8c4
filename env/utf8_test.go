package env_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env"
)

func TestValidUTF8(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"valid", "aé漢😀\uFFFD", "aé漢😀\uFFFD"},
		{"nothing", "", ""},
		{"the standard's table 3-8", "a\xF1\x80\x80\xE1\x80\xC2b\x80c\x80\xBFd", "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd"},
		{"overlong forms, table 3-9", "\xC0\xAF\xE0\x80\xBF\xF0\x81\x82A", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
		{"surrogates, table 3-10", "\xED\xA0\x80\xED\xBF\xBF\xED\xAFA", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
		{"too large, table 3-11", "\xF4\x91\x92\x93\xFFA\x80\xBFB", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB"},
		{"cut short", "\xE1\x80\xE2\xF0\x91\x92\xF1\xBFA", "\uFFFD\uFFFD\uFFFD\uFFFDA"},
		{"cut at the end", "漢\xE6\xBC", "漢\uFFFD"},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, env.ValidUTF8(tc.in)) })
	}
}

// Valid text around garbage stays as it is, and no more than one replacement
// comes for each byte of it.
func TestValidUTF8KeepsWhatIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		garbage := string(rapid.SliceOfN(rapid.ByteRange(0x80, 0xFF), 0, 8).Draw(t, "garbage"))
		got := env.ValidUTF8(before + garbage + after)
		if !utf8.ValidString(got) || env.ValidUTF8(got) != got {
			t.Fatalf("%q gave %q", before+garbage+after, got)
		}
		if got[:len(before)] != before || got[len(got)-len(after):] != after {
			t.Fatalf("%q, %q, %q gave %q", before, garbage, after, got)
		}
		if n := utf8.RuneCountInString(got) - utf8.RuneCountInString(before) - utf8.RuneCountInString(after); n > len(garbage) {
			t.Fatalf("%d bytes of garbage %q became %d runes", len(garbage), garbage, n)
		}
	})
}
