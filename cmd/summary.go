package cmd

import (
	"fmt"
	"io"
	"strings"

	"focus/internal/job"
)

// printSummary prints a finished run for a person, or as JSON.
func printSummary(w io.Writer, s job.Summary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	v := s.Verified
	line("run", "%s in %.1f s", s.RunID, s.Elapsed)
	line("rollouts", "%d in %d groups of %d tasks; %d failed, %d groups dropped", s.Finished, s.Groups, s.Tasks, s.Failed, s.Dropped)
	if s.Scored > 0 {
		line("success", "%s (%d of %d scored), mean reward %.3f", percent(s.Solved, s.Scored), s.Solved, s.Scored, mean(s.Reward, s.Scored))
	} else {
		line("success", "no rollout was scored")
	}
	line("turns", "%d, mean %.2f a rollout; %.0f turns/s", s.Turns, mean(float64(s.TaskTurns), s.Finished), rate(s.Turns, s.Elapsed))
	line("tokens", "%d generated, %.0f tokens/s; %d prompt tokens sent", s.Tokens, rate(s.Tokens, s.Elapsed), s.PromptTokens)
	line("stops", "%s", causes(s.Stops))
	if len(s.Visible) > 0 {
		line("told", "%s", causes(s.Visible))
	}
	if len(s.Failures) > 0 {
		line("failures", "%s; %d retries", causes(s.Failures), s.Retries)
	}
	if asked := s.Valued + s.Unvalued; asked > 0 {
		line("values", "%d of %d checkpoints have one", s.Valued, asked)
	}
	if len(s.ValueFailures) > 0 {
		line("no value", "%s", causes(s.ValueFailures))
	}
	if s.Rewrites > 0 {
		line("rewrites", "%d prompts where the template renders the history otherwise than it was sampled", s.Rewrites)
	}
	for _, w := range s.Warnings {
		line("warning", "%s", w)
	}
	line("files", "%s: %d shards, %d bytes, %d samples, %d nodes", s.Dir, v.Shards, v.Bytes, v.Samples, v.Nodes)
	line("trainable", "%d tokens of %d", v.LossTokens, v.Tokens)
	if v.RunID != "" && v.OK() {
		line("verified", "digest %s", v.Digest)
	}
	if s.Stopped {
		line("stopped", "before the last task; what is above is written and whole")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func rate(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}
