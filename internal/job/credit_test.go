package job

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/dataset"
	"focus/internal/config"
	"focus/policy/policytest"
	"focus/rollout"
	"focus/search"
	"focus/search/credit"
)

// tried goes on from each checkpoint of a tree with a probe, an edge that stops
// early and a rollout to the end: shared edges, probes and paths that are left.
type tried struct{}

func (tried) Name() string          { return "tried" }
func (tried) Traits() search.Traits { return search.Traits{Inner: true, OutcomeAdaptive: true} }

func (tried) Open(v *search.View) search.Selector {
	var out wanted
	for n := range v.Tree().Nodes() {
		if n.ID != search.Root && v.Room(n) {
			out = append(out, search.Pick{From: n.ID, Probe: true}, search.Pick{From: n.ID, Decisions: 2}, search.Pick{From: n.ID})
		}
	}
	return &out
}

// wanted are picks made before.
type wanted []search.Pick

func (l *wanted) Next() (search.Pick, bool) {
	if len(*l) == 0 {
		return search.Pick{}, false
	}
	next := (*l)[0]
	*l = (*l)[1:]
	return next, true
}

func (*wanted) Applied(search.Expansion, []*search.Node) {}

// strategies of the tests below.
func strategies() map[string]search.Strategy {
	out := map[string]search.Strategy{
		"group":     search.Group{Size: 4}.Strategy(),
		"tree-grpo": search.TreeGRPO{Trees: 2, Nodes: 3, Rounds: 1, Keep: 2}.Strategy(),
		"tried":     {Name: "tried", Passes: []search.Pass{{Allocator: search.Roots{Count: 3, Keep: true}}, {Allocator: tried{}}}},
		"vineppo":   search.VinePPO{Chains: 3, Probes: 2, Steps: 3}.Strategy(),
		"treerl":    search.DefaultTreeRL().Strategy(),
		"arpo":      search.DefaultARPO().Strategy(),
		"beam":      search.DefaultBeam().Strategy(),
		"best":      search.DefaultBestFirst().Strategy(),
		"puct":      search.DefaultPUCT().Strategy(),
		"refine":    search.DefaultValueRefinement().Strategy(),
	}
	for name, s := range out {
		s.BranchPoints = rollout.EveryDecision{}
		out[name] = s
	}
	return out
}

// estimators are one of each kind of credit: by leaf, by edge, dropped, masked
// and shaped.
func estimators() map[string]Estimator {
	options := func(edit func(*credit.Options)) credit.Options {
		o := credit.DefaultOptions()
		edit(&o)
		return o
	}
	return map[string]Estimator{
		"grpo":  credit.Estimator{Method: credit.Chain{Base: credit.BaseGRPO}, Options: options(func(o *credit.Options) { o.Weighting = credit.LeafMean })},
		"td":    credit.Estimator{Method: credit.TD{Form: credit.TDLOO}, Options: credit.DefaultOptions()},
		"drop":  credit.Estimator{Method: credit.TreeGRPO{Form: credit.TreeGRPOSum}, Options: options(func(o *credit.Options) { o.DropZeroSpread = true })},
		"mask":  credit.Estimator{Method: credit.GAE{Lambda: 0.5}, Options: options(func(o *credit.Options) { o.Overlong = credit.OverlongMask })},
		"shape": Shaped{credit.Estimator{Method: credit.DefaultFoldShape(), Options: credit.DefaultOptions()}, DefaultFoldRules()},
	}
}

// heard keeps what an estimator said.
type heard struct {
	Estimator
	mu  sync.Mutex
	of  map[string]*credit.Credit
	saw map[string]credit.Forest
}

func (h *heard) Estimate(f credit.Forest) (*credit.Credit, error) {
	c, err := h.Estimator.Estimate(f)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of[f.Prompt], h.saw[f.Prompt] = c, f
	return c, err
}

func (h *heard) MarshalJSON() ([]byte, error) { return json.Marshal(h.Estimator) }

