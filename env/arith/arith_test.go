package arith_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"focus/env/arith"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct{ in, form, value string }{
		{"7", "7", "7"},
		{" 1 + 2 * 3 ", "1+2*3", "7"},
		{"(1+2)*3", "(1+2)*3", "9"},
		{"((8))-(2)", "8-2", "6"},
		{"9-3-2", "9-3-2", "4"},
		{"9-(3-2)", "9-(3-2)", "8"},
		{"8/3*3", "8/3*3", "8"},
		{"1/3", "1/3", "1/3"},
		{"-3*-4", "-3*(-4)", "12"},
		{"-(2+3)", "0-(2+3)", "-5"},
		{"--5", "5", "5"},
		{"4/(2-2)", "4/(2-2)", "none"},
		{"007", "7", "7"},
		{strings.Repeat("(", 32) + "1" + strings.Repeat(")", 32), "1", "1"},
	} {
		t.Run(tc.in, func(t *testing.T) {
			e, err := arith.Parse(tc.in)
			require.NoError(t, err)
			require.Equal(t, tc.form, e.String())
			got := "none"
			if v, ok := e.Value(); ok {
				got = v.RatString()
			}
			require.Equal(t, tc.value, got)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", "", "number expected at 0"},
		{"blanks", "  ", "number expected at 2"},
		{"an open end", "1+", "number expected at 2"},
		{"no operator", "1 2", "unexpected character at 2"},
		{"an open parenthesis", "(1+2", "missing ) at 4"},
		{"a closed one", "1)", "unexpected character at 1"},
		{"a power", "2**3", "number expected at 2"},
		{"a decimal", "1.5", "unexpected character at 1"},
		{"a name", "x", "number expected at 0"},
		{"a wide digit", "３", "number expected at 0"},
		{"too many digits", "1234567890", "number too long at 0"},
		{"too deep", strings.Repeat("(", 40) + "1" + strings.Repeat(")", 40), "too deep at 33"},
		{"too many signs", strings.Repeat("-", 40) + "1", "too deep at 33"},
		{"too long", strings.Repeat("1+", 200) + "1", "too long at 256"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := arith.Parse(tc.in)
			require.EqualError(t, err, tc.want)
		})
	}
}

// drawn makes an expression without signs, as the bundled families do.
func drawn(t *rapid.T, depth int) *arith.Expr {
	if depth == 0 || rapid.Bool().Draw(t, "number") {
		return &arith.Expr{Num: int64(rapid.IntRange(0, 50).Draw(t, "n"))}
	}
	return &arith.Expr{
		Op:   rapid.SampledFrom([]byte("+-*/")).Draw(t, "op"),
		Left: drawn(t, depth-1), Right: drawn(t, depth-1),
	}
}

func TestStringParsesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawn(t, 4)
		back, err := arith.Parse(e.String())
		if err != nil {
			t.Fatalf("parse %s: %v", e, err)
		}
		require.Equal(t, e, back)
	})
}

// Working out first parts one after the other gives the value of the whole.
func TestFirstStepsGiveTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawn(t, 4)
		want, ok := e.Value()
		if !ok {
			t.Skip("divides by zero")
		}
		for whole := e; e.Op != 0; {
			first := e.First()
			if !first.Simple() {
				t.Fatalf("first part %s of %s is not one operation", first, e)
			}
			v, ok := first.Int()
			if !ok {
				t.Skip("a fraction on the way")
			}
			if e = e.With(first, v); e.Op == 0 && want.Cmp(new(big.Rat).SetInt64(e.Num)) != 0 {
				t.Fatalf("%s: got %d, want %s", whole, e.Num, want.RatString())
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1+2*3", "(1", "-(-3)/0", "999999999*999999999", "((((1))))", "1--1", "１+2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := arith.Parse(s)
		if err != nil {
			return
		}
		form := e.String()
		if len(form) > arith.MaxLen {
			return
		}
		back, err := arith.Parse(form)
		if err != nil {
			if strings.Contains(err.Error(), "too deep") {
				return // a sign became 0-( ), which nests deeper
			}
			t.Fatalf("%q reads as %s, which cannot be read: %v", s, form, err)
		}
		v, ok := e.Value()
		w, okBack := back.Value()
		if ok != okBack || ok && v.Cmp(w) != 0 {
			t.Fatalf("%q has another value than its form %s", s, form)
		}
	})
}
