//go:build unix

package jinja

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cpuTime is what the process has used: unlike wall time it says something on a machine that is busy with other work.
func cpuTime(t testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLong40 renders the 40-message conversation with every template that accepts it. The median sub-benchmark
// repeats each of them a few times and reports the median of their CPU times.
func BenchmarkLong40(b *testing.B) {
	dir := goldenDir(b)
	var vars Vars
	for _, c := range goldenConversations(b, dir) {
		if c.ID == "long40" {
			vars = c.vars(b)
		}
	}
	accepted := map[string]*Template{}
	for name, src := range goldenTemplates(b, dir) {
		tmpl, err := Parse(src)
		require.NoError(b, err)
		if _, err := tmpl.Render(vars, goldenNow); err == nil {
			accepted[name] = tmpl
		}
	}
	b.Run("median", func(b *testing.B) {
		var each []time.Duration
		for b.Loop() {
			each = each[:0]
			for _, tmpl := range accepted {
				start := cpuTime(b)
				for range 20 {
					if _, err := tmpl.Render(vars, goldenNow); err != nil {
						b.Fatal(err)
					}
				}
				each = append(each, (cpuTime(b)-start)/20)
			}
			slices.Sort(each)
		}
		b.ReportMetric(float64(each[len(each)/2].Microseconds()), "median-cpu-us/render")
		b.ReportMetric(float64(each[len(each)*9/10].Microseconds()), "p90-cpu-us/render")
	})
	for name, tmpl := range accepted {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			start := cpuTime(b)
			for b.Loop() {
				if _, err := tmpl.Render(vars, goldenNow); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpuTime(b)-start).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}
