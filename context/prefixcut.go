package contexts

import (
	"strings"
	"unicode/utf8"

	"focus/rollout"
)

// View is a conversation as [PrefixSummary] cuts it: entries in order, each
// with the messages it puts into the context. The seed is not in it.
type View struct {
	// Head says that the first entry is the summary of what went before.
	Head    bool
	Entries [][]rollout.Message
}

// viewOf is the view of a live conversation: an entry for each message after
// the seed. Only a conversation that was rewritten can begin with a summary.
func viewOf(seed, messages []rollout.Message, version int) View {
	var v View
	for _, m := range messages[min(len(seed), len(messages)):] {
		v.Entries = append(v.Entries, []rollout.Message{m})
	}
	v.Head = version > 0 && len(v.Entries) > 0 && isSummary(v.Entries[0][0])
	return v
}

// isSummary recognises the message that a compaction put there.
func isSummary(m rollout.Message) bool {
	return m.Role == rollout.RoleUser && m.Sampled == nil && strings.HasPrefix(m.Content, SummaryPrefix) && strings.HasSuffix(m.Content, SummarySuffix)
}

// SelectCut is the first entry that a summary keeps; false when there is
// nothing to summarise before it. It walks back from the end until keepRecent
// estimated tokens are kept, and cuts at the first legal place from there on: an
// entry that begins with a user or an assistant message, and is not between a
// call and its results. Where there is none it takes the last legal place.
func SelectCut(v View, keepRecent int) (int, bool) {
	first := 0
	if v.Head {
		first = 1
	}
	kept := 0
	for i := len(v.Entries) - 1; i >= first; i-- {
		for _, m := range v.Entries[i] {
			kept += EstimateTokens(m)
		}
		if kept < keepRecent {
			continue
		}
		cut, ok := legalCut(v.Entries, first, i)
		if !ok {
			return 0, false
		}
		for _, messages := range v.Entries[first:max(first, cut)] {
			if len(messages) > 0 {
				return cut, true
			}
		}
		return 0, false
	}
	return 0, false
}

// legalCut is the first legal place at or after from, else the last before it.
func legalCut(entries [][]rollout.Message, first, from int) (int, bool) {
	for i := from; i < len(entries); i++ {
		if legal(entries, i) {
			return i, true
		}
	}
	for i := from - 1; i >= first; i-- {
		if legal(entries, i) {
			return i, true
		}
	}
	return 0, false
}

// legal reports whether a cut before entry i splits nothing.
func legal(entries [][]rollout.Message, i int) bool {
	if len(entries[i]) == 0 {
		return false
	}
	switch entries[i][0].Role {
	case rollout.RoleAssistant:
		return true
	case rollout.RoleUser:
	default:
		return false
	}
	calls := callsBefore(entries, i)
	if len(calls) == 0 {
		return true
	}
	for j := i; j < len(entries); j++ {
		for k, m := range entries[j] {
			if m.Role == rollout.RoleAssistant && (j > i || k > 0) {
				return true
			}
			if m.Role == rollout.RoleTool && calls[m.ToolCallID] {
				return false
			}
		}
	}
	return true
}

// callsBefore is the ids of the calls of the last assistant message before i.
func callsBefore(entries [][]rollout.Message, i int) map[string]bool {
	for j := i - 1; j >= 0; j-- {
		for k := len(entries[j]) - 1; k >= 0; k-- {
			if m := entries[j][k]; m.Role == rollout.RoleAssistant {
				calls := map[string]bool{}
				for _, c := range m.ToolCalls {
					calls[c.ID] = true
				}
				return calls
			}
		}
	}
	return nil
}

// Summarized is the messages before a cut in the order a model reads them.
func Summarized(v View, cut int) []rollout.Message {
	var out []rollout.Message
	for _, messages := range v.Entries[:cut] {
		out = append(out, messages...)
	}
	return OrderToolResults(out)
}

// OrderToolResults puts the results of each assistant message right after it,
// in call order. They are looked for up to the next assistant message; a result
// that is not there is stood in for, and one that belongs to no call is left out.
func OrderToolResults(messages []rollout.Message) []rollout.Message {
	var out []rollout.Message
	for i, m := range messages {
		if m.Role == rollout.RoleTool {
			continue
		}
		out = append(out, m)
		if m.Role != rollout.RoleAssistant {
			continue
		}
		for _, c := range m.ToolCalls {
			out = append(out, resultOf(c, messages[i+1:]))
		}
	}
	return out
}

func resultOf(c rollout.ToolCall, after []rollout.Message) rollout.Message {
	for _, m := range after {
		if m.Role == rollout.RoleAssistant {
			break
		}
		if m.Role == rollout.RoleTool && m.ToolCallID == c.ID {
			return m
		}
	}
	return rollout.ToolResult(c, MissingResult)
}

// EstimateTokens guesses the ids of a message at 3.5 characters each, rounded
// up: visible text, reasoning, and calls with their arguments.
func EstimateTokens(m rollout.Message) int {
	chars := utf8.RuneCountInString(m.Content)
	if m.Role == rollout.RoleAssistant {
		chars += utf8.RuneCountInString(m.Reasoning)
		for _, c := range m.ToolCalls {
			chars += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(compactJSON(c.Arguments, asIs))
		}
	}
	return (2*chars + 6) / 7
}

// EstimateContext guesses the ids of the next prompt: what the last turn of
// this context version held, prompt and reply, by the server's own count, and
// estimates of the messages since; estimates of all messages without one.
func EstimateContext(rs rollout.State) int {
	tokens, from := 0, 0
	if prev := rs.Live(); prev != nil && prev.Context.Len() > 0 {
		tokens, from = prev.Context.Len(), min(prev.Covers, rs.Messages.Len())
	}
	for _, m := range rs.Messages.From(from) {
		tokens += EstimateTokens(m)
	}
	return tokens
}
