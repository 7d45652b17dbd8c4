package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
)

// Report is a run of several comparisons.
type Report struct {
	Machine     Machine      `json:"machine"`
	Comparisons []Comparison `json:"comparisons"`
}

// Machine says where the figures come from.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPUs  int    `json:"cpus"`
	Procs int    `json:"gomaxprocs"`
	Go    string `json:"go"`
}

// ThisMachine describes the machine this process runs on.
func ThisMachine() Machine {
	return Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0), Go: runtime.Version()}
}

// WriteJSON writes the report for a script.
func (r Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write bench report: %w", err)
	}
	return nil
}

// WriteText writes the report for a person.
func (r Report) WriteText(w io.Writer) error {
	m := r.Machine
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s, %d CPUs, GOMAXPROCS %d, %s\n", m.OS, m.Arch, m.CPUs, m.Procs, m.Go)
	for _, c := range r.Comparisons {
		c.text(&b)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write bench report: %w", err)
	}
	return nil
}

func (c Comparison) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s (%d rounds of %d turns; median, min … max)\n", c.Title, c.Rounds, c.Turns)
	tab := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "  \tturns/s\tCPU µs/turn\tKiB/turn")
	for _, s := range c.Series {
		fmt.Fprintf(tab, "  %s\t%s\t%s\t%s\n", s.Name, s.Rate.text("%.0f", 1), s.CPU.text("%.1f", 1), s.Allocated.text("%.1f", 1024))
	}
	for _, r := range c.Ratios {
		fmt.Fprintf(tab, "  %s / %s\t%s\t%s\t\n", r.Of, r.Over, r.Rate.text("%.2f", 1), r.CPU.text("%.2f", 1))
	}
	_ = tab.Flush() // a strings.Builder takes everything
}

// text shows s in units of unit.
func (s Spread) text(verb string, unit float64) string {
	return fmt.Sprintf(verb+" ("+verb+" … "+verb+")", s.Median/unit, s.Min/unit, s.Max/unit)
}
