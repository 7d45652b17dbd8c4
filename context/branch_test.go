package contexts_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"focus/agent"
	contexts "focus/context"
	"focus/env"
	"focus/policy/policytest"
	"focus/rollout"
)

// rewriting is every kind of manager that rewrites, made to do so every other
// step of the world.
func rewriting(t testing.TB) map[string]contexts.Manager {
	recent, err := contexts.NewKeepRecent(2, contexts.StateCounter{})
	require.NoError(t, err)
	spaces, err := env.MemoryWorkspaces(env.MemoryConfig{})
	require.NoError(t, err)
	return map[string]contexts.Manager{
		"summarize":                    summarize(t, contexts.SummarizeConfig{Trigger: contexts.StateCounter{}}),
		"summarize, a fold's own room": summarize(t, contexts.SummarizeConfig{Trigger: contexts.StateCounter{}, FoldWorkspace: spaces}),
		"prefix_summary":               prefix(t, contexts.PrefixSummaryConfig{Window: 700, ReserveTokens: 200, KeepRecentTokens: 10}),
		"keep_recent":                  recent,
		"context_tools":                tools(t),
	}
}

// roomed is every kind of workspace.
func roomed(t testing.TB, parent string) map[string]env.Workspaces {
	memory, err := env.MemoryWorkspaces(env.MemoryConfig{})
	require.NoError(t, err)
	directory, err := env.DirectoryWorkspaces(env.DirectoryConfig{Parent: parent})
	require.NoError(t, err)
	return map[string]env.Workspaces{"memory": memory, "directory": directory, "none": env.NoWorkspaces()}
}

// byPrompt replies by what it is shown, whoever asks and when. What a fold stores
// is told apart by text.
func byPrompt(stored func(policytest.Call) string) policytest.Script {
	return func(_ context.Context, c policytest.Call) ([]rollout.TokenID, error) {
		shown := c.Text()
		results := strings.Count(shown, "<|im_start|>tool")
		reply := look("a")
		switch {
		case strings.Contains(shown, contexts.SummarizationSystemPrompt):
			reply = fmt.Sprint("summary of ", strings.Count(shown, "[Tool result]"))
		case strings.HasSuffix(shown, "<|im_start|>tool\nstored<|im_end|>\n<|im_start|>assistant\n"):
			reply = "the notes"
		case strings.Contains(shown, "Write the notes that will stand in its place"):
			reply = "the notes"
			if strings.Contains(shown, "Put a text into the workspace") {
				reply = call("store", fmt.Sprintf(`{"name": "n", "text": %q}`, stored(c)))
			}
		case strings.Contains(shown, "drop_messages") && results >= 2:
			reply = call("drop_messages", `{"from": 1, "to": 2}`)
		}
		return append(policytest.Encode(reply), policytest.IMEnd), nil
	}
}

func branching(t testing.TB, m contexts.Manager, spaces env.Workspaces, stored func(policytest.Call) string) *agent.Agent {
	a, err := agent.New(agent.Config{
		Policy: policytest.NewScripted(byPrompt(stored)), Env: world(t, worldConfig{RoundCalls: 2, Spaces: spaces}), Context: m, MaxSteps: 9,
	})
	require.NoError(t, err)
	return a
}

// likeness is all of a rollout that does not name its branch: the log without
// its seeds, the conversation, the end, and what lies in the workspace.
func likeness(t require.TestingT, s rollout.State) []string {
	var out []string
	for turn := range s.Turns() {
		out = append(out, fmt.Sprint(turn.Tag, turn.ContextVersion, turn.Covers, turn.Accepted, turn.Replaced, turn.Finish, turn.Issue,
			text(turn.Prefix().Slice()), text(turn.Sampled())))
	}
	out = append(out, fmt.Sprint(s.Messages.AppendTo(nil)), fmt.Sprint(s.Reason(), s.ContextVersion, s.Compactions, s.Folds(), s.Env))
	return append(out, contents(t, s)...)
}

// contents is what lies in a workspace.
func contents(t require.TestingT, s rollout.State) []string {
	store, ok := s.Workspace.(env.Store)
	if !ok {
		return nil
	}
	names, err := store.List()
	require.NoError(t, err)
	for i, name := range names {
		b, err := store.Read(name)
		require.NoError(t, err)
		names[i] = name + ": " + string(b)
	}
	return names
}

// Every branch folds like its siblings, and like the line it left, whatever goes
// on at the same time; the noise of each is its own.
func TestFoldsAreTheSameOnEveryBranch(t *testing.T) {
	for kind, spaces := range roomed(t, t.TempDir()) {
		for name, m := range rewriting(t) {
			t.Run(name+"/"+kind, func(t *testing.T) {
				a := branching(t, m, spaces, func(policytest.Call) string { return "exact" })
				s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
				require.NoError(t, err)
				s, err = a.Step(t.Context(), s)
				require.NoError(t, err)
				ends := []rollout.State{s}
				for i := range 4 {
					b, err := s.Fork(fmt.Sprint("0.", i))
					require.NoError(t, err)
					ends = append(ends, b)
				}
				var group errgroup.Group
				for i := range ends {
					group.Go(func() (err error) {
						ends[i], err = a.Run(t.Context(), ends[i])
						return err
					})
				}
				require.NoError(t, group.Wait())
				require.GreaterOrEqual(t, ends[0].ContextVersion, 2)
				seeds := map[int64]bool{}
				for _, end := range ends {
					require.Equal(t, likeness(t, ends[0]), likeness(t, end))
					edge, err := end.Edge(s)
					require.NoError(t, err)
					for _, turn := range edge {
						require.False(t, seeds[turn.Sampling.Seed], "two branches draw the same noise")
						seeds[turn.Sampling.Seed] = true
					}
				}
				for _, end := range ends {
					if end.Workspace != nil {
						require.NoError(t, end.Workspace.Close())
					}
				}
			})
		}
	}
}

