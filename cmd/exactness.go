package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"focus/policy/render/exactness"
)

// exactReport is what exactness prints as JSON.
type exactReport struct {
	Lines []exactness.Line `json:"lines"`
	Same  int              `json:"identical"`
	Total int              `json:"total"`
}

func exactnessCommand() *cobra.Command {
	var chat, tokenizers, convs, corpus string
	var asJSON bool
	c := &cobra.Command{
		Use:   "exactness [--chat DIR] [--tokenizer DIR]",
		Short: "Hold chat templates and tokenizers against answers of the reference",
		Long: `Exactness renders every template of a folder with every conversation, and encodes a
corpus with every tokenizer file of a folder, and compares byte for byte and id for id
with the answers that lie beside them. docs/exactness.md says what the folders hold;
examples/exactness/make.py makes them for any model.

Exit code 1 if anything differs.`,
		Example: "  focus exactness --chat goldens/chat --tokenizer goldens/tokenizer",
		Args:    exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if chat == "" && tokenizers == "" {
				return refused(errors.New("nothing to check: give --chat or --tokenizer a folder"))
			}
			var r exactReport
			add := func(l exactness.Line) error {
				r.Lines = append(r.Lines, l)
				if r.Total++; l.Identical() {
					r.Same++
				}
				if asJSON {
					return nil
				}
				_, err := fmt.Fprintln(c.OutOrStdout(), l)
				return err
			}
			if chat != "" {
				if err := exactness.Templates(chat, convs, add); err != nil {
					return refused(fmt.Errorf("--chat %s: %w", chat, err))
				}
			}
			if tokenizers != "" {
				if err := exactness.Tokenizers(tokenizers, corpus, add); err != nil {
					return refused(fmt.Errorf("--tokenizer %s: %w", tokenizers, err))
				}
			}
			return r.close(c, asJSON)
		},
	}
	c.Flags().StringVar(&chat, "chat", "", "a `folder` of templates, conversations and renders")
	c.Flags().StringVar(&tokenizers, "tokenizer", "", "a `folder` of tokenizer files, a corpus and ids")
	c.Flags().StringVar(&convs, "convs", "", "a `file` of conversations, instead of the folder's convs.json")
	c.Flags().StringVar(&corpus, "corpus", "", "a `file` of strings, instead of the folder's corpus.json")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

// close prints what is left to print and judges.
func (r *exactReport) close(c *cobra.Command, asJSON bool) error {
	if r.Total == 0 {
		return refused(errors.New("the folders hold no template and no tokenizer file"))
	}
	var err error
	if asJSON {
		err = printJSON(c.OutOrStdout(), r)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%d of %d identical\n", r.Same, r.Total)
	}
	if err != nil || r.Same < r.Total {
		return &exit{ExitBroke, err}
	}
	return nil
}
