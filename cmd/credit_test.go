package cmd

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/dataset"
	"focus/internal/config"
	"focus/internal/job"
	"focus/search/credit"
)

// estimator builds the credit section of a job file.
func estimator(t *testing.T, r *Registry, text string) (Estimator, error) {
	t.Helper()
	doc, err := config.Parse("job.yaml", []byte("credit: "+text))
	require.NoError(t, err)
	var c struct {
		Credit config.Section `yaml:"credit"`
	}
	if err := doc.Decode(&c); err != nil {
		return nil, err
	}
	return r.Estimators.Build(job.Deps{}, c.Credit)
}

// half is a user's method: half the reward.
func half(leaves []credit.Leaf, _ []credit.Node) [][]float64 {
	out := make([][]float64, len(leaves))
	for i, l := range leaves {
		out[i] = l.Same(l.Outcome / 2)
	}
	return out
}

func TestCreditByYAML(t *testing.T) {
	r := Builtin()
	RegisterMethod(r, "mine", "half the reward", credit.Func{Name: "mine", Advantages: half})
	options := func(edit func(*credit.Options)) credit.Options {
		o := credit.DefaultOptions()
		if edit != nil {
			edit(&o)
		}
		return o
	}
	prior := 0.5
	for _, tc := range []struct {
		text   string
		method credit.Method
		edit   func(*credit.Options)
	}{
		{"grpo", credit.Chain{Base: credit.BaseGRPO}, nil},
		{"{kind: grpo, ddof: 0, eps: 0, singleton: raw}", credit.Chain{Base: credit.BaseGRPO}, func(o *credit.Options) { o.DDof, o.Eps, o.Singleton = 0, 0, credit.SingletonRaw }},
		{"{kind: drgrpo, drop_zero_spread: true}", credit.Chain{Base: credit.BaseDrGRPO}, func(o *credit.Options) { o.DropZeroSpread = true }},
		{"{kind: rloo, overlong: mask}", credit.Chain{Base: credit.BaseRLOO}, func(o *credit.Options) { o.Overlong = credit.OverlongMask }},
		{"{kind: broadcast, base: rloo}", credit.Broadcast{Base: credit.BaseRLOO}, nil},
		{"redistribute", credit.Redistribute{Base: credit.BaseGRPO}, nil},
		{"{kind: tree-grpo, form: seq, value: leaf-mean}", credit.TreeGRPO{Form: credit.TreeGRPOSeq}, func(o *credit.Options) { o.Weighting = credit.LeafMean }},
		{"subgroup", credit.Subgroup{Form: credit.SubgroupAvg}, nil},
		{"td", credit.TD{Form: credit.TDLOO}, nil},
		{"{kind: td, form: std, gamma: 0.9}", credit.TD{Form: credit.TDStd}, func(o *credit.Options) { o.Gamma = 0.9 }},
		{"{kind: gae, lambda: 0}", credit.GAE{}, nil},
		{"treerl", credit.TreeRL{}, nil},
		{"{kind: shrunk, kappa: 2, prior: 0.5}", credit.Shrunk{Kappa: 2, Prior: &prior}, nil},
		{"{kind: drgrpo, overlong: soft, soft_overlong: {max: 10}}", nil, nil},
		{"{kind: drgrpo, overlong: soft, soft_overlong: {max: 100, buffer: 10}}", credit.Chain{Base: credit.BaseDrGRPO}, func(o *credit.Options) {
			o.Overlong, o.Soft = credit.OverlongSoft, credit.SoftOverlong{Max: 100, Buffer: 10}
		}},
		{"{kind: combine, value: leaf-mean, terms: [{method: broadcast}, {weight: -0.5, method: {kind: td, form: plain}}, {method: {kind: combine, terms: [{method: treerl}]}}]}",
			credit.Combine{Terms: []credit.Term{
				{Weight: 1, Method: credit.Broadcast{Base: credit.BaseGRPO}}, {Weight: -0.5, Method: credit.TD{Form: credit.TDPlain}},
				{Weight: 1, Method: credit.Combine{Terms: []credit.Term{{Weight: 1, Method: credit.TreeRL{}}}}},
			}}, func(o *credit.Options) { o.Weighting = credit.LeafMean }},
	} {
		got, err := estimator(t, r, tc.text)
		if tc.method == nil {
			require.ErrorContains(t, err, "credit.soft_overlong.buffer: 4096, must be at least 1 and at most max, 10", tc.text)
			continue
		}
		require.NoError(t, err, tc.text)
		require.Equal(t, credit.Estimator{Method: tc.method, Options: options(tc.edit)}, got, tc.text)
	}
	got, err := estimator(t, r, "{kind: mine, value: leaf-mean}")
	require.NoError(t, err)
	require.Equal(t, "mine", got.(credit.Estimator).ID())
	require.Equal(t, credit.LeafMean, got.(credit.Estimator).Options.Weighting)
}

