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
// calls. A reply that ends with "…" is given up by the server there.
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

func (s scenario) script() policytest.Script {
	out := make([][]rollout.TokenID, len(s.Replies))
	for i, r := range s.Replies {
		r = strings.TrimSuffix(r, "\n")
		if said, aborted := strings.CutSuffix(r, "…"); aborted {
			out[i] = policytest.Encode(said)
			continue
		}
		if strings.HasPrefix(r, "@") {
			var calls []string
			for _, line := range strings.Split(r, "\n") {
				calls = append(calls, asCall(line))
			}
			r = strings.Join(calls, "\n")
		}
		out[i] = append(policytest.Encode(r), policytest.IMEnd)
	}
	return policytest.Replay(out...)
}

func asCall(line string) string {
	name, args, _ := strings.Cut(strings.TrimPrefix(line, "@"), " ")
	if !strings.HasPrefix(args, "{") {
		args = fmt.Sprintf(`{"page": %q}`, args)
	}
	return call(name, args)
}

// pagesTrigger is a user's own trigger, chosen from YAML like the others. Nothing
// relieves it: it fires once more than More pages were read.
type pagesTrigger struct {
	More int `yaml:"more"`
}

func (t pagesTrigger) Fires(_ rollout.Tokens, state any) bool {
	return state.(env.Episode[looked]).State.Pages > t.More
}

// kinds are the kinds of a job file, and the trigger above.
func kinds() *cmd.Registry {
	r := cmd.Builtin()
	cmd.RegisterTrigger(r, "pages", "so many pages were read", func(t pagesTrigger) (contexts.Trigger, error) { return t, nil })
	return r
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
			got := playScenario(t, file, in).trace(t)
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(in+traceMark+got), 0o644))
				return
			}
			require.Equal(t, want, got)
		})
	}
}

// played is a scenario with what came of it.
type played struct {
	scenario
	manager contexts.Manager
	end     rollout.State
}

func playScenario(t *testing.T, file, text string) played {
	doc, err := config.Parse(filepath.Base(file), []byte(text))
	require.NoError(t, err)
	var p played
	require.NoError(t, doc.Decode(&p.scenario))
	p.manager, err = kinds().Managers.Build(job.Deps{}, p.Manager)
	require.NoError(t, err)
	p.World.Pages = p.Pages
	if p.Window == 0 {
		p.Window = policytest.DefaultWindow
	}
	var final *bool
	if p.NoFinal {
		final = new(bool)
	}
	pol := policytest.NewScriptedWindow(p.script(), p.Window)
	a, err := agent.New(agent.Config{
		Policy: pol, Env: world(t, p.World), Context: p.manager, MaxSteps: p.Steps, MaxTokens: p.MaxReply, FinalAnswer: final,
	})
	require.NoError(t, err)
	p.end = play(t, a)
	require.LessOrEqual(t, pol.Calls(), int64(len(p.Replies)), "the scenario has fewer replies than the rollout asked for")
	checkLog(t, p.end, p.manager)
	return p
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
