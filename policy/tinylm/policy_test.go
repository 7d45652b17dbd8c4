package tinylm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

func startPolicy(t *testing.T, c PolicyConfig) *Policy {
	t.Helper()
	p, err := NewPolicy(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

func TestPolicyConforms(t *testing.T) {
	policytest.Run(t, func(t *testing.T) policy.Policy { return startPolicy(t, PolicyConfig{}) })
}

func TestPolicyRefusals(t *testing.T) {
	p := startPolicy(t, PolicyConfig{})
	full := policy.Prompt{Tokens: rollout.NewTokens(make([]rollout.TokenID, p.Window())...)}
	sp := rollout.DefaultSampling()
	sp.MaxTokens = 1
	_, err := p.Generate(context.Background(), full, sp)
	require.ErrorIs(t, err, policy.ErrContextFull)
	var refused *policy.Error
	require.ErrorAs(t, err, &refused)
	require.False(t, refused.Temporary())

	sp.MaxTokens = 0
	_, err = p.Generate(context.Background(), policy.Prompt{Tokens: rollout.NewTokens(1)}, sp)
	require.ErrorAs(t, err, &refused)

	gone, cancel := context.WithCancel(context.Background())
	cancel()
	sp.MaxTokens = 1
	_, err = p.Generate(gone, policy.Prompt{Tokens: rollout.NewTokens(1)}, sp)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPolicyConfigIsChecked(t *testing.T) {
	_, err := NewPolicy(PolicyConfig{Logprobs: "cooked"})
	require.ErrorContains(t, err, `logprobs: "cooked"`)
	_, err = NewPolicy(PolicyConfig{Model: "testdata/nothing"})
	require.ErrorContains(t, err, "testdata/nothing")
}

func TestBundledCheckpoint(t *testing.T) {
	p := startPolicy(t, PolicyConfig{Logprobs: rollout.LogprobsRaw})
	require.GreaterOrEqual(t, p.Window(), 2048)
	d := p.Describe()
	require.Equal(t, "raw", d.LogprobMode)
	require.Equal(t, "bundled", d.Model)
	text, _ := p.Decode(p.StopIDs())
	require.Equal(t, "<|im_end|>", text)
	require.Equal(t, p.StopIDs(), p.Engine().Model().EOS)
}

func TestLogitsOfBundledCheckpointAgreeWithTransformers(t *testing.T) {
	m, err := LoadFS(Bundled())
	require.NoError(t, err)
	checkGolden(t, m, "logits-bundled.json.gz")
}
