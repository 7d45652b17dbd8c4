package bench_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/bench"
)

func report() bench.Report {
	return bench.Report{
		Machine: bench.Machine{OS: "linux", Arch: "amd64", CPUs: 2, Procs: 2, Go: "go1.26.8"},
		Comparisons: []bench.Comparison{{
			Title: "128 prompt ids, concurrency 64", Turns: 2000, Rounds: 9,
			Series: []bench.Series{
				{Name: "raw", Rate: bench.Spread{Min: 9000, Median: 10000, Max: 11000}, CPU: bench.Spread{Min: 80, Median: 90.25, Max: 100}, Allocated: bench.Spread{Min: 2048, Median: 2048, Max: 4096}},
				{Name: "engine", Rate: bench.Spread{Min: 5400, Median: 6000, Max: 6600}, CPU: bench.Spread{Min: 140, Median: 150, Max: 160}, Allocated: bench.Spread{Min: 10240, Median: 10240, Max: 10240}},
			},
			Ratios: []bench.Ratio{{Of: "engine", Over: "raw", Rate: bench.Spread{Min: 0.55, Median: 0.6, Max: 0.66}, CPU: bench.Spread{Min: 1.5, Median: 1.66, Max: 1.75}}},
		}},
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	require.NoError(t, report().WriteText(&b))
	assert.Equal(t, strings.TrimPrefix(`
linux/amd64, 2 CPUs, GOMAXPROCS 2, go1.26.8

128 prompt ids, concurrency 64 (9 rounds of 2000 turns; median, min … max)
                turns/s               CPU µs/turn            KiB/turn
  raw           10000 (9000 … 11000)  90.2 (80.0 … 100.0)    2.0 (2.0 … 4.0)
  engine        6000 (5400 … 6600)    150.0 (140.0 … 160.0)  10.0 (10.0 … 10.0)
  engine / raw  0.60 (0.55 … 0.66)    1.66 (1.50 … 1.75)     
`, "\n"), b.String())
}

func TestJSONReadsBack(t *testing.T) {
	var b strings.Builder
	require.NoError(t, report().WriteJSON(&b))
	var back bench.Report
	require.NoError(t, json.Unmarshal([]byte(b.String()), &back))
	assert.Equal(t, report(), back)
	assert.Contains(t, b.String(), `"turns_per_second": {`)
}

func TestThisMachine(t *testing.T) {
	m := bench.ThisMachine()
	assert.True(t, m.CPUs > 0 && m.Procs > 0 && m.Go != "", "%+v", m)
}

func ExampleReport_WriteText() {
	r := bench.Report{Machine: bench.Machine{OS: "linux", Arch: "arm64", CPUs: 8, Procs: 8, Go: "go1.26"}}
	_ = r.WriteText(os.Stdout)
	// Output: linux/arm64, 8 CPUs, GOMAXPROCS 8, go1.26
}
