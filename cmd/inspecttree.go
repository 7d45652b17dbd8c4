package cmd

import (
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"focus/dataset"
)

func inspectTree(c *cobra.Command, run *dataset.Run, name string, all, asJSON bool) error {
	tree, err := run.Tree(name)
	if err != nil {
		return refused(err)
	}
	if asJSON {
		err = printJSON(c.OutOrStdout(), tree)
	} else {
		d := drawingFor(c.OutOrStdout())
		d.All = all
		err = d.WriteText(c.OutOrStdout(), tree)
	}
	if err != nil {
		return &exit{ExitBroke, err}
	}
	return nil
}

// drawingFor cuts lines and uses colours on a terminal alone, and no colours
// where NO_COLOR is set (no-color.org).
func drawingFor(w io.Writer) dataset.Drawing {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return dataset.Drawing{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return dataset.Drawing{Width: width, Color: os.Getenv("NO_COLOR") == ""}
}
