package contexts_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	contexts "focus/context"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

// viewed reads a conversation of one letter an entry, each entry worth 2 tokens:
// u a user, a an assistant, c an assistant with a call, r its result, x a result
// of no call, s the summary at the head, - an entry that puts nothing into the
// context.
func viewed(letters string) contexts.View {
	v := contexts.View{Head: strings.HasPrefix(letters, "s")}
	call := rollout.ToolCall{Arguments: json.RawMessage("{}"), Name: "seven"}
	for i, letter := range strings.Fields(letters) {
		var entry []rollout.Message
		switch letter {
		case "u", "s":
			entry = append(entry, rollout.User("1234567"))
		case "a":
			entry = append(entry, rollout.Assistant("1234567"))
		case "c":
			call.ID = fmt.Sprint("call", i)
			entry = append(entry, rollout.Message{Role: rollout.RoleAssistant, ToolCalls: []rollout.ToolCall{call}})
		case "r":
			entry = append(entry, rollout.ToolResult(call, "1234567"))
		case "x":
			entry = append(entry, rollout.ToolResult(rollout.ToolCall{ID: "other"}, "1234567"))
		}
		v.Entries = append(v.Entries, entry)
	}
	return v
}

func TestSelectCut(t *testing.T) {
	for _, tc := range []struct {
		name    string
		entries string
		keep    int
		cut     int // -1 for none
	}{
		{"nothing was said", "", 0, -1},
		{"keeps at least so many", "u a u a", 2, 3},
		{"and one more entry for one more token", "u a u a", 3, 2},
		{"keeps one entry when told none", "u a", 0, 1},
		{"all of it is recent", "u a u a", 9, -1},
		{"nothing would be left to summarise", "u a u a", 8, -1},
		{"a result is no beginning: the next place", "u c r a", 4, 3},
		{"there is none after it: the last one before", "u c r", 2, 1},
		{"and nothing before that", "c r", 2, -1},
		{"a user between a call and its result", "u c u r a", 6, 4},
		{"a user after a call and its result", "u c r u a", 4, 3},
		{"a result that comes after the next reply is not waited for", "u c u a r", 6, 2},
		{"a result of another call is not waited for", "u c u x a", 6, 2},
		{"no place at all", "x x x", 2, -1},
		{"the summary at the head is never cut off alone", "s u a u a", 8, -1},
		{"nor counted as kept", "s u a u a", 10, -1},
		{"it is summarised with what follows", "s u a u a", 4, 3},
		{"entries without messages are nothing to summarise", "- - a", 2, -1},
		{"and no place for a cut", "u - a", 3, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cut, ok := contexts.SelectCut(viewed(tc.entries), tc.keep)
			if !ok {
				cut = -1
			}
			require.Equal(t, tc.cut, cut, "%q, %d tokens kept", tc.entries, tc.keep)
		})
	}
}

func TestOrderToolResults(t *testing.T) {
	calls := func(ids ...string) rollout.Message {
		m := rollout.Assistant("")
		for _, id := range ids {
			m.ToolCalls = append(m.ToolCalls, rollout.ToolCall{ID: id, Name: "f"})
		}
		return m
	}
	result := func(id string) rollout.Message {
		return rollout.ToolResult(rollout.ToolCall{ID: id, Name: "f"}, "of "+id)
	}
	missing := func(id string) rollout.Message {
		return rollout.ToolResult(rollout.ToolCall{ID: id, Name: "f"}, contexts.MissingResult)
	}
	u, a := rollout.User("u"), rollout.Assistant("a")
	for _, tc := range []struct {
		name      string
		got, want []rollout.Message
	}{
		{"in call order", []rollout.Message{calls("1", "2"), result("2"), result("1")}, []rollout.Message{calls("1", "2"), result("1"), result("2")}},
		{"right after the reply", []rollout.Message{calls("1"), u, result("1")}, []rollout.Message{calls("1"), result("1"), u}},
		{"one is missing", []rollout.Message{calls("1", "2"), result("2")}, []rollout.Message{calls("1", "2"), missing("1"), result("2")}},
		{"too late", []rollout.Message{calls("1"), a, result("1")}, []rollout.Message{calls("1"), missing("1"), a}},
		{"of no call", []rollout.Message{u, result("9"), a}, []rollout.Message{u, a}},
	} {
		require.Equal(t, tc.want, contexts.OrderToolResults(tc.got), tc.name)
	}
	v := contexts.View{Entries: [][]rollout.Message{{calls("1"), u}, {result("1")}, {a}}}
	require.Equal(t, []rollout.Message{calls("1"), result("1"), u}, contexts.Summarized(v, 2), "of the entries before the cut")
}

