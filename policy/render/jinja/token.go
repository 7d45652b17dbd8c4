package jinja

// kind is what a token is; operators are their own text.
type kind string

const (
	tData     kind = "data"
	tBlockIn  kind = "block_begin"
	tBlockOut kind = "block_end"
	tVarIn    kind = "variable_begin"
	tVarOut   kind = "variable_end"
	tName     kind = "name"
	tString   kind = "string"
	tInteger  kind = "integer"
	tFloat    kind = "float"
	tEOF      kind = "eof"
)

type token struct {
	kind kind
	text string // a name, template data, a string's value, a number's digits
	line int
}

// is tests for a keyword.
func (t token) is(word string) bool { return t.kind == tName && t.text == word }

func (t token) describe() string {
	switch t.kind {
	case tName:
		return t.text
	case tBlockIn:
		return "begin of statement block"
	case tBlockOut:
		return "end of statement block"
	case tVarIn:
		return "begin of print statement"
	case tVarOut:
		return "end of print statement"
	case tData:
		return "template data / text"
	case tEOF:
		return "end of template"
	}
	return string(t.kind)
}

// operators by length, longest first: the order they are tried in.
var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}
