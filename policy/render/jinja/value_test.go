package jinja

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func reprOf(v Value) string {
	st := &state{limits: Limits{}.orDefaults(nil)}
	var b builder
	st.repr(&b, v)
	return string(b.buf)
}

func TestFromGo(t *testing.T) {
	v, err := FromGo(map[string]any{"b": []any{nil, true, 1, int64(2), 2.5, json.Number("1.0"), "x"}, "a": String("v")})
	require.NoError(t, err)
	require.Equal(t, `{'a': 'v', 'b': [None, True, 1, 2, 2.5, 1.0, 'x']}`, reprOf(v))
	_, err = FromGo([]any{1, struct{}{}})
	require.ErrorContains(t, err, "item 1: a template cannot hold a Go struct {}")
}

func TestFloatRepr(t *testing.T) {
	for f, want := range map[float64]string{
		1: "1.0", 2.5: "2.5", 1e15: "1000000000000000.0", 1e16: "1e+16", 1e21: "1e+21", 1e-4: "0.0001", 1e-5: "1e-05", -1e-7: "-1e-07",
		0.30000000000000004: "0.30000000000000004", math.MaxFloat64: "1.7976931348623157e+308", math.Inf(-1): "-inf", 123456789.125: "123456789.125",
	} {
		require.Equal(t, want, floatRepr(f))
	}
}

// TestDictIsAPythonDict compares a Dict with a plain list of entries.
func TestDictIsAPythonDict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(
			rapid.Map(rapid.IntRange(0, 12), func(n int) Value { return Int(n) }),
			rapid.Map(rapid.IntRange(0, 3), func(n int) Value { return Float(n) }),
			rapid.Map(rapid.Bool(), func(b bool) Value { return Bool(b) }),
			rapid.Map(rapid.StringMatching("[a-d]{0,2}"), func(s string) Value { return String(s) }),
			rapid.Map(rapid.IntRange(0, 2), func(n int) Value { return newTuple(Int(n), String("x")) }),
			rapid.Just(None),
		)
		st := &state{limits: Limits{}.orDefaults(nil)}
		d := NewDict(0)
		var keys, vals []Value
		for i, k := range rapid.SliceOfN(key, 0, 40).Draw(t, "keys") {
			d.put(k, Int(i))
			at := -1
			for j, old := range keys {
				if st.equal(old, k) {
					at = j
				}
			}
			if at < 0 {
				keys, vals = append(keys, k), append(vals, Int(i))
			} else {
				vals[at] = Int(i)
			}
		}
		if len(d.keys) != len(keys) {
			t.Fatalf("got %s, want keys %s", reprOf(d), reprOf(&List{items: keys}))
		}
		for i, k := range keys {
			if j := d.find(k); j != i || d.vals[j] != vals[i] {
				t.Fatalf("key %s is at %d in %s, want %d", reprOf(k), j, reprOf(d), i)
			}
		}
	})
}

// TestOffsets compares a string's offset table with counting.
func TestOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := String(rapid.StringOfN(rapid.RuneFrom([]rune("aé漢👩")), 0, 300, -1).Draw(t, "s"))
		n := 0
		for at := range s.s {
			if got := s.offset(n); got != at {
				t.Fatalf("character %d of %q is at byte %d, want %d", n, s.s, got, at)
			}
			n++
		}
		if s.count() != n || s.offset(n) != len(s.s) {
			t.Fatalf("%q has %d characters, want %d", s.s, s.count(), n)
		}
	})
}

// TestConcatenationAssociates holds the marks of + to being the same however a text is put together.
func TestConcatenationAssociates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Custom(func(t *rapid.T) *Str {
			return Untrusted(rapid.StringMatching("[ab]{0,3}").Draw(t, "text"), Source(rapid.IntRange(-1, 2).Draw(t, "source")))
		})
		a, b, c := part.Draw(t, "a"), part.Draw(t, "b"), part.Draw(t, "c")
		st := &state{limits: Limits{}.orDefaults(nil)}
		left := st.add(st.add(a, b), c).(*Str)
		right := st.add(a, st.add(b, c)).(*Str)
		require.Equal(t, left.s, right.s)
		require.Equal(t, left.marks, right.marks)
		if len(left.s) > 2 {
			again := st.add(left.cut(0, 2), left.cut(2, len(left.s))).(*Str)
			require.Equal(t, left.marks, again.marks)
		}
	})
}
