package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTyped(t *testing.T) {
	for _, c := range []struct{ name, schema, text, want string }{
		{"text stays as it is", `{"type":"string"}`, " 3\n", `" 3\n"`},
		{"no type is text", `{}`, "3", `"3"`},
		{"a schema that does not parse is text", `{"type":`, "3", `"3"`},
		{"a schema of true is text", `true`, "3", `"3"`},
		{"integer", `{"type":"integer"}`, " -4 ", `-4`},
		{"integral fraction", `{"type":"integer"}`, "4.0", `4.0`},
		{"shifted fraction", `{"type":"integer"}`, "1.25e2", `1.25e2`},
		{"fraction left over", `{"type":"integer"}`, "1.25e1", `"1.25e1"`},
		{"whole after division", `{"type":"integer"}`, "1200e-2", `1200e-2`},
		{"not whole after division", `{"type":"integer"}`, "120e-2", `"120e-2"`},
		{"zero", `{"type":"integer"}`, "-0.000e-99999999999999999999", `-0.000e-99999999999999999999`},
		{"huge exponent", `{"type":"integer"}`, "1e99999999999999999999", `1e99999999999999999999`},
		{"tiny exponent", `{"type":"integer"}`, "1e-99999999999999999999", `"1e-99999999999999999999"`},
		{"number", `{"type":"number"}`, "1.50", `1.50`},
		{"inf", `{"type":"number"}`, "inf", `"inf"`},
		{"null before integer", `{"type":["integer","null"]}`, "NULL", `null`},
		{"None without string", `{"type":["integer","null"]}`, "None", `null`},
		{"None with string", `{"type":["string","null"]}`, "None", `"None"`},
		{"one is no boolean where text is allowed", `{"type":["string","boolean"]}`, "1", `"1"`},
		{"one is a boolean", `{"type":"boolean"}`, "1", `true`},
		{"types of an enum", `{"enum":[1,2.5,"x",null]}`, "2.5", `2.5`},
		{"types of anyOf", `{"anyOf":[{"type":"null"},{"type":"array"}]}`, "[1, 2]", `[1, 2]`},
		{"object", `{"type":"object"}`, ` {"a": 1.0} `, `{"a": 1.0}`},
		{"duplicate key is text", `{"type":"object"}`, `{"a":1,"a":2}`, `"{\"a\":1,\"a\":2}"`},
		{"tuple for an array", `{"type":"array"}`, `('a', -1.5,)`, `["a", -1.5]`},
		{"literal where text is allowed", `{"type":["array","string"]}`, `('a',)`, `"('a',)"`},
		{"angle brackets are not escaped", `{"type":"string"}`, "<b>&", `"<b>&"`},
	} {
		assert.Equal(t, c.want, string(typed(c.text, parseSchema([]byte(c.schema)))), c.name)
	}
}

func TestLiterals(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"both quotes", `['a"b', "c'd"]`, `["a\"b", "c'd"]`},
		{"escapes", `['\n\t\\\'\x41\u00e6\U0001F600\101\q']`, `["\n\t\\'Aæ😀A\\q"]`},
		{"surrogate pair", `['\ud83d\ude00']`, `["😀"]`},
		{"half of a pair", `['\ud83d']`, ""},
		{"low half alone", `['\ude00']`, ""},
		{"too large", `['\UFFFFFFFF']`, ""},
		{"named character", `['\N{DASH}']`, ""},
		{"raw newline", "['a\nb']", ""},
		{"plus sign", `[+5, -0.5]`, `[5, -0.5]`},
		{"leading zeros", `[007]`, ""},
		{"underscore", `[1_000]`, ""},
		{"hexadecimal", `[0x10]`, ""},
		{"complex", `[1j]`, ""},
		{"constants", `[True, false, None]`, `[true, false, null]`},
		{"word", `[Truer]`, ""},
		{"parentheses are no tuple", `[(1)]`, ""},
		{"empty tuple", `[()]`, `[[]]`},
		{"dict", `[{'a': {}, "b": [1,]}]`, `[{"a": {}, "b": [1]}]`},
		{"number as a key", `[{1: 2}]`, ""},
		{"set", `[{1, 2}]`, ""},
		{"key twice", `[{'a': 1, "a": 2}]`, ""},
		{"adjacent strings", `['a' 'b']`, ""},
		{"raw string", `[r'a']`, ""},
		{"sum", `[1 + 1]`, ""},
		{"comma alone", `[,]`, ""},
		{"deep", strings.Repeat("[", 101) + strings.Repeat("]", 101), ""},
	} {
		got, ok := wholeLiteral(c.text)
		assert.Equal(t, c.want != "", ok, "%s: %s gave %s", c.name, c.text, got)
		if ok {
			assert.Equal(t, c.want, string(got), c.name)
		}
	}
}

func TestManyKeys(t *testing.T) {
	var k keySet
	for i := range 3 * manyKeys {
		assert.True(t, k.add(fmt.Sprint(i)), "key %d", i)
	}
	for i := range 3 * manyKeys {
		assert.False(t, k.add(fmt.Sprint(i)), "key %d again", i)
	}
}
