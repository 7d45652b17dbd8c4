package credit

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sketch is a forest whose nodes have names. Node 0 is the root "ε".
type sketch struct {
	Forest
	names []string
	at    map[string]int
}

// draw makes one from lines "parent/name=reward"; the root may be left out as a
// parent, "=?" masks a leaf, and no "=" is an inner node.
func draw(lines ...string) *sketch {
	s := &sketch{Forest: Forest{Nodes: []Node{{Parent: NoParent}}}, names: []string{"ε"}, at: map[string]int{"ε": 0}}
	for _, line := range lines {
		n := Node{Turns: 1, Tokens: 1}
		name, reward, scored := strings.Cut(line, "=")
		if parent, rest, nested := strings.Cut(name, "/"); nested {
			n.Parent, name = s.at[parent], rest
		}
		if r, err := strconv.ParseFloat(reward, 64); scored && err == nil {
			n.Reward = &r
		}
		s.at[name] = len(s.Nodes)
		s.names, s.Nodes = append(s.names, name), append(s.Nodes, n)
	}
	return s
}

// with edits nodes by name.
func (s *sketch) with(edit func(*Node), names ...string) *sketch {
	for _, name := range names {
		edit(&s.Nodes[s.at[name]])
	}
	return s
}

func earned(r float64) func(*Node) { return func(n *Node) { n.EdgeReward = r } }
func inTree(id int) func(*Node)    { return func(n *Node) { n.Tree = id } }
func tokens(k int) func(*Node)     { return func(n *Node) { n.Tokens = k } }
func shaped(q float64) func(*Node) { return func(n *Node) { n.Shaping = q } }

// named are numbers by names, "a b c" sharing one.
type named map[string]float64

func (w named) each(visit func(name string, want float64)) {
	for names, want := range w {
		for _, name := range strings.Fields(names) {
			visit(name, want)
		}
	}
}

// exact are the options of the worked examples: eps 0.
func exact(edits ...func(*Options)) Options {
	o := DefaultOptions()
	o.Eps = 0
	for _, edit := range edits {
		edit(&o)
	}
	return o
}

func leafMean(o *Options)            { o.Weighting = LeafMean }
func ddof0(o *Options)               { o.DDof = 0 }
func gamma(g float64) func(*Options) { return func(o *Options) { o.Gamma = g } }
func dropZero(o *Options)            { o.DropZeroSpread = true }
func singleton(s Singleton) func(*Options) {
	return func(o *Options) { o.Singleton = s }
}

// worked is one line of a worked example.
type worked struct {
	name    string
	forest  *sketch
	method  Method
	options Options
	// edges are advantages of edge rows, values V, omegas ω.
	edges, values, omegas named
	// rows are advantages by leaf, one per node of its branch.
	rows map[string][]float64
}

const precision = 1e-6

func check(t *testing.T, cases []worked) {
	t.Helper()
	for _, w := range cases {
		t.Run(w.name, func(t *testing.T) {
			c := estimate(t, w.forest.Forest, w.method, w.options)
			w.edges.each(func(name string, want float64) {
				got := c.Nodes[w.forest.at[name]].Advantage
				require.NotNil(t, got, "advantage of %s", name)
				require.InDelta(t, want, *got, precision, "advantage of %s", name)
			})
			w.values.each(func(name string, want float64) {
				got := c.Nodes[w.forest.at[name]].Value
				require.NotNil(t, got, "value of %s", name)
				require.InDelta(t, want, *got, precision, "value of %s", name)
			})
			w.omegas.each(func(name string, want float64) {
				require.InDelta(t, want, c.Nodes[w.forest.at[name]].Omega, precision, "ω of %s", name)
			})
			for names, want := range w.rows {
				for _, leaf := range strings.Fields(names) {
					require.InDeltaSlice(t, want, row(t, c, w.forest.at[leaf]).Advantages, precision, "row of %s", leaf)
				}
			}
		})
	}
}

// fataler is *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func estimate(t fataler, f Forest, m Method, o Options) *Credit {
	t.Helper()
	c, err := Estimator{m, o}.Estimate(f)
	if err != nil {
		t.Fatalf("%s of %s: %v", m.ID(), show(f), err)
	}
	return c
}

func row(t fataler, c *Credit, leaf int) Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Branch[len(r.Branch)-1] == leaf {
			return r
		}
	}
	t.Fatalf("no row of leaf %d", leaf)
	return Row{}
}

// show writes a forest so that a failure can be drawn again.
func show(f Forest) string {
	var b strings.Builder
	for i, n := range f.Nodes {
		reward := ""
		if n.Reward != nil {
			reward = fmt.Sprintf(" R=%v", *n.Reward)
		}
		fmt.Fprintf(&b, "[%d<-%d tree %d r=%v%s] ", i, n.Parent, n.Tree, n.EdgeReward, reward)
	}
	return b.String()
}
