package job

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	contexts "focus/context"
	"focus/dataset"
	"focus/env"
	"focus/env/envtest"
	"focus/internal/config"
	"focus/policy/policytest"
	"focus/rollout"
	"focus/search"
)

// inWorld is the registry of the other tests with a world of its own, chains
// and branches, and a manager that rewrites.
func inWorld(script policytest.Script, world env.Env) *Registry {
	r := registry(script)
	config.Register(&r.Envs, "world", "", func(Deps, none) (env.Env, error) { return world, nil })
	config.Register(&r.Managers, "keep_recent", "", func(Deps, none) (contexts.Manager, error) {
		return contexts.KeepRecent{Base: contexts.Base{Trigger: contexts.PromptTokens{Max: 100}}, Keep: 2}, nil
	})
	config.Register(&r.Strategies, "tree-grpo", "", func(Deps, none) (search.Strategy, error) {
		s := search.TreeGRPO{Trees: 2, Nodes: 6, Rounds: 1}.Strategy()
		s.BranchPoints = rollout.EveryDecision{}
		return s, nil
	})
	return r
}

// treeJob plays 3 trees of 14 rollouts, which branch at every turn.
func treeJob(t *testing.T) string {
	t.Helper()
	rows := filepath.Join(t.TempDir(), "tasks.jsonl")
	require.NoError(t, os.WriteFile(rows, []byte("{\"id\":\"a\",\"prompt\":\"x\"}\n{\"id\":\"b\",\"prompt\":\"y\"}\n{\"id\":\"c\",\"prompt\":\"z\"}\n"), 0o600))
	return fmt.Sprintf("seed: 5\ntasks: {path: %q}\nenv: {kind: world}\npolicy: {kind: scripted}\nsearch: {kind: tree-grpo}\nagent: {max_steps: 5}\nrun: {concurrency: 16}\n", rows)
}

func opened(t *testing.T, r *Registry, text string, set ...string) *Live {
	t.Helper()
	p, err := Parse(r, "job.yaml", []byte(text), set)
	require.NoError(t, err)
	l, err := p.Open(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func call(tool string, arguments any) []rollout.TokenID {
	b, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return reply(fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", tool, b))
}

func reply(text string) []rollout.TokenID { return append(policytest.Encode(text), policytest.IMEnd) }

// noting notes a word that the request's seed decides, or answers.
func noting(_ context.Context, c policytest.Call) ([]rollout.TokenID, error) {
	if c.Sampling.Seed%5 == 0 {
		return reply("done"), nil
	}
	return call("note", map[string]string{"word": fmt.Sprint("w", c.Sampling.Seed%1_000_003)}), nil
}

// samplesOf are the rows of a finished run.
func samplesOf(t *testing.T, dir string) []*dataset.Sample {
	t.Helper()
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	var out []*dataset.Sample
	for s, err := range run.Samples() {
		require.NoError(t, err)
		out = append(out, s)
	}
	return out
}

func nodesOf(t *testing.T, dir string) []*dataset.Node {
	t.Helper()
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	var out []*dataset.Node
	for n, err := range run.Nodes() {
		require.NoError(t, err)
		out = append(out, n)
	}
	return out
}

// seesOwnNotesAlone holds every observation of a row to the words that its own
// line noted before.
func seesOwnNotesAlone(t *testing.T, s *dataset.Sample) {
	t.Helper()
	var said []rollout.Message
	require.NoError(t, json.Unmarshal(s.Messages, &said))
	var words []string
	for _, m := range said {
		for _, c := range m.ToolCalls {
			var arguments struct{ Word string }
			require.NoError(t, json.Unmarshal(c.Arguments, &arguments), "%s", s.Messages)
			words = append(words, arguments.Word)
		}
		if m.Role == rollout.RoleTool {
			require.Equal(t, strings.Join(words, " "), m.Content, "rollout %s", s.RolloutID)
		}
	}
}

func allClosed(t *testing.T, w *envtest.Sessions) {
	t.Helper()
	made, open := w.Count()
	require.Positive(t, made)
	require.Zero(t, open, "sessions are open still, of %d", made)
	require.NoError(t, w.Misused())
}
