package contexts_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/agent"
	"focus/cmd"
	contexts "focus/context"
	"focus/env"
	"focus/internal/config"
	"focus/internal/job"
	"focus/policy/policytest"
	"focus/rollout"
)

var update = flag.Bool("update", false, "rewrite the traces of the scenarios")

// traceMark stands between a scenario and its trace.
const traceMark = "-- trace --\n"

// scenario is a rollout in text. A reply that begins with "@" is a tool call:
// "@look a" reads a page, "@name {…}" calls any tool; several lines are several
// calls.
type scenario struct {
	Manager  config.Section    `yaml:"manager"`
	World    worldConfig       `yaml:"world"`
	Pages    map[string]string `yaml:"pages"`
	Steps    int               `yaml:"steps"`
	Window   int               `yaml:"window"`
	NoFinal  bool              `yaml:"no_final_answer"`
	MaxReply int               `yaml:"max_tokens"`
	Replies  []string          `yaml:"replies"`
}

func (s scenario) script() []string {
	out := make([]string, len(s.Replies))
	for i, r := range s.Replies {
		r = strings.TrimSuffix(r, "\n")
		if !strings.HasPrefix(r, "@") {
			out[i] = r
			continue
		}
		var calls []string
		for _, line := range strings.Split(r, "\n") {
			name, args, _ := strings.Cut(strings.TrimPrefix(line, "@"), " ")
			if !strings.HasPrefix(args, "{") {
				args = fmt.Sprintf(`{"page": %q}`, args)
			}
			calls = append(calls, call(name, args))
		}
		out[i] = strings.Join(calls, "\n")
	}
	return out
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			in, want, _ := strings.Cut(string(text), traceMark)
			got := traced(t, file, in)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(in+traceMark+got), 0o644))
				return
			}
			require.Equal(t, want, got)
		})
	}
}

// traced plays a scenario and writes down what happened.
func traced(t *testing.T, file, text string) string {
	doc, err := config.Parse(filepath.Base(file), []byte(text))
	require.NoError(t, err)
	var sc scenario
	require.NoError(t, doc.Decode(&sc))
	m, err := cmd.Builtin().Managers.Build(job.Deps{}, sc.Manager)
	require.NoError(t, err)
	sc.World.Pages = sc.Pages
	if sc.Window == 0 {
		sc.Window = policytest.DefaultWindow
	}
	var final *bool
	if sc.NoFinal {
		final = new(bool)
	}
	pol := policytest.NewScriptedWindow(policytest.Say(sc.script()...), sc.Window)
	a, err := agent.New(agent.Config{
		Policy: pol, Env: world(t, sc.World), Context: m, MaxSteps: sc.Steps, MaxTokens: sc.MaxReply, FinalAnswer: final,
	})
	require.NoError(t, err)
	s := play(t, a)
	require.LessOrEqual(t, pol.Calls(), int64(len(sc.Replies)), "the scenario has fewer replies than the rollout asked for")
	checkLog(t, s, m)
	var b strings.Builder
	var prev *rollout.Turn
	for turn := range s.Turns() {
		writeTurn(&b, prev, turn)
		prev = turn
	}
	writeEnd(t, &b, s)
	return b.String()
}

// checkLog holds every scenario to what is true of all of them.
func checkLog(t *testing.T, s rollout.State, m contexts.Manager) {
	seeds := map[int64]bool{}
	for turn := range s.Turns() {
		require.False(t, seeds[turn.Sampling.Seed], "a seed is used twice")
		seeds[turn.Sampling.Seed] = true
		require.Equal(t, turn.Tag == rollout.TagFold, turn.Transition == nil, "fold turns, and no others, are without a transition")
		require.LessOrEqual(t, turn.Penalty, 0.0)
	}
	require.GreaterOrEqual(t, s.Compactions, s.Folds())
	_, compacts := m.(contexts.Compactor)
	require.True(t, compacts || s.Compactions == 0)
	for _, region := range rollout.Regions(s.Turns()) {
		var all []rollout.TokenID
		for piece := range region.Pieces() {
			all = append(all, piece.IDs...)
		}
		require.Equal(t, region.Tokens().Slice(), all)
	}
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