func TestFoldByYAML(t *testing.T) {
	rules := job.FoldRules{FailedCall: -0.5, RejectedFold: -1, Unfolded: -1, UnfoldedTokens: 100, NeverFolded: -0.25}
	want := credit.FoldShape{Base: credit.BaseDrGRPO, Lo: -1, Hi: 1}
	text := "{kind: fold, base: drgrpo, lo: -1, failed_call: -0.5, unfolded_tokens: 100, never_folded: -0.25}"
	got, err := estimator(t, Builtin(), text)
	require.NoError(t, err)
	require.Equal(t, job.Shaped{Estimator: credit.Estimator{Method: want, Options: credit.DefaultOptions()}, Rules: rules}, got)
	sum, err := estimator(t, Builtin(), "{kind: combine, terms: [{method: td}, {method: "+text+"}]}")
	require.NoError(t, err)
	require.Equal(t, rules, sum.(job.Shaped).Rules, "a sum shapes as its term does")
	require.Equal(t, "combine(1·tree.td{loo} + 1·fold.shape{drgrpo}(-1,1))", sum.(job.Shaped).ID())
}

func TestCreditProblemsNameTheirKey(t *testing.T) {
	r := Builtin()
	RegisterEstimator(r, "whole", "no method", func(none) (Estimator, error) { return whole{}, nil })
	for text, want := range map[string]string{
		"grbo":                                                       "credit.kind: no credit estimator of kind \"grbo\"",
		"{kind: grpo, base: rloo}":                                   "credit.base: unknown key",
		"{kind: td, forms: loo}":                                     `credit.forms: unknown key; did you mean "form"?`,
		"{kind: td, form: mean}":                                     `credit.form: "mean", must be plain, loo or std`,
		"{kind: td, ddof: 2}":                                        "credit.ddof: 2, must be 0 or 1",
		"{kind: td, eps: -1}":                                        "credit.eps: -1",
		"{kind: td, singleton: one}":                                 `credit.singleton: "one"`,
		"{kind: td, value: mean}":                                    `credit.value: "mean", must be child-mean or leaf-mean`,
		"{kind: td, gamma: 0}":                                       "credit.gamma: 0",
		"{kind: td, overlong: cut}":                                  `credit.overlong: "cut"`,
		"{kind: broadcast, base: ppo}":                               `credit.base: "ppo"`,
		"{kind: gae, lambda: 2}":                                     "credit.lambda: 2",
		"{kind: shrunk, kappa: -1}":                                  "credit.kappa: -1",
		"{kind: subgroup, form: max}":                                `credit.form: "max"`,
		"{kind: fold, hi: 0}":                                        "credit.hi: 0, must be a number above lo, 0",
		"{kind: fold, unfolded_tokens: -1}":                          "credit.unfolded_tokens: -1",
		"{kind: fold, failed_call: .nan}":                            `credit.failed_call: ".nan" is not a finite number`,
		"combine":                                                    "credit.terms: needs at least one",
		"{kind: combine, terms: [{}]}":                               "terms[0].method: missing",
		"{kind: combine, terms: [{kind: td}]}":                       "credit.terms[0].kind: unknown key",
		"{kind: combine, terms: [{weight: .nan, method: td}]}":       `credit.terms[0].weight: ".nan" is not a finite number`,
		"{kind: combine, terms: [{method: {kind: td, form: x}}]}":    `credit.terms[0].method.form: "x"`,
		"{kind: combine, terms: [{method: tdd}]}":                    "credit.terms[0].method.kind",
		"{kind: combine, terms: [{method: {kind: td, gamma: 0.5}}]}": "terms[0]: the options of a term are those of combine",
		"{kind: combine, terms: [{method: whole}]}":                  `terms[0]: "whole" is no method`,
		"{kind: combine, terms: [{method: fold}, {method: {kind: fold, unfolded: 0}}]}": "terms[1]: shapes otherwise",
	} {
		_, err := estimator(t, r, text)
		require.ErrorContains(t, err, want, text)
	}
}

// whole is an estimator that is no method.
type whole struct{}

func (whole) Estimate(f credit.Forest) (*credit.Credit, error) {
	return credit.Estimator{Method: credit.TreeRL{}, Options: credit.DefaultOptions()}.Estimate(f)
}

// Every kind credits a real tree, and its files verify and name it.
func TestEveryEstimatorRuns(t *testing.T) {
	r := Builtin()
	for _, kind := range r.Estimators.Kinds() {
		t.Run(kind, func(t *testing.T) {
			section, dir := "{kind: "+kind+"}", newDir(t)
			if kind == "combine" {
				section = "{kind: combine, terms: [{method: td}, {method: fold}]}"
			}
			sum := ran(t, "../examples/search/tree-grpo.yaml", "--out", dir, "--set", "tasks.count=2", "--set", "credit="+section)
			require.Zero(t, sum.Failed)
			run, err := dataset.Read(dir)
			require.NoError(t, err)
			md, err := run.Metadata()
			require.NoError(t, err)
			e, err := estimator(t, r, section)
			require.NoError(t, err)
			require.Equal(t, e.(interface{ ID() string }).ID(), md.Estimator)
			require.Contains(t, string(md.EstimatorParams), `"value":"child-mean"`)
			require.Equal(t, "tree-grpo", md.Strategy)
			require.Contains(t, string(md.StrategyParams), `"keep":3,"nodes":2,`, "what the job leaves out")
			credited := 0
			for s, err := range run.Samples() {
				require.NoError(t, err)
				for i := range s.Advantages {
					require.False(t, math.IsNaN(float64(s.Advantages[i])))
					credited += int(s.LossMask[i])
				}
			}
			require.Positive(t, credited)
		})
	}
}
