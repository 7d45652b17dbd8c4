package contexts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"focus/agent"
	contexts "focus/context"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

// watched notes how each prompt was made.
type watched struct {
	*policytest.Scripted
	made *[]string
}

func (w watched) Prepare(messages []rollout.Message, tools []rollout.ToolSchema) (policy.Prompt, error) {
	*w.made = append(*w.made, "rendered")
	return w.Scripted.Prepare(messages, tools)
}

func (w watched) Continue(prev *rollout.Turn, all []rollout.Message, tools []rollout.ToolSchema) (policy.Prompt, error) {
	*w.made = append(*w.made, "continued")
	return w.Scripted.Continue(prev, all, tools)
}

// oddCall is a call as no template would write it.
func oddCall(name, arguments string) string {
	return "<tool_call>{\"arguments\":" + arguments + ",\"name\":\"" + name + "\"}</tool_call>"
}

// A fold goes on from its own turns as any rollout does, up to the repair of
// malformed notes: it is one training sequence, and a template that rewrites
// history is handled as the run says.
func TestAFoldContinuesExactly(t *testing.T) {
	m := summarize(t, contexts.SummarizeConfig{Trigger: contexts.StateCounter{}, StructuredSummary: true})
	replies := []string{
		oddCall("look", `{"page":"a"}`), oddCall("store", `{"text":"x","name":"n"}`), " so it is ",
		`{"facts": [], "done": [], "open": [], "next": "go on"}`, "7",
	}
	pol := watched{policytest.NewScripted(policytest.Say(replies...)), &[]string{}}
	a, err := agent.New(agent.Config{Policy: pol, Env: world(t, worldConfig{Want: "7", RoundCalls: 1, Workspace: true}), Context: m, MaxSteps: 8})
	require.NoError(t, err)
	s := play(t, a)
	require.Equal(t, rollout.StopAnswered, s.Reason())
	require.Equal(t, []string{
		"rendered", "continued", // the task's two prompts, the second one folded instead
		"rendered", "continued", "continued", // the fold, its last prompt asks for a repair
		"rendered", "rendered", // the folded context, measured and sent
	}, *pol.made)

	var folds []rollout.Region
	for _, region := range rollout.Regions(s.Turns()) {
		if region.Tag == rollout.TagFold {
			folds = append(folds, region)
		}
	}
	require.Len(t, folds, 1)
	var issues []string
	shown, seeds := text(folds[0].Tokens().Slice()), map[int64]bool{}
	for i, turn := range folds[0].Turns {
		require.Contains(t, shown, replies[1+i]+"<|im_end|>")
		issues, seeds[turn.Sampling.Seed] = append(issues, turn.Issue), true
	}
	require.Equal(t, []string{"", contexts.ReasonMalformed + ": it is not one JSON object", ""}, issues)
	require.Len(t, seeds, 3)
}
