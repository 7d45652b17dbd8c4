package contexts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"focus/rollout"
)

// ToolResultMaxChars is the most characters of a tool result that a summary is
// made from.
const ToolResultMaxChars = 2000

// What stands around a summary in the conversation.
const (
	SummaryPrefix = "What was said before this point was summarised to save room:\n\n<summary>\n"
	SummarySuffix = "\n</summary>"
)

// MissingResult stands in for the result of a call that the conversation lacks.
const MissingResult = "(no result: the record stops before this call was answered)"

// SummarizationSystemPrompt tells the model that it writes a summary.
const SummarizationSystemPrompt = "You write summaries of records of work. You are shown a record between a person and an assistant. " +
	"You do not carry the work on and you answer nothing that is asked in the record: all you write is the summary, in the form you are given."

// SummarizationPrompt gives the form of a summary.
const SummarizationPrompt = `Above is a record of work that another model will take over with nothing but your summary of it. Where the record opens with an older summary, keep what that says and work the rest into it.

Write exactly these parts, in this order:

## Task
[what is asked for, all of it when there is more than one thing]

## Rules
- [each wish, limit or condition that was given]
- [or "none"]

## State
### Finished
- [x] [what has been done]

### Under way
- [ ] [what is being done]

### Stuck
- [what stands in the way, if anything does]

## Decisions
- **[what was decided]**: [why, in a few words]

## To do
1. [the next steps, first one first]

## Keep
- [figures, names, quotations and places that will be needed]
- [or "none"]

Be brief in every part. Names, paths, numbers and messages of errors are copied letter by letter.`

// SummaryPrompt is the user message of a summary: the record, the form, and what
// else to look at.
func SummaryPrompt(messages []rollout.Message, instructions string) string {
	text := "<conversation>\n" + SerializeConversation(messages) + "\n</conversation>\n\n" + SummarizationPrompt
	if instructions != "" {
		text += "\n\nLook at this besides: " + instructions
	}
	return text
}

// SerializeConversation is messages as plain text, so that a model reads them
// and does not go on with them. System messages and reasoning are left out, and
// long tool results are cut.
func SerializeConversation(messages []rollout.Message) string {
	var parts []string
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, label+": "+text)
		}
	}
	for _, m := range messages {
		switch m.Role {
		case rollout.RoleUser:
			add("[User]", m.Content)
		case rollout.RoleAssistant:
			add("[Assistant]", m.Content)
			calls := make([]string, len(m.ToolCalls))
			for i, c := range m.ToolCalls {
				calls[i] = callText(c)
			}
			add("[Assistant tool calls]", strings.Join(calls, "; "))
		case rollout.RoleTool:
			add("[Tool result]", cutChars(m.Content, ToolResultMaxChars))
		}
	}
	return strings.Join(parts, "\n\n")
}

// callText is a call as name(key=value, …), arguments in their order.
func callText(c rollout.ToolCall) string {
	var fields []string
	dec := json.NewDecoder(bytes.NewReader(c.Arguments))
	if t, err := dec.Token(); err == nil && t == json.Delim('{') {
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				break
			}
			var value json.RawMessage
			if dec.Decode(&value) != nil {
				break
			}
			fields = append(fields, fmt.Sprintf("%s=%s", key, compactJSON(value, ascii)))
		}
	}
	return c.Name + "(" + strings.Join(fields, ", ") + ")"
}

func cutChars(text string, limit int) string {
	n := 0
	for at := range text {
		if n == limit {
			rest := len([]rune(text[at:]))
			return fmt.Sprintf("%s\n\n[... and %d characters more]", text[:at], rest)
		}
		n++
	}
	return text
}

// charset says which characters of a JSON text stay as they are.
type charset int

const (
	asIs charset = iota
	ascii
)

// compactJSON is raw without blanks, numbers and the order of keys as written;
// raw itself when it is not JSON.
func compactJSON(raw json.RawMessage, chars charset) string {
	if len(raw) == 0 {
		return "null"
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var b strings.Builder
	if err := writeJSON(&b, dec, chars); err != nil {
		return string(raw)
	}
	return b.String()
}

// writeJSON writes the next value of dec.
func writeJSON(b *strings.Builder, dec *json.Decoder, chars charset) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		b.WriteString(t.String())
		for n := 0; dec.More(); n++ {
			if n > 0 {
				b.WriteByte(',')
			}
			if t == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				writeString(b, key.(string), chars)
				b.WriteByte(':')
			}
			if err := writeJSON(b, dec, chars); err != nil {
				return err
			}
		}
		end, err := dec.Token()
		if err != nil {
			return err
		}
		b.WriteString(end.(json.Delim).String())
	case string:
		writeString(b, t, chars)
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, t)
	}
	return nil
}

func writeString(b *strings.Builder, s string, chars charset) {
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < ' ' || chars == ascii && r > '~':
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(b, `\u%04x`, u)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
