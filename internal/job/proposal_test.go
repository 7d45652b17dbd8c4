package job

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"focus/internal/config"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
	"focus/search"
)

// processed is a scripted policy that reports processed logprobs, and scores as
// a function says.
type processed struct {
	*policytest.Scripted
	score func() error
}

func (p processed) Describe() policy.Description {
	d := p.Scripted.Describe()
	d.LogprobMode = string(rollout.LogprobsProcessed)
	return d
}

func (p processed) Generate(ctx context.Context, at policy.Prompt, sp rollout.SamplingParams) (rollout.Completion, error) {
	c, err := p.Scripted.Generate(ctx, at, sp)
	c.LogprobMode = rollout.LogprobsProcessed
	return c, err
}

func (p processed) Score(ctx context.Context, prefix rollout.Tokens, ids []rollout.TokenID) ([]float32, error) {
	if err := p.score(); err != nil {
		return nil, err
	}
	scores, err := p.Scripted.Score(ctx, prefix, ids)
	for i := range scores {
		scores[i] -= 0.5
	}
	return scores, err
}

// unscored hides every ability but those that an agent needs.
type unscored struct {
	policy.Policy
	policy.Decoder
}

// mixed plays a group of 6 whose edges are drawn from two laws.
func mixed(pol policy.Policy) *Registry {
	r := registry(guess)
	config.Register(&r.Policies, "scripted", "", func(Deps, none) (policy.Policy, error) { return pol, nil })
	config.Register(&r.Strategies, "group", "", func(Deps, groupConfig) (search.Strategy, error) {
		hot := rollout.DefaultSampling()
		hot.Temperature = 1.5
		s := search.Group{Size: 6}.Strategy()
		s.Passes[0].Proposal = search.Mixture{Parts: []search.Part{
			{Weight: 1, Law: search.Law{Name: search.AnchorName}}, {Weight: 2, Law: search.Law{Name: "hot", Sampling: &hot}},
		}}
		return s, nil
	})
	return r
}

func TestEdgesOffTheAnchorOweItsLogprobs(t *testing.T) {
	pol := processed{policytest.NewScripted(guess), func() error { return nil }}
	dir := filepath.Join(t.TempDir(), "run")
	sum, err := opened(t, mixed(pol), job).Run(t.Context(), Options{Out: dir})
	require.NoError(t, err)
	require.Equal(t, 36, sum.Finished)
	proposals := map[string]int{}
	law := map[rollout.TreeID]map[int32]string{}
	for _, n := range nodesOf(t, dir) {
		if law[n.Tree] == nil {
			law[n.Tree] = map[int32]string{}
		}
		law[n.Tree][n.Node] = n.Proposal
		proposals[n.Proposal]++
	}
	require.Positive(t, proposals["hot"])
	require.Positive(t, proposals[search.AnchorName])
	for _, s := range samplesOf(t, dir) {
		if law[s.TreeID][s.Branch[1]] == search.AnchorName {
			require.Nil(t, s.AnchorLogprobs)
			require.Equal(t, 1.0, s.Law.Temperature)
			continue
		}
		require.Equal(t, 1.5, s.Law.Temperature)
		for i, lp := range s.Logprobs {
			require.Equal(t, lp-0.5*float32(s.SampledMask[i]), s.AnchorLogprobs[i])
		}
	}
}

func TestLawsThatCannotBeMadeUpForAreRefused(t *testing.T) {
	scores := processed{policytest.NewScripted(guess), func() error { return nil }}
	for name, c := range map[string]struct {
		pol  policy.Policy
		set  []string
		want string
	}{
		"no scorer":           {unscored{scores, scores}, nil, "search: group samples edges off the anchor, which owe an importance ratio, and the policy job.unscored cannot score ids under the anchor"},
		"raw logprobs":        {policytest.NewScripted(guess), nil, "search: group samples edges off the anchor, and the policy reports raw logprobs"},
		"another temperature": {scores, []string{"sampling.temperature=0.7"}, "search: group samples edges off the anchor, and a policy scores ids at temperature 1 without truncation alone"},
		"truncation":          {scores, []string{"sampling.top_p=0.9"}, "top_p 0.9"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(mixed(c.pol), "job.yaml", []byte(job), c.set)
			require.NoError(t, err)
			_, err = p.Open(t.Context())
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\n", "one problem is one line")
		})
	}
}

// A score that could not be had is tried again with its rollout, and changes
// nothing when it then can.
func TestScorerThatFailsIsAFailureOfTheInfrastructure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := func(score func() error, set ...string) Summary {
			pol := processed{policytest.NewScripted(guess), score}
			sum, err := opened(t, mixed(pol), job, set...).Run(t.Context(), Options{Out: filepath.Join(t.TempDir(), "run")})
			require.NoError(t, err)
			return sum
		}
		clean := run(func() error { return nil })
		var calls atomic.Int64
		sum := run(func() error {
			if n := calls.Add(1); n%5 == 0 && n < 60 {
				return &policy.Error{Kind: policy.KindServer, Server: "fake"}
			}
			return nil
		}, "run.retries=9")
		require.Positive(t, sum.Retries)
		require.Equal(t, int(sum.Retries), sum.Failures["server_error"])
		require.Zero(t, sum.Failed)
		require.Equal(t, clean.Verified.Digest, sum.Verified.Digest)

		calls.Store(0)
		sum = run(func() error {
			if calls.Add(1) <= 1 {
				return &policy.Error{Kind: policy.KindRefused, Server: "fake"}
			}
			return nil
		})
		require.Equal(t, 1, sum.Failed, "a refusal is not tried again")
		require.Equal(t, 35, sum.Scored, "and never a reward")
	})
}
