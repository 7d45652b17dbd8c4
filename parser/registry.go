package parser

// Dialect is a parser under the name that a job file calls it by.
type Dialect struct {
	Name string
	New  func() Parser
}

// Dialects lists every parser of this package, in the order of its name's
// importance to a reader: the three that are no dialect first.
func Dialects() []Dialect {
	return []Dialect{
		{"text", Text},
		{"token_chunk", TokenChunk},
		{"hermes", Hermes},
	}
}
