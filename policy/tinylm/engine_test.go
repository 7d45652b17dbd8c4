package tinylm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// smallShape is quick under the race detector and has odd sizes, so that every remainder loop runs.
var smallShape = Config{
	Arch: "Qwen3ForCausalLM", Hidden: 30, Layers: 2, Heads: 6, KVHeads: 2, HeadDim: 10, FF: 50, Vocab: 97,
	Window: 256, NormEps: 1e-6, Theta: 1e4, Tied: true, QKNorm: true, EOS: []int32{3},
}

func startEngine(t *testing.T, m *Model, o Options) *Engine {
	t.Helper()
	e, err := NewEngine(m, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func do(t *testing.T, e *Engine, r Request) Result {
	t.Helper()
	res, err := e.Do(context.Background(), r)
	require.NoError(t, err)
	require.Len(t, res.Logprobs, len(res.IDs))
	return res
}

func TestSplitContinuationEqualsOneCall(t *testing.T) {
	m := randomModel(smallShape, 1)
	e := startEngine(t, m, Options{Workers: 2})
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 5, 15, 16, 17, 60} {
		prompt := randomIDs(rng, n, m.Vocab)
		whole := do(t, e, Request{IDs: prompt, MaxTokens: 40})
		for _, k := range []int{1, 7, 16, 39} {
			first := do(t, e, Request{IDs: prompt, MaxTokens: k})
			second := do(t, e, Request{IDs: append(append([]int32(nil), prompt...), first.IDs...), MaxTokens: 40 - k})
			require.Equal(t, whole.IDs, append(first.IDs, second.IDs...), "prompt of %d, cut at %d", n, k)
			require.Equal(t, whole.Logprobs, append(first.Logprobs, second.Logprobs...), "prompt of %d, cut at %d", n, k)
		}
	}
}

// manyRequests is a group of siblings, some strangers and some scorings: all a batch can be made of.
func manyRequests(m *Model) []Request {
	rng := rand.New(rand.NewPCG(3, 4))
	system := randomIDs(rng, 37, m.Vocab)
	var all []Request
	for i := range 16 {
		ids := append([]int32(nil), system...)
		if i%4 == 0 {
			ids = randomIDs(rng, 1+3*i, m.Vocab)
		}
		if i%3 == 0 {
			ids = append(ids, randomIDs(rng, i, m.Vocab)...)
		}
		law := Sampling{Temperature: 0.5 + 0.1*float64(i), Seed: uint64(i)}
		all = append(all, Request{IDs: ids, MaxTokens: 20 + i, Law: law, Stop: []int32{3}, Score: i%5 == 0, Mode: Mode(i % 2)})
	}
	return all
}

func TestResultsDoNotDependOnCompany(t *testing.T) {
	m := randomModel(smallShape, 2)
	reqs := manyRequests(m)
	alone := startEngine(t, m, Options{Workers: 1, Batch: 1, CacheBytes: -1})
	var want []string
	for _, r := range reqs {
		want = append(want, fingerprint(do(t, alone, r)))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2} {
		for name, o := range map[string]Options{
			"batched":        {Workers: 1, Batch: 16, CacheBytes: -1},
			"cached":         {Workers: 1, Batch: 16},
			"tiny chunks":    {Workers: 1, Batch: 5, Chunk: blockLen},
			"two workers":    {Workers: 2, Batch: 16, Chunk: 33},
			"evicting cache": {Workers: 2, Batch: 3, CacheBytes: 3 * 8 * m.floatsPerBlock()},
		} {
			runtime.GOMAXPROCS(procs)
			e := startEngine(t, m, o)
			for round := range 2 {
				got := make([]string, len(reqs))
				var wg sync.WaitGroup
				for i, r := range reqs {
					wg.Go(func() {
						res, err := e.Do(context.Background(), r)
						got[i] = fmt.Sprint(fingerprint(res), errText(err))
					})
				}
				wg.Wait()
				require.Equal(t, want, got, "%s, GOMAXPROCS %d, round %d", name, procs, round)
			}
		}
	}
}

// fingerprint holds every bit of a result but how much of it came from the cache.
func fingerprint(r Result) string {
	bits := func(v []float32) (out []uint32) {
		for _, f := range v {
			out = append(out, math.Float32bits(f))
		}
		return out
	}
	return fmt.Sprint(r.IDs, bits(r.Logprobs), bits(r.Scores), r.Finish, r.Matched)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestPrefixCacheServesContinuations(t *testing.T) {
	m := randomModel(smallShape, 3)
	e := startEngine(t, m, Options{Workers: 1})
	prompt := randomIDs(rand.New(rand.NewPCG(5, 6)), 40, m.Vocab)
	first := do(t, e, Request{IDs: prompt, MaxTokens: 30})
	require.Zero(t, first.Cached)
	second := do(t, e, Request{IDs: append(append([]int32(nil), prompt...), first.IDs...), MaxTokens: 1})
	require.Equal(t, 64, second.Cached, "the full blocks among the 69 positions the first request computed")
	require.Equal(t, 32, do(t, e, Request{IDs: prompt, MaxTokens: 1}).Cached)
	require.Equal(t, 32, do(t, e, Request{IDs: prompt[:33], MaxTokens: 1}).Cached)
	require.Equal(t, 16, do(t, e, Request{IDs: prompt[:32], MaxTokens: 1}).Cached, "the last id is always computed")
}

func TestScoresAreTheLogprobsOfSampling(t *testing.T) {
	m := randomModel(smallShape, 4)
	e := startEngine(t, m, Options{Workers: 1, Chunk: 16})
	prompt := randomIDs(rand.New(rand.NewPCG(7, 8)), 21, m.Vocab)
	res := do(t, e, Request{IDs: prompt, MaxTokens: 30, Law: Sampling{Temperature: 1.3, Seed: 1}})
	scores, err := e.Score(context.Background(), append(append([]int32(nil), prompt...), res.IDs...))
	require.NoError(t, err)
	require.Len(t, scores, 51)
	require.True(t, math.IsNaN(float64(scores[0])))
	require.Equal(t, res.Logprobs, scores[21:])
}

func TestFinish(t *testing.T) {
	m := randomModel(smallShape, 5)
	e := startEngine(t, m, Options{Workers: 1})
	prompt := []int32{5, 6, 7}
	free := do(t, e, Request{IDs: prompt, MaxTokens: 9})
	require.Equal(t, FinishLength, free.Finish)
	require.EqualValues(t, -1, free.Matched)
	require.Len(t, free.IDs, 9)

	stop := free.IDs[4]
	stopped := do(t, e, Request{IDs: prompt, MaxTokens: 9, Stop: []int32{stop}})
	require.Equal(t, FinishStop, stopped.Finish)
	require.Equal(t, stop, stopped.Matched)
	require.Equal(t, stop, stopped.IDs[len(stopped.IDs)-1], "the matched id is kept")

	ids := randomIDs(rand.New(rand.NewPCG(1, 1)), m.Window-3, m.Vocab)
	full := do(t, e, Request{IDs: ids, MaxTokens: 1000})
	require.Len(t, full.IDs, 3, "clamped to the room")
	require.Equal(t, FinishLength, full.Finish)
}

func TestBadRequestsAreRefused(t *testing.T) {
	m := randomModel(smallShape, 6)
	e := startEngine(t, m, Options{Workers: 1})
	long := make([]int32, m.Window)
	for name, r := range map[string]Request{
		"no room":           {IDs: long, MaxTokens: 1},
		"beyond the window": {IDs: append(long, 1), Score: true},
		"empty":             {MaxTokens: 1},
		"unknown id":        {IDs: []int32{int32(m.Vocab)}, MaxTokens: 1},
		"negative id":       {IDs: []int32{-1}, MaxTokens: 1},
		"temperature":       {IDs: []int32{1}, MaxTokens: 1, Law: Sampling{Temperature: math.NaN()}},
		"top_p":             {IDs: []int32{1}, MaxTokens: 1, Law: Sampling{TopP: 1.5}},
		"min_p":             {IDs: []int32{1}, MaxTokens: 1, Law: Sampling{MinP: -1}},
	} {
		_, err := e.Do(context.Background(), r)
		require.ErrorIs(t, err, ErrRequest, name)
	}
	var window *WindowError
	_, err := e.Do(context.Background(), Request{IDs: long, MaxTokens: 1})
	require.True(t, errors.As(err, &window), "%v", err)
	require.Equal(t, WindowError{Prompt: 256, Window: 256}, *window)
	scores, err := e.Score(context.Background(), long)
	require.NoError(t, err, "a full window can be scored")
	require.Len(t, scores, 256)
}

func TestCancelAndClose(t *testing.T) {
	m := randomModel(smallShape, 7)
	e, err := NewEngine(m, Options{Workers: 2, Batch: 2})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error)
	for i := range 8 {
		c := ctx
		if i%2 == 0 {
			c = context.Background()
		}
		go func() {
			_, err := e.Do(c, Request{IDs: []int32{int32(i)}, MaxTokens: 250})
			errs <- err
		}()
	}
	cancel()
	require.NoError(t, e.Close())
	for range 8 {
		if err := <-errs; err != nil {
			require.True(t, errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed), "%v", err)
		}
	}
	_, err = e.Do(context.Background(), Request{IDs: []int32{1}, MaxTokens: 1})
	require.ErrorIs(t, err, ErrClosed)
	require.NoError(t, e.Close(), "closing twice is harmless")
}

func TestEngineOptionsAreChecked(t *testing.T) {
	_, err := NewEngine(randomModel(smallShape, 1), Options{Workers: -1})
	require.Error(t, err)
	_, err = NewEngine(randomModel(smallShape, 1), Options{Chunk: 3})
	require.Error(t, err)
}
