package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"focus/bench/trees"
	"focus/dataset"
	"focus/internal/job"
	"focus/rollout"
)

// treeWorlds are where strategies are compared.
var treeWorlds = []struct {
	name string
	set  []string
}{
	{"calculator", []string{"env={kind: calculator, split: heldout}", "context={kind: append_only}", "agent={max_steps: 12, max_tokens: 96}"}},
	{"countdown", []string{"env={kind: countdown, split: heldout}", "context={kind: segments, tokens: 4}", "agent={max_steps: 12}"}},
}

// Marks of the part of a document that the command writes.
const (
	treesBegin = "<!-- focus bench trees: begin -->\n"
	treesEnd   = "<!-- focus bench trees: end -->\n"
)

func benchTreesCommand() *cobra.Command {
	var jobs, update string
	var tasks int
	c := &cobra.Command{
		Use:   "trees",
		Short: "Compare search strategies with independent rollouts at equal tokens",
		Long: `Trees plays the strategy of every job file in a folder on calculator and countdown
with the embedded policy, then enough independent rollouts of the same tasks, and
compares each task's tree with as many of them as took the same generated tokens.
It prints a Markdown table, each entry as tree / independent, and with --update
writes it into a document, between its two marks.`,
		Args: exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if tasks < 1 {
				return refused(fmt.Errorf("--tasks is %d, must be at least 1", tasks))
			}
			files, err := filepath.Glob(filepath.Join(jobs, "*.yaml"))
			if err != nil || len(files) == 0 {
				return refused(errors.Join(err, fmt.Errorf("--jobs: %s holds no job files", jobs)))
			}
			var out bytes.Buffer
			for _, w := range treeWorlds {
				rows, left, err := compareTrees(c.Context(), files, w.set, tasks)
				if err != nil {
					return &exit{ExitBroke, fmt.Errorf("%s: %w", w.name, err)}
				}
				fmt.Fprintf(&out, "\n`%s`, %d tasks, %s:\n\n", w.name, tasks, strings.Join(w.set[1:], ", "))
				if err := trees.WriteMarkdown(&out, rows); err != nil {
					return &exit{ExitBroke, err}
				}
				if len(left) > 0 {
					fmt.Fprintf(&out, "\nNot for this world: %s.\n", strings.Join(left, ", "))
				}
			}
			if update != "" {
				if err := replaceMarked(update, out.String()+"\n"); err != nil {
					return refused(err)
				}
			}
			if _, err := c.OutOrStdout().Write(out.Bytes()); err != nil {
				return &exit{ExitBroke, err}
			}
			return nil
		},
	}
	c.Flags().StringVar(&jobs, "jobs", "examples/search", "a `folder` of job files, one for each strategy")
	c.Flags().StringVar(&update, "update", "", "a `file` to write the table into, between its marks")
	c.Flags().IntVar(&tasks, "tasks", 32, "tasks of each world")
	return c
}

// compareTrees plays the strategy of each file on one world. left names those
// that the world cannot serve.
func compareTrees(ctx context.Context, files, set []string, tasks int) (rows []trees.Row, left []string, err error) {
	dir, err := os.MkdirTemp("", "focus-trees-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	set = append([]string{fmt.Sprintf("tasks={count: %d}", tasks), "policy={kind: tinylm}", "seed=1"}, set...)
	runs := map[string]map[rollout.TaskID]*trees.Task{}
	var names []string
	most, perLeaf := 0, 0.0
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".yaml")
		if name == "group" {
			continue
		}
		run, err := playTrees(ctx, f, filepath.Join(dir, name), set)
		if u, ok := errors.AsType[*unfit](err); ok {
			left = append(left, fmt.Sprintf("`%s` (%s)", name, u.reason))
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f, err)
		}
		runs[name], names = run, append(names, name)
		for _, t := range run {
			most = max(most, t.Tokens)
		}
	}
	// One rollout of each task says how many make up the dearest tree.
	group, err := playTrees(ctx, files[0], filepath.Join(dir, "few"), slices.Concat(set, []string{"search={kind: group, size: 4}", "credit={kind: grpo}"}))
	if err != nil {
		return nil, nil, err
	}
	for _, t := range group {
		perLeaf += float64(t.Tokens) / 4 / float64(len(group))
	}
	size := 8 + int(1.5*float64(most)/max(1, perLeaf))
	group, err = playTrees(ctx, files[0], filepath.Join(dir, "group"), slices.Concat(set, []string{fmt.Sprintf("search={kind: group, size: %d}", size), "credit={kind: grpo}"}))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		rows = append(rows, trees.Compare(name, runs[name], group))
	}
	return rows, left, nil
}

// unfit says that a world cannot serve a strategy.
type unfit struct{ reason string }

func (e *unfit) Error() string { return e.reason }

// playTrees plays a job and reads what it wrote.
func playTrees(ctx context.Context, file, dir string, set []string) (out map[rollout.TaskID]*trees.Task, err error) {
	plan, err := job.Load(Builtin(), file, set)
	if err != nil {
		return nil, err
	}
	strategy, err := Builtin().Strategies.Build(job.Deps{}, plan.Config.Search)
	if err != nil {
		return nil, err
	}
	if strategy.Segments() && plan.Config.Context.Kind != "segments" {
		return nil, &unfit{"it branches within a reply"}
	}
	live, err := plan.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, live.Close()) }()
	if _, err := live.Run(ctx, job.Options{Out: dir}); err != nil {
		return nil, err
	}
	return trees.Read(dir)
}

// replaceMarked writes text between the marks of a document.
func replaceMarked(file, text string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	doc := string(b)
	from, to := strings.Index(doc, treesBegin), strings.Index(doc, treesEnd)
	if from < 0 || to < from {
		return fmt.Errorf("--update: %s has no lines %q and %q", file, strings.TrimSpace(treesBegin), strings.TrimSpace(treesEnd))
	}
	return dataset.WriteFile(file, []byte(doc[:from]+treesBegin+text+doc[to:]))
}
