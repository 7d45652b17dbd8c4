package contexts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/env"
	"focus/policy/policytest"
	"focus/rollout"
)

// trace writes down what happened, turn by turn.
func (p played) trace(t *testing.T) string {
	var b strings.Builder
	var prev *rollout.Turn
	for turn := range p.end.Turns() {
		writeTurn(&b, prev, turn)
		prev = turn
	}
	writeEnd(t, &b, p.end)
	return b.String()
}

func writeTurn(b *strings.Builder, prev, turn *rollout.Turn) {
	fmt.Fprintf(b, "%s turn, context version %d, %d ids and %d sampled, %s", turn.Tag, turn.ContextVersion, turn.PrefixLen, len(turn.Sampled()), turn.Finish)
	if turn.Tag == rollout.TagFold {
		if turn.Accepted {
			fmt.Fprintf(b, ", accepted for messages [%d, %d)", turn.Replaced.Start, turn.Replaced.End)
		} else {
			b.WriteString(", rejected")
		}
	}
	b.WriteString("\n")
	sent := turn.Prefix()
	given := text(sent.Slice())
	if prev != nil && prev.Tag == turn.Tag && sent.HasPrefix(prev.Context) {
		given = "…" + text(sent.From(prev.Context.Len()))
	}
	writeQuoted(b, "  < ", withoutTools(given))
	writeQuoted(b, "  > ", text(turn.Sampled()))
	if turn.Issue != "" {
		fmt.Fprintf(b, "  issue: %s\n", turn.Issue)
	}
	if turn.Penalty != 0 {
		fmt.Fprintf(b, "  penalty: %.2f\n", turn.Penalty)
	}
}

func writeEnd(t *testing.T, b *strings.Builder, s rollout.State) {
	fmt.Fprintf(b, "end: %s after %d steps, %d compactions, %d accepted folds\n", s.Reason(), s.Steps(), s.Compactions, s.Folds())
	if s.Failure != nil {
		fmt.Fprintf(b, "failure: %s: %s\n", s.Failure.Cause, s.Failure.Detail)
	}
	if r, ok := s.Return(); ok {
		fmt.Fprintf(b, "return: %.2f\n", r)
	}
	if c, ok := s.Env.(env.Counters); ok {
		if left, ok := c.Counter(env.CallsRemaining); ok {
			fmt.Fprintf(b, "calls remaining: %d\n", left)
		}
	}
	if store, ok := s.Workspace.(env.Store); ok {
		names, err := store.List()
		require.NoError(t, err)
		for _, name := range names {
			content, err := store.Read(name)
			require.NoError(t, err)
			fmt.Fprintf(b, "workspace %s: %s\n", name, content)
		}
	}
}

func text(ids []rollout.TokenID) string { return string(policytest.Bytes{}.AppendBytes(nil, ids)) }

func writeQuoted(b *strings.Builder, mark, s string) {
	for _, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		b.WriteString(strings.TrimRight(mark+line, " ") + "\n")
	}
}

// withoutTools leaves the schemas out: every prompt of a rollout repeats them.
func withoutTools(s string) string {
	before, rest, ok := strings.Cut(s, "\n# Tools\n")
	if !ok {
		return s
	}
	_, after, _ := strings.Cut(rest, "<|im_end|>")
	return before + "\n# Tools\n…<|im_end|>" + after
}
