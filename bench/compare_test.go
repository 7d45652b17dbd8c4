package bench_test

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"focus/bench"
	"focus/bench/fake"
)

// serverFlag makes the test binary the fake server of [TestProcess].
const serverFlag = "FOCUS_BENCH_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverFlag) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(fake.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// sleeper takes a fixed time per turn and writes down that it was its turn.
type sleeper struct {
	name  string
	times []time.Duration
	calls *[]string
	turns *[]int
	fail  error
}

func (s *sleeper) Name() string { return s.name }

func (s *sleeper) Turns(_ context.Context, n int) error {
	*s.calls = append(*s.calls, s.name)
	*s.turns = append(*s.turns, n)
	time.Sleep(time.Duration(n) * s.times[0])
	if len(s.times) > 1 {
		s.times = s.times[1:]
	}
	return s.fail
}

func TestCompare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		var turns []int
		ms := time.Millisecond
		// The first time of each is its warm-up.
		a := &sleeper{"a", []time.Duration{9 * ms, 1 * ms, 1 * ms, 2 * ms}, &calls, &turns, nil}
		b := &sleeper{"b", []time.Duration{9 * ms, 2 * ms, 4 * ms, 2 * ms}, &calls, &turns, nil}
		c, err := bench.Compare(t.Context(), bench.Plan{Title: "naps", Turns: 10, Rounds: 3, Warmup: 1}, a, b)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b", "a", "b", "b", "a", "a", "b"}, calls, "warm-up, then who goes first rotates")
		assert.Equal(t, []int{1, 1, 10, 10, 10, 10, 10, 10}, turns)
		assert.Equal(t, bench.Spread{Min: 500, Median: 1000, Max: 1000}, c.Series[0].Rate)
		assert.Equal(t, bench.Spread{Min: 250, Median: 500, Max: 500}, c.Series[1].Rate)
		require.Len(t, c.Ratios, 1)
		assert.Equal(t, []string{"b", "a"}, []string{c.Ratios[0].Of, c.Ratios[0].Over})
		assert.Equal(t, bench.Spread{Min: 0.25, Median: 0.5, Max: 1}, c.Ratios[0].Rate, "ratios are within a round")
		assert.Equal(t, "naps", c.Title)
	})
}

func TestCompareEndsWithTheFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		var turns []int
		broken := &sleeper{"b", []time.Duration{1}, &calls, &turns, errors.New("no route")}
		_, err := bench.Compare(t.Context(), bench.Plan{Turns: 1}, broken)
		assert.ErrorContains(t, err, "warm up b: no route")
		still := &sleeper{"c", []time.Duration{0}, &calls, &turns, nil}
		_, err = bench.Compare(t.Context(), bench.Plan{Turns: 1}, still)
		assert.ErrorContains(t, err, "no time")
	})
}

func TestPlanIsChecked(t *testing.T) {
	_, err := bench.Compare(t.Context(), bench.Plan{Rounds: -1}, nil)
	assert.ErrorContains(t, err, "turns is 0")
	assert.ErrorContains(t, err, "rounds is -1")
}