// Whatever the order in which three branches step and fork, a step of one leaves
// the workspaces of the others as they were: those of siblings, of the line they
// left and of checkpoints.
func TestAFoldTouchesNoOtherBranch(t *testing.T) {
	for kind, spaces := range roomed(t, t.TempDir()) {
		if kind == "none" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			folds := 0
			rapid.Check(t, func(rt *rapid.T) {
				// Every fold stores a text of its own under the same name.
				a := branching(t, rewriting(t)["summarize"], spaces, func(c policytest.Call) string { return fmt.Sprint(c.Sampling.Seed) })
				root, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
				require.NoError(rt, err)
				lines := []rollout.State{root}
				defer func() {
					for _, s := range lines {
						require.NoError(rt, s.Workspace.Close())
					}
				}()
				for range rapid.IntRange(4, 14).Draw(rt, "moves") {
					i := rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
					var before [][]string
					for _, s := range lines {
						before = append(before, contents(rt, s))
					}
					if len(lines) < 3 && rapid.Bool().Draw(rt, "fork") {
						b, err := lines[i].Fork(fmt.Sprint(lines[i].Branch, ".", len(lines)))
						require.NoError(rt, err)
						require.Equal(rt, before[i], contents(rt, b))
						lines, before = append(lines, b), append(before, before[i])
						i = len(lines) - 1
					}
					if lines[i].Done() {
						continue
					}
					next, err := a.Advance(t.Context(), lines[i])
					require.NoError(rt, err)
					if next.Folds() > lines[i].Folds() {
						folds++
						require.NotEqual(rt, before[i], contents(rt, next), "the fold stored something")
					}
					lines[i] = next
					for j := range lines {
						if j != i {
							require.Equal(rt, before[j], contents(rt, lines[j]), "a step of line %d, seen from line %d", i, j)
						}
					}
				}
			})
			require.Greater(t, folds, 20, "too few to say anything")
		})
	}
}

// Sparse checkpoints are the root and the places right after compactions, with
// folds or without, and no others.
func TestSparseCheckpointsAreRightAfterFolds(t *testing.T) {
	for name, m := range rewriting(t) {
		if name == "context_tools" {
			continue // the model rewrites, no compaction does
		}
		t.Run(name, func(t *testing.T) {
			a := branching(t, m, roomed(t, "")["memory"], func(policytest.Call) string { return "x" })
			s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
			require.NoError(t, err)
			require.True(t, a.BranchPoints().Branchable(s), "the root")
			folds := 0
			for !s.Done() {
				next, err := a.Advance(t.Context(), s)
				require.NoError(t, err)
				folded := next.Compactions > s.Compactions
				if folded {
					folds++
					require.Equal(t, s.ContextVersion+1, next.ContextVersion)
				}
				require.Equal(t, folded && !next.Done(), a.BranchPoints().Branchable(next), "after %d turns", next.Len())
				s = next
			}
			require.GreaterOrEqual(t, folds, 2)
		})
	}
	// A fold that came to nothing ends the rollout: nothing goes on from there.
	a := playing(t, worldConfig{RoundCalls: 1}, rewriting(t)["summarize"], 8, look("a"), " ")
	s := play(t, a)
	require.Equal(t, rollout.TagFold, s.Last().Tag)
	require.False(t, a.BranchPoints().Branchable(s))
}

// counted counts workspaces that are open.
type counted struct {
	env.Workspaces
	opened, open *atomic.Int64
}

func (w counted) Open(ctx context.Context, task rollout.Task) (rollout.Workspace, error) {
	ws, err := w.Workspaces.Open(ctx, task)
	w.opened.Add(1)
	w.open.Add(1)
	return closing{ws.(env.Store), w.open}, err
}

type closing struct {
	env.Store
	open *atomic.Int64
}

func (w closing) Close() error { w.open.Add(-1); return w.Store.Close() }

// A workspace for folds is opened for each of them and closed after it, whatever
// came of it, and leaves nothing behind.
func TestFoldWorkspacesAreClosed(t *testing.T) {
	for name, tc := range map[string]struct {
		script policytest.Script
		folds  int64
		fails  bool
	}{
		"accepted, twice": {policytest.Say(look("a"), call("store", `{"name": "n", "text": "x"}`), "notes", look("b"), "notes", "7"), 2, false},
		"rejected":        {policytest.Say(look("a"), call("store", `{"name": "n", "text": "x"}`), " "), 1, false},
		"failed":          {failing(down(), 2, look("a"), call("store", `{"name": "n", "text": "x"}`)), 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			var opened, open atomic.Int64
			m := summarize(t, contexts.SummarizeConfig{
				Trigger: contexts.StateCounter{}, FoldWorkspace: counted{roomed(t, parent)["directory"], &opened, &open},
			})
			a, err := agent.New(agent.Config{Policy: policytest.NewScripted(tc.script), Env: world(t, worldConfig{RoundCalls: 1}), Context: m, MaxSteps: 8})
			require.NoError(t, err)
			s, err := a.Start(t.Context(), rollout.Task{ID: "t"}, "0")
			require.NoError(t, err)
			_, err = a.Run(t.Context(), s)
			require.Equal(t, tc.fails, err != nil, "%v", err)
			require.Equal(t, tc.folds, opened.Load())
			require.Zero(t, open.Load())
			left, err := os.ReadDir(parent)
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}
