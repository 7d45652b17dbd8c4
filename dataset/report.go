package dataset

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"focus/rollout"
)

// maxProblems is how many problems a report spells out.
const maxProblems = 1000

// Report is what [Verify] found.
type Report struct {
	RunID    rollout.RunID `json:"run_id"`
	Format   int           `json:"format"`
	Finished bool          `json:"finished"`
	Shards   int           `json:"shards"`
	Bytes    int64         `json:"bytes"`
	// Samples and Nodes are rows; Kinds counts the rows of samples by kind.
	Samples int          `json:"samples"`
	Nodes   int          `json:"nodes"`
	Kinds   map[Kind]int `json:"kinds"`
	Groups  int          `json:"groups"`
	Trees   int          `json:"trees"`
	// Rollouts counts the failed ones too; Failed are those without the right
	// to a reward, Unscored those that nobody computed one for.
	Rollouts int `json:"rollouts"`
	Failed   int `json:"failed"`
	Unscored int `json:"unscored"`
	// Tokens of samples: all, sampled (a shared turn counts in each row), and
	// with loss.
	Tokens        int64 `json:"tokens"`
	SampledTokens int64 `json:"sampled_tokens"`
	LossTokens    int64 `json:"loss_tokens"`
	// IDsSHA256 is the SHA-256 of token_ids of all samples, rows in file order,
	// as little-endian int32 without anything between: what another reader can
	// compute to prove that it reads the same.
	IDsSHA256 string `json:"ids_sha256"`
	// Digest is a SHA-256 of all rows that does not depend on their order, on
	// times, attempts or servers. Empty when a file could not be read.
	Digest   string    `json:"digest"`
	Problems []Problem `json:"problems"`
	// More counts the problems beyond those spelled out.
	More int `json:"more_problems,omitempty"`
}

// Problem is one thing wrong with a run.
type Problem struct {
	// File is relative to the run's directory.
	File string `json:"file"`
	// Row is the row in the file, from 0; -1 when it is about no single row.
	Row int `json:"row"`
	// Check names the rule that is broken.
	Check  string `json:"check"`
	Detail string `json:"detail"`
}

func (p Problem) String() string {
	where := p.File
	if p.Row >= 0 {
		where += fmt.Sprintf(" row %d", p.Row)
	}
	return fmt.Sprintf("%s: %s: %s", where, p.Check, p.Detail)
}

// OK reports whether the run is proved.
func (r Report) OK() bool { return len(r.Problems) == 0 }

func (r *Report) add(p Problem) {
	if len(r.Problems) >= maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, p)
}

// WriteText prints the report for a person.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s\n", p)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "and %d more problems\n", r.More)
	}
	fmt.Fprintf(&b, "run       %s, format %d, %d files, %d bytes\n", r.RunID, r.Format, r.Shards, r.Bytes)
	fmt.Fprintf(&b, "rollouts  %d in %d trees of %d groups; %d failed, %d unscored\n", r.Rollouts, r.Trees, r.Groups, r.Failed, r.Unscored)
	var kinds []string
	for k, n := range r.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, n))
	}
	slices.Sort(kinds)
	fmt.Fprintf(&b, "rows      %d samples (%s), %d nodes\n", r.Samples, strings.Join(kinds, ", "), r.Nodes)
	fmt.Fprintf(&b, "tokens    %d, sampled %d, with loss %d\n", r.Tokens, r.SampledTokens, r.LossTokens)
	fmt.Fprintf(&b, "ids       %s\ndigest    %s\n", r.IDsSHA256, r.Digest)
	verdict := "verified: every row is whole, exact, and trains at most once"
	if !r.OK() {
		verdict = fmt.Sprintf("NOT verified: %d problems", len(r.Problems)+r.More)
	}
	fmt.Fprintln(&b, verdict)
	_, err := io.WriteString(w, b.String())
	return err
}
