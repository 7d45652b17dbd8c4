package dataset

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Drawing says how a tree is drawn for a person.
type Drawing struct {
	// Width cuts lines, in columns; 0 never.
	Width int
	// Color marks rewards and failures, as ANSI does.
	Color bool
	// All draws each checkpoint on a line of its own. Without it, checkpoints
	// that nothing branched from are one line with what they lead to.
	All bool
}

// WriteText draws the tree: a line for each edge, with its turns and sampled
// tokens, V, the advantage A and the weight w of its tokens, and how the rollout
// ended that ends there.
func (d Drawing) WriteText(w io.Writer, v *TreeView) error {
	p := &pen{Drawing: d, children: map[int32][]*NodeView{}}
	for _, n := range v.Nodes {
		p.children[n.Parent] = append(p.children[n.Parent], n)
	}
	p.head(v)
	for _, root := range p.children[NoParent] {
		p.line("", edge{root}, nil)
		p.below(root, "")
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// pen draws one tree.
type pen struct {
	Drawing
	b        strings.Builder
	children map[int32][]*NodeView
}

// edge is the checkpoints of an unbranched run, in order.
type edge []*NodeView

func (e edge) last() *NodeView { return e[len(e)-1] }

func (p *pen) head(v *TreeView) {
	p.plain("tree %s of task %s, group %s", v.Tree, orNone(string(v.Task)), orNone(string(v.Group)))
	p.plain("strategy %s, estimator %s", orNone(v.Strategy), orNone(v.Estimator))
	var turns, tokens, ends, scored, trained int
	sum := 0.0
	for _, n := range v.Nodes {
		turns, tokens = turns+int(n.Turns), tokens+int(n.Tokens)
		if n.Rollout != "" || failedStatus(n.Status) {
			ends++
		}
		if n.Rollout != "" && n.Invalid == "" {
			trained++
		}
		if n.Reward != nil {
			scored, sum = scored+1, sum+*n.Reward
		}
	}
	text := fmt.Sprintf("%d rollouts, %d trained; %d scored", ends, trained, scored)
	if scored > 0 {
		text += ", mean reward " + short(sum/float64(scored))
	}
	text += fmt.Sprintf("; %d turns, %d sampled tokens", turns, tokens)
	if v.OutcomeAdaptive {
		text += "; search looked at outcomes"
	}
	if v.ZeroSpread {
		text += "; zero spread"
	}
	p.plain("%s", text)
	p.plain("")
}

func orNone(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// below draws what hangs from a checkpoint.
func (p *pen) below(n *NodeView, indent string) {
	kids := p.children[n.Node]
	for i, kid := range kids {
		run := p.run(kid)
		joint, rest := "├─ ", "│  "
		if i == len(kids)-1 {
			joint, rest = "└─ ", "   "
		}
		p.line(indent+joint, run, n)
		p.below(run.last(), indent+rest)
	}
}

// run is the checkpoints from n on to where the tree branches, or something
// other than a turn happened.
func (p *pen) run(n *NodeView) edge {
	out := edge{n}
	for !p.All {
		kids := p.children[out.last().Node]
		if len(kids) != 1 || !sameOrigin(kids[0], n) {
			break
		}
		out = append(out, kids[0])
	}
	return out
}

func sameOrigin(a, b *NodeView) bool {
	return a.Allocator == b.Allocator && a.Pass == b.Pass && a.Proposal == b.Proposal
}

func (p *pen) line(indent string, e edge, parent *NodeView) {
	l := &line{left: p.Width, color: p.Color}
	if room := max(1, p.Width/2); p.Width > 0 && len([]rune(indent)) > room {
		r := []rune(indent)
		indent = "…" + string(r[len(r)-room+1:])
	}
	l.put("", "%s", indent)
	l.put(dim, "#%d", e[0].Node)
	if len(e) > 1 {
		l.put(dim, "…%d", e.last().Node)
	}
	if parent != nil {
		e.describe(l, parent)
	} else {
		l.number("V", e.last().Value)
		l.put("", "  %s", counted(int(e.last().Visits), "visit"))
	}
	p.b.WriteString(strings.TrimRight(l.b.String(), " ") + "\n")
}

func (p *pen) plain(format string, args ...any) {
	l := &line{left: p.Width}
	l.put("", format, args...)
	p.b.WriteString(l.b.String() + "\n")
}

// describe says what an edge was and led to; what matters most comes first.
func (e edge) describe(l *line, parent *NodeView) {
	end := e.last()
	var turns, tokens, folds, rejected, failed int
	for _, n := range e {
		turns, tokens = turns+int(n.Turns), tokens+int(n.Tokens)
		folds, rejected, failed = folds+n.Folds, rejected+n.RejectedFolds, failed+n.FailedCalls
	}
	l.put("", "  %s, %s", counted(turns, "turn"), counted(tokens, "token"))
	end.ending(l)
	if end.Reward == nil {
		l.number("V", end.Value)
	}
	l.span("A", e, func(n *NodeView) []float32 { return n.Advantages })
	l.span("w", e, func(n *NodeView) []float32 { return n.Weights })
	for _, c := range []struct {
		n    int
		what string
	}{{folds, "fold"}, {rejected, "rejected fold"}, {failed, "failed call"}} {
		if c.n > 0 {
			l.put("", "  %s", counted(c.n, c.what))
		}
	}
	l.number("P", e[0].Prior)
	if !sameOrigin(e[0], parent) && e[0].Allocator != "" {
		l.put(dim, "  by %s, pass %d", e[0].Allocator, e[0].Pass)
		if e[0].Proposal != "" && e[0].Proposal != "anchor" {
			l.put(dim, ", law %s", e[0].Proposal)
		}
	}
	if end.Rollout != "" {
		l.put(dim, "  rollout %s", cutText(string(end.Rollout), 8))
	}
}

// ending says how the rollout ended that ends here, or how often search came by.
func (n *NodeView) ending(l *line) {
	switch {
	case failedStatus(n.Status):
		l.put(yellow, "  %s", n.Status)
		return
	case n.Status == StatusOpen:
		l.put(dim, "  left open, %s", counted(int(n.Visits), "visit"))
	case n.Status == StatusExpanded:
		l.put(dim, "  %s", counted(int(n.Visits), "visit"))
	default:
		l.put("", "  %s", n.Status)
	}
	if n.Reward != nil {
		color := green
		if *n.Reward <= 0 {
			color = red
		}
		l.put(color, ", reward %s", short(*n.Reward))
	}
	if n.Invalid != "" {
		l.put(yellow, ", not trained: %s", n.Invalid)
	}
}

// counted is a number of things.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// short is a number in three digits; adding 0 makes −0 plain 0.
func short(x float64) string { return strconv.FormatFloat(x+0, 'g', 3, 64) }

func cutText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// Colours of ANSI.
const (
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// line is a line under way. What does not fit is left out.
type line struct {
	b     strings.Builder
	color bool
	left  int // columns; 0 from the start is no bound
	used  int
	full  bool
}

func (l *line) put(color, format string, args ...any) {
	if l.full = l.full || l.left > 0 && l.used >= l.left; l.full {
		return
	}
	text := strings.Map(printable, strings.ReplaceAll(fmt.Sprintf(format, args...), "\t", " "))
	if r := []rune(text); l.left > 0 && l.used+len(r) > l.left {
		text, l.full = string(r[:max(0, l.left-l.used-1)])+"…", true
	}
	l.used += len([]rune(text))
	if l.color && color != "" {
		text = color + text + plain
	}
	l.b.WriteString(text)
}

// number puts a value that somebody computed.
func (l *line) number(name string, v *float64) {
	if v != nil {
		l.put("", "  %s %s", name, short(*v))
	}
}

// span puts the least and the most of what the turns of an edge have.
func (l *line) span(name string, e edge, of func(*NodeView) []float32) {
	var all []float32
	for _, n := range e {
		all = append(all, of(n)...)
	}
	if len(all) == 0 {
		return
	}
	least, most := short(float64(slices.Min(all))), short(float64(slices.Max(all)))
	if least == most {
		l.put("", "  %s %s", name, least)
		return
	}
	l.put("", "  %s %s to %s", name, least, most)
}
