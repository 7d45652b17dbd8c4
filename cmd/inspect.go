package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"focus/dataset"
	"focus/policy/tinylm"
	"focus/policy/tokenizer"
	"focus/rollout"
)

func inspectCommand() *cobra.Command {
	var asJSON, all bool
	var folder, tree string
	var cut int
	c := &cobra.Command{
		Use:   "inspect RUN [ROLLOUT | --tree TASK|TREE]",
		Short: "Print a run, one rollout of it, or the tree of one task, for a person",
		Long: `Inspect prints a run in numbers, or one rollout: its turns, tool calls, rewards and
tokens. ROLLOUT is an id or the beginning of one. Ids are shown as text where the
tokenizer is at hand: the embedded model's, or the folder named with --tokenizer;
else the messages are shown.

With --tree it draws the search tree of a task, named by the task's id or the
beginning of a tree_id. A line is an edge: its checkpoints (#), turns and sampled
tokens, how the rollout ended that ends there or how often search came by, the value V
of its end, the advantage A and the weight w of its tokens, folds, failed calls, the
prior P, who asked for it in which pass, and the rollout to look at.`,
		Example: "  focus inspect runs/quickstart\n  focus inspect runs/quickstart 3fa1\n  focus inspect runs/tree-grpo --tree calculator-1-0",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return refused(fmt.Errorf("got %d arguments, want a run folder and perhaps a rollout", len(args)))
			}
			if len(args) == 2 && tree != "" {
				return refused(errors.New("give a rollout or --tree, not both"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			run, err := dataset.Read(args[0])
			if err != nil {
				return refused(err)
			}
			if tree != "" {
				return inspectTree(c, run, tree, all, asJSON)
			}
			if len(args) == 1 {
				return inspectRun(c, run, asJSON)
			}
			return inspectRollout(c, run, args[1], folder, cut, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().StringVar(&tree, "tree", "", "draw the tree of a `task`, or the one whose id begins so")
	c.Flags().BoolVar(&all, "all", false, "draw every checkpoint of a tree on a line of its own")
	c.Flags().StringVar(&folder, "tokenizer", "", "a `folder` with the run's tokenizer.json")
	c.Flags().IntVar(&cut, "max-text", 400, "cut text that was not sampled after so many characters; 0 never")
	return c
}

func inspectRun(c *cobra.Command, run *dataset.Run, asJSON bool) error {
	sum, err := run.Summary()
	if err != nil {
		return refused(err)
	}
	if asJSON {
		err = printJSON(c.OutOrStdout(), sum)
	} else {
		err = sum.WriteText(c.OutOrStdout())
	}
	if err != nil {
		return &exit{ExitBroke, err}
	}
	return nil
}

func inspectRollout(c *cobra.Command, run *dataset.Run, id, folder string, cut int, asJSON bool) error {
	rows, err := run.Rollout(id)
	if err != nil {
		return refused(err)
	}
	if asJSON {
		if err := printJSON(c.OutOrStdout(), rows); err != nil {
			return &exit{ExitBroke, err}
		}
		return nil
	}
	decode, err := decoder(run, folder)
	if err != nil {
		return refused(err)
	}
	if err := (dataset.Inspection{Decode: decode, MaxText: cut}).WriteText(c.OutOrStdout(), rows); err != nil {
		return &exit{ExitBroke, err}
	}
	return nil
}

// decoder is how the run's ids become text; nil when its tokenizer is not at
// hand. A folder that holds another tokenizer is refused.
func decoder(run *dataset.Run, folder string) (func([]rollout.TokenID) string, error) {
	md, err := run.Metadata()
	if err != nil {
		return nil, err
	}
	var dir fs.FS = tinylm.Bundled()
	if folder != "" {
		dir = os.DirFS(folder)
	}
	tok, err := tokenizer.LoadFS(dir)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if tok.Hash() == md.TokenizerSHA256 {
		return tok.Decode, nil
	}
	if folder != "" {
		return nil, errors.New("--tokenizer " + folder + ": this is not the tokenizer that the run was made with")
	}
	return nil, nil
}
