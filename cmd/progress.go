package cmd

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"focus/internal/job"
)

// plainEvery is how often progress is printed where it cannot be overwritten.
const plainEvery = 5 * time.Second

// progress prints a line that a terminal overwrites, and plain lines elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	quiet    bool
	last     float64
	prev     job.Progress
	wide     int
}

func newProgress(w io.Writer, quiet bool) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, quiet: quiet, terminal: ok && term.IsTerminal(int(f.Fd()))}
}

func (p *progress) report(now job.Progress) {
	if p.quiet || !p.terminal && now.Elapsed-p.last < plainEvery.Seconds() {
		return
	}
	line := progressLine(now, p.prev)
	p.prev, p.last = now, now.Elapsed
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	fmt.Fprintf(p.w, "\r%-*s", p.wide, line)
	p.wide = len(line)
}

func (p *progress) end() {
	if p.terminal && p.wide > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.wide))
	}
}

// progressLine is the state of a run in one line; rates are since prev.
func progressLine(now, prev job.Progress) string {
	dt := max(now.Elapsed-prev.Elapsed, 1e-9)
	done := fmt.Sprintf("%d", now.Finished)
	if now.Rollouts > 0 {
		done = fmt.Sprintf("%d/%d", now.Finished, now.Rollouts)
	}
	parts := []string{
		fmt.Sprintf("%s rollouts %s", clock(now.Elapsed), done),
		fmt.Sprintf("%d in flight", now.InFlight),
		fmt.Sprintf("%.0f turns/s", float64(now.Turns-prev.Turns)/dt),
		fmt.Sprintf("%.0f tokens/s", float64(now.Tokens-prev.Tokens)/dt),
		"success " + percent(now.Solved, now.Scored),
	}
	if s := causes(now.Failures); s != "" {
		parts = append(parts, "failures "+s)
	}
	if s := causes(now.ValueFailures); s != "" {
		parts = append(parts, "no value "+s)
	}
	if now.Rollouts > now.Finished && now.Finished > 0 {
		parts = append(parts, "ETA "+clock(now.Elapsed/float64(now.Finished)*float64(now.Rollouts-now.Finished)))
	}
	return strings.Join(parts, "  ")
}

func clock(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// causes lists counts by name, the largest first.
func causes[K ~string](m map[K]int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(string(a), string(b))
	})
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return strings.Join(parts, ", ")
}
