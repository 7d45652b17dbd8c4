package cmd

import (
	"github.com/spf13/cobra"

	"focus/dataset"
	"focus/internal/job"
)

func verifyCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify RUN",
		Short: "Prove a finished run and print the digest of its rows",
		Long: `Verify reads every shard that the manifest names and checks hashes, counts, prefix
chains, that no sampled token trains twice, masks and nulls. The digest does not
depend on the order of rows, on times, attempts or servers: the same job with the
same seed and the embedded policy has the same digest at any concurrency.`,
		Args: exactly(1, "one run folder"),
		RunE: func(c *cobra.Command, args []string) error {
			report, err := dataset.Verify(args[0])
			if err != nil {
				return refused(err)
			}
			if err := job.CheckRunFile(args[0], report.RunID); err != nil {
				report.Problems = append(report.Problems, dataset.Problem{File: "run.json", Row: -1, Check: "run file", Detail: err.Error()})
			}
			if asJSON {
				err = printJSON(c.OutOrStdout(), report)
			} else {
				err = report.WriteText(c.OutOrStdout())
			}
			switch {
			case err != nil:
				return &exit{ExitBroke, err}
			case !report.OK():
				return &exit{ExitProblems, nil}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

func schemaCommand(r *Registry) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of a job file",
		Args:  exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := printJSON(c.OutOrStdout(), r.Schema()); err != nil {
				return &exit{ExitBroke, err}
			}
			return nil
		},
	}
}

func versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of focus and of its file format",
		Args:  exactly(0, "none"),
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(c.OutOrStdout(), map[string]any{"version": job.Version(), "format": dataset.FormatVersion})
			}
			c.Printf("focus %s, format %d\n", job.Version(), dataset.FormatVersion)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}