// rules lets a shaping estimator be heard.
func (h *heard) rules() FoldRules {
	if s, ok := h.Estimator.(Shaped); ok {
		return s.Rules
	}
	return FoldRules{}
}

// listen runs a job under a strategy and an estimator and reads it back.
func listen(t *testing.T, s search.Strategy, e Estimator, script policytest.Script, set ...string) (*heard, map[rollout.TaskID]*grove) {
	t.Helper()
	h := &heard{Estimator: e, of: map[string]*credit.Credit{}, saw: map[string]credit.Forest{}}
	r := registry(script)
	config.Register(&r.Strategies, "group", "", func(Deps, groupConfig) (search.Strategy, error) { return s, nil })
	config.Register(&r.Estimators, "grpo", "", func(Deps, none) (Estimator, error) { return h, nil })
	p, err := Parse(r, "job.yaml", []byte(job), append([]string{"tasks.count=5"}, set...))
	require.NoError(t, err)
	l, err := p.Open(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	dir := filepath.Join(t.TempDir(), "run")
	sum, err := l.Run(t.Context(), Options{Out: dir})
	require.NoError(t, err)
	require.True(t, sum.Verified.OK(), "%v", sum.Verified.Problems)
	return h, groves(t, dir)
}

// grove is what was written of a task.
type grove struct {
	samples []*dataset.Sample
	nodes   []*dataset.Node
}

func groves(t *testing.T, dir string) map[rollout.TaskID]*grove {
	t.Helper()
	run, err := dataset.Read(dir)
	require.NoError(t, err)
	out, of := map[rollout.TaskID]*grove{}, map[rollout.TreeID]*grove{}
	for s, err := range run.Samples() {
		require.NoError(t, err)
		if of[s.TreeID] == nil {
			of[s.TreeID] = &grove{}
			out[s.TaskID] = of[s.TreeID]
		}
		of[s.TreeID].samples = append(of[s.TreeID].samples, s)
	}
	for n, err := range run.Nodes() {
		require.NoError(t, err)
		of[n.Tree].nodes = append(of[n.Tree].nodes, n)
	}
	require.NotEmpty(t, out)
	return out
}

// turns finds the forest's node of each turn from the files alone: forests hold
// the nodes of a tree in order, each cut into at least one.
func (g *grove) turns(t *testing.T, f credit.Forest) (of [][]int, ends []int) {
	t.Helper()
	at := 0
	for _, n := range g.nodes {
		var turns []int
		for {
			turns = append(turns, slices.Repeat([]int{at}, f.Nodes[at].Turns)...)
			at++
			if len(turns) == int(n.Turns) {
				break
			}
		}
		of, ends = append(of, turns), append(ends, at-1)
	}
	require.Len(t, f.Nodes, at)
	return of, ends
}

// clumsy sometimes calls in a form that cannot be read, else guesses.
func clumsy(ctx context.Context, c policytest.Call) ([]rollout.TokenID, error) {
	if c.Sampling.Seed%4 == 1 {
		return append(policytest.Encode("<tool_call>\n{\"name\": "), policytest.IMEnd), nil
	}
	return guess(ctx, c)
}

// What the estimator said of an edge is on each of its sampled tokens, in every
// row that holds it; what it did not say is not there.
func TestRowsHoldTheCreditOfTheirEdges(t *testing.T) {
	for sname, s := range strategies() {
		for ename, e := range estimators() {
			t.Run(sname+" "+ename, func(t *testing.T) {
				h, written := listen(t, s, e, clumsy, "agent.final_answer=false")
				for task, g := range written {
					checkCredit(t, h, string(task), g)
				}
			})
		}
	}
}

func checkCredit(t *testing.T, h *heard, task string, g *grove) {
	t.Helper()
	c, f := h.of[task], h.saw[task]
	of, ends := g.turns(t, f)
	for _, s := range g.samples {
		require.Equal(t, c.ZeroSpread, s.Info.ZeroSpread)
		if !s.Valid {
			require.NotContains(t, s.LossMask, int8(1), s.Info.Invalid)
		}
		if s.Advantages == nil {
			for _, n := range s.Branch {
				for _, piece := range of[n] {
					require.True(t, !s.Valid || c.Nodes[piece].Advantage == nil)
				}
			}
			continue
		}
		advantages, weights := make([]float32, s.Len()), make([]float32, s.Len())
		for _, turn := range s.Info.Turns {
			n := c.Nodes[of[turn.Node][turn.Turn]]
			for i := turn.At; i < turn.At+turn.N; i++ {
				weights[i] = float32(n.Omega * float64(len(c.Rows)))
				if n.Advantage != nil {
					advantages[i] = float32(*n.Advantage)
				}
			}
		}
		require.Equal(t, advantages, s.Advantages)
		require.Equal(t, weights, s.Weights)
	}
	for i, n := range g.nodes {
		require.Equal(t, c.Nodes[ends[i]].Value, n.Value, "V of node %d", i)
	}
	checkParity(t, c, f, g)
}

// P17: the tokens with loss, weighed, give the sum over edges, and that is the
// sum over the rows of whole rollouts.
func checkParity(t *testing.T, c *credit.Credit, f credit.Forest, g *grove) {
	t.Helper()
	var rows, edges, leaves, size float64
	for _, s := range g.samples {
		for i := range s.Advantages {
			rows += float64(s.Weights[i]) * float64(s.Advantages[i]) * float64(s.LossMask[i])
		}
	}
	for i, n := range c.Nodes {
		if n.Advantage != nil {
			x := n.Omega * float64(len(c.Rows)) * *n.Advantage * float64(f.Nodes[i].Tokens)
			edges, size = edges+x, size+math.Abs(x)
		}
	}
	for _, r := range c.Rows {
		for i, n := range r.Branch {
			leaves += r.Omega * float64(len(c.Rows)) * r.Advantages[i] * float64(f.Nodes[n].Tokens)
		}
	}
	require.InDelta(t, edges, rows, 1e-6*(1+size))
	require.InDelta(t, edges, leaves, 1e-9*(1+size))
}

// The runs above have what they are there for.
func TestWhatTheCreditRunsHold(t *testing.T) {
	count := func(s string, e Estimator, of func(*dataset.Sample) bool) (n int) {
		_, written := listen(t, strategies()[s], e, clumsy, "agent.final_answer=false")
		for _, g := range written {
			for _, row := range g.samples {
				if of(row) {
					n++
				}
			}
		}
		return n
	}
	all := estimators()
	invalid := func(why string) func(*dataset.Sample) bool {
		return func(s *dataset.Sample) bool { return !s.Valid && s.Info.Invalid == why }
	}
	require.Positive(t, count("tried", all["td"], invalid(dataset.InvalidProbe)))
	require.Positive(t, count("tree-grpo", all["grpo"], invalid(dataset.InvalidPruned)))
	require.Positive(t, count("group", all["drop"], invalid(dataset.InvalidZeroSpread)))
	require.Zero(t, count("group", all["grpo"], invalid(dataset.InvalidZeroSpread)))
	require.Positive(t, count("group", all["grpo"], func(s *dataset.Sample) bool { return s.Info.ZeroSpread && s.Valid && s.Advantages != nil }))
	require.Positive(t, count("tree-grpo", all["mask"], invalid(dataset.InvalidOverlong)))
	require.Positive(t, count("tree-grpo", all["grpo"], func(s *dataset.Sample) bool { return s.Truncated && s.Valid && s.Reward != nil }))
	require.Positive(t, count("tried", all["td"], func(s *dataset.Sample) bool { return s.OutcomeAdaptive }))
	require.Zero(t, count("tree-grpo", all["td"], func(s *dataset.Sample) bool { return s.OutcomeAdaptive }))
	require.Positive(t, count("tried", all["td"], func(s *dataset.Sample) bool {
		return s.Valid && slices.Contains(s.SampledMask, 1) && !slices.Equal(s.SampledMask, s.LossMask)
	}), "shared turns, owned elsewhere")
}