func TestEstimateTokens(t *testing.T) {
	call := rollout.ToolCall{Name: "look", Arguments: json.RawMessage(`{ "a" : 1 }`)}
	for _, tc := range []struct {
		name string
		m    rollout.Message
		want int
	}{
		{"nothing", rollout.User(""), 0},
		{"rounded up", rollout.User("a"), 1},
		{"3.5 characters each", rollout.User("1234567"), 2},
		{"and one more", rollout.User("12345678"), 3},
		{"characters, not bytes", rollout.User("漢字漢字漢字漢"), 2},
		{"reasoning counts", rollout.Message{Role: rollout.RoleAssistant, Content: "1234", Reasoning: "567"}, 2},
		{"a call counts with its arguments, without blanks", rollout.Message{Role: rollout.RoleAssistant, ToolCalls: []rollout.ToolCall{call}}, 4},
		{"of an assistant only", rollout.Message{Role: rollout.RoleUser, Reasoning: "1234567", ToolCalls: []rollout.ToolCall{call}}, 0},
	} {
		require.Equal(t, tc.want, contexts.EstimateTokens(tc.m), tc.name)
	}
}

func TestEstimateContext(t *testing.T) {
	a := prefixAgent(t, small(), policytest.Say(look("a")))
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	require.Equal(t, 6+5, contexts.EstimateContext(s), "19 and 16 characters at 3.5 each")
	s, err = a.Step(t.Context(), s)
	require.NoError(t, err)
	result := s.Messages.At(3)
	require.Equal(t, s.Last().Context.Len()+contexts.EstimateTokens(result), contexts.EstimateContext(s), "measured, and what came since")
	s = s.Rewritten(s.Seed)
	require.Equal(t, 11, contexts.EstimateContext(s), "a measurement of another context version does not count")
}

// A policy that gives no ids is asked to compact by the estimate.
func TestAPromptWithoutIDsIsEstimated(t *testing.T) {
	m := prefix(t, small())
	a := prefixAgent(t, small(), policytest.Say(look("a"), look("b")))
	s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
	require.NoError(t, err)
	for range 2 {
		require.LessOrEqual(t, contexts.EstimateContext(s), 400)
		require.False(t, m.ShouldCompact(s, policy.Prompt{}, a))
		s, err = a.Step(t.Context(), s)
		require.NoError(t, err)
	}
	require.Greater(t, contexts.EstimateContext(s), 400)
	require.True(t, m.ShouldCompact(s, policy.Prompt{}, a))
	require.False(t, m.ShouldCompact(s, policy.Prompt{Tokens: prompt(400)}, a), "ids are counted where there are any")
}

// conversation is any sequence of users, replies and complete results.
func conversation(rt *rapid.T) contexts.View {
	var v contexts.View
	n := 0
	for range rapid.IntRange(1, 12).Draw(rt, "turns") {
		if rapid.Bool().Draw(rt, "asked") {
			v.Entries = append(v.Entries, []rollout.Message{rollout.User(rapid.StringN(0, 40, -1).Draw(rt, "words"))})
		}
		m := rollout.Assistant("a reply")
		var results [][]rollout.Message
		for range rapid.IntRange(0, 3).Draw(rt, "calls") {
			n++
			c := rollout.ToolCall{ID: fmt.Sprint(n), Name: "f", Arguments: json.RawMessage("{}")}
			m.ToolCalls = append(m.ToolCalls, c)
			results = append(results, []rollout.Message{rollout.ToolResult(c, rapid.StringN(0, 60, -1).Draw(rt, "result"))})
		}
		v.Entries = append(append(v.Entries, []rollout.Message{m}), results...)
	}
	return v
}

// No cut ever separates a call from its result, whatever the conversation.
func TestCutsSplitNoCall(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := conversation(rt)
		cut, ok := contexts.SelectCut(v, rapid.IntRange(0, 200).Draw(rt, "keep"))
		if !ok {
			return
		}
		called := map[string]bool{}
		for _, entry := range v.Entries[cut:] {
			for _, c := range entry[0].ToolCalls {
				called[c.ID] = true
			}
			if entry[0].Role == rollout.RoleTool {
				require.True(rt, called[entry[0].ToolCallID], "the result of a call that was cut off is kept")
			}
		}
	})
}

// A compaction leaves nothing to cut, whatever the summary: so it is never asked
// for again before something new was said.
func TestNothingToCutAfterACompaction(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := conversation(rt)
		keep := rapid.IntRange(0, 200).Draw(rt, "keep")
		cut, ok := contexts.SelectCut(v, keep)
		if !ok {
			return
		}
		summary := rollout.User(rapid.StringN(0, 400, -1).Draw(rt, "summary"))
		after := contexts.View{Head: true, Entries: append([][]rollout.Message{{summary}}, v.Entries[cut:]...)}
		again, ok := contexts.SelectCut(after, keep)
		require.False(rt, ok, "cut at %d, then at %d", cut, again)
	})
}
