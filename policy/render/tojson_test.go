package render

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The right sides are what CPython 3.11 prints for
// json.dumps(json.loads(left), ensure_ascii=False).
func TestPythonJSON(t *testing.T) {
	for in, want := range map[string]string{
		``:                              `{}`,
		`null`:                          `null`,
		` [1,2 , 3] `:                   `[1, 2, 3]`,
		`{"b":1,"a":[],"c":{}}`:         `{"b": 1, "a": [], "c": {}}`,
		`{"a":1,"b":2,"a":3}`:           `{"a": 3, "b": 2}`,
		`[true,false,"x"]`:              `[true, false, "x"]`,
		`1.0`:                           `1.0`,
		`1e3`:                           `1000.0`,
		`1E-5`:                          `1e-05`,
		`0.0001`:                        `0.0001`,
		`0.00012345`:                    `0.00012345`,
		`1e15`:                          `1000000000000000.0`,
		`1e16`:                          `1e+16`,
		`123456789012345678.0`:          `1.2345678901234568e+17`,
		`12345678901234567890123`:       `12345678901234567890123`,
		`-0`:                            `0`,
		`-0.0`:                          `-0.0`,
		`1e999`:                         `Infinity`,
		`-1e999`:                        `-Infinity`,
		`0.1`:                           `0.1`,
		`5e-324`:                        `5e-324`,
		`"\u2028\u007f é</&'"`:          "\"\u2028\u007f é</&'\"",
		`"\u0001\n\r\t\b\f\"\\\/"`:      `"\u0001\n\r\t\b\f\"\\/"`,
		`{"k\n":"\ud83d\ude00"}`:        `{"k\n": "😀"}`,
		`{"a":{"b":[{"c":[[]]}]}}`:      `{"a": {"b": [{"c": [[]]}]}}`,
		`{"expression":"2*3","n":-1.5}`: `{"expression": "2*3", "n": -1.5}`,
	} {
		got, err := pythonJSON([]byte(in))
		require.NoError(t, err, in)
		require.Equal(t, want, got, in)
	}
}

func TestPythonJSONRefuses(t *testing.T) {
	for _, in := range []string{`{`, `{"a" 1}`, `[1,]`, `{} 1`, `nul`, `"`, `{1:2}`, strings.Repeat("[", 300) + strings.Repeat("]", 300)} {
		got, err := pythonJSON([]byte(in))
		require.Error(t, err, "%s gave %s", in, got)
	}
}

func FuzzPythonJSON(f *testing.F) {
	f.Add(`{"a":[1,2.5,"x",null,{"b":true}]}`)
	f.Add(`{"a":1,"a":{"a":1}}`)
	f.Fuzz(func(t *testing.T, in string) {
		out, err := pythonJSON([]byte(in))
		if err != nil || strings.Contains(out, "Infinity") {
			return
		}
		again, err := pythonJSON([]byte(out))
		if err != nil || again != out {
			t.Fatalf("%q became %q and then %q, %v", in, out, again, err)
		}
		if strings.TrimSpace(in) == "" {
			return
		}
		var a, b any
		if err := json.Unmarshal([]byte(in), &a); err != nil {
			t.Fatalf("%q was taken and is not JSON: %v", in, err)
		}
		if err := json.Unmarshal([]byte(out), &b); err != nil {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%q became %q: another value", in, out)
		}
	})
}
