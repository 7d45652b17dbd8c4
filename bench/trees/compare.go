package trees

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"focus/rollout"
)

// Figures are means over tasks.
type Figures struct {
	// Leaves are trained rollouts with a score; Distinct those whose last
	// replies differ; Effective what they weigh like.
	Leaves, Distinct, Effective float64
	// Mixed is the share of tasks whose leaves are not all worth the same.
	Mixed float64
	// Tokens were sampled.
	Tokens float64
}

// Row compares a strategy with independent rollouts of the same tokens.
type Row struct {
	Strategy string
	// Tasks were compared; Short were left out, as the group had too few
	// tokens.
	Tasks, Short      int
	Tree, Independent Figures
}

// Compare matches the tasks of two runs.
func Compare(strategy string, tree, group map[rollout.TaskID]*Task) Row {
	out := Row{Strategy: strategy}
	for _, id := range slices.Sorted(maps.Keys(tree)) {
		t, g := tree[id], group[id]
		if g == nil || g.Tokens < t.Tokens {
			out.Short++
			continue
		}
		out.Tasks++
		out.Tree.add(*t)
		out.Independent.add(first(g, t.Tokens))
	}
	out.Tree.divide(out.Tasks)
	out.Independent.divide(out.Tasks)
	return out
}

// first is a group cut after the rollouts whose tokens come nearest to a
// number; at least one rollout.
func first(g *Task, tokens int) Task {
	out := Task{ID: g.ID}
	for _, l := range g.Leaves {
		over := out.Tokens + l.Tokens - tokens
		if len(out.Leaves) > 0 && over > tokens-out.Tokens {
			break
		}
		out.Tokens += l.Tokens
		out.Leaves = append(out.Leaves, l)
		out.Effective++
	}
	return out
}

func (f *Figures) add(t Task) {
	replies, rewards := map[string]bool{}, map[float64]bool{}
	for _, l := range t.Leaves {
		replies[l.Reply], rewards[l.Reward] = true, true
	}
	f.Leaves += float64(len(t.Leaves))
	f.Distinct += float64(len(replies))
	f.Effective += t.Effective
	f.Tokens += float64(t.Tokens)
	if len(rewards) > 1 {
		f.Mixed++
	}
}

func (f *Figures) divide(tasks int) {
	n := float64(max(1, tasks))
	f.Leaves, f.Distinct, f.Effective, f.Mixed, f.Tokens = f.Leaves/n, f.Distinct/n, f.Effective/n, f.Mixed/n, f.Tokens/n
}

// WriteMarkdown writes the rows as a table: tree / independent in each column.
func WriteMarkdown(w io.Writer, rows []Row) error {
	var b strings.Builder
	b.WriteString("| strategy | tasks | generated tokens a task | leaves | distinct last replies | mixed-outcome tasks | effective leaves |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		t, i := r.Tree, r.Independent
		fmt.Fprintf(&b, "| `%s` | %d | %.0f / %.0f | %.1f / %.1f | %.1f / %.1f | %.0f %% / %.0f %% | %.1f / %.1f |\n",
			r.Strategy, r.Tasks, t.Tokens, i.Tokens, t.Leaves, i.Leaves, t.Distinct, i.Distinct, 100*t.Mixed, 100*i.Mixed, t.Effective, i.Effective)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}
