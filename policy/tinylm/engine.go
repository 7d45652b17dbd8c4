package tinylm

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// Options sizes an Engine. The zero value is the default of every field.
type Options struct {
	Workers    int `yaml:"workers"`     // goroutines that compute; 0: GOMAXPROCS. More than cores gains nothing
	Batch      int `yaml:"batch"`       // sequences one worker steps at a time; 0: 32. More amortises no further, and delays each
	CacheBytes int `yaml:"cache_bytes"` // bound on keys and values kept for reuse; 0: 256 MiB; negative: none are kept
	Chunk      int `yaml:"chunk"`       // prompt positions one worker computes in a step; 0: 128. More delays the sequences it decodes
}

func (o Options) withDefaults() Options {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.Workers, runtime.GOMAXPROCS(0))
	def(&o.Batch, 32)
	def(&o.CacheBytes, 256<<20)
	def(&o.Chunk, 128)
	return o
}

// Engine serves requests on one model, many at a time. Close it when done.
type Engine struct {
	model  *Model
	opts   Options
	prefix prefixCache
	done   sync.WaitGroup

	mu     sync.Mutex
	wake   sync.Cond
	queue  []*sequence
	active int // sequences held by workers
	closed bool
}

// NewEngine starts an engine's workers.
func NewEngine(m *Model, o Options) (*Engine, error) {
	o = o.withDefaults()
	if o.Workers < 1 || o.Batch < 1 || o.Chunk < blockLen {
		return nil, fmt.Errorf("tinylm engine: workers %d and batch %d must be positive, chunk %d at least %d",
			o.Workers, o.Batch, o.Chunk, blockLen)
	}
	e := &Engine{model: m, opts: o}
	e.wake.L = &e.mu
	e.prefix.limit = max(0, o.CacheBytes) / (2 * 4 * m.floatsPerBlock())
	for range o.Workers {
		e.done.Go(func() { (&worker{engine: e}).run() })
	}
	return e, nil
}

// Model returns the model this engine serves.
func (e *Engine) Model() *Model { return e.model }

// Close ends the engine and waits for its workers. Requests in flight return ErrClosed.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	for _, q := range e.queue {
		q.fail(ErrClosed)
	}
	e.queue = nil
	e.wake.Broadcast()
	e.mu.Unlock()
	e.done.Wait()
	return nil
}

// Do serves one request. The result depends on the model and the request alone: not on what else is in flight,
// on the options, or on the number of threads.
func (e *Engine) Do(ctx context.Context, r Request) (Result, error) {
	if err := r.check(&e.model.Config); err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	q := newSequence(ctx, &e.model.Config, r)
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return Result{}, ErrClosed
	}
	e.queue = append(e.queue, q)
	e.wake.Broadcast()
	e.mu.Unlock()
	select {
	case err := <-q.ended:
		return q.result, err
	case <-ctx.Done():
		return Result{}, ctx.Err() // its worker lets go of it at its next step
	}
}

// Score returns the raw logprob of each id given those before it; the first is NaN.
func (e *Engine) Score(ctx context.Context, ids []int32) ([]float32, error) {
	res, err := e.Do(ctx, Request{IDs: ids, Score: true})
	return res.Scores, err
}

// admit hands a worker that holds n sequences its share of the queue, and waits for one if it holds none.
// It returns false when the engine is closed. gone is how many sequences the worker let go of since it last asked.
func (e *Engine) admit(n, gone int) ([]*sequence, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.active -= gone
	for {
		if e.closed {
			return nil, false
		}
		// An even share, rounded up: while any sequence waits, an idle worker may take one.
		total := e.active + len(e.queue)
		share := min(e.opts.Batch, (total+e.opts.Workers-1)/e.opts.Workers)
		if take := min(share-n, len(e.queue)); take > 0 {
			got := append([]*sequence(nil), e.queue[:take]...)
			e.queue = append(e.queue[:0], e.queue[take:]...)
			e.active += take
			return got, true
		}
		if n > 0 {
			return nil, true
		}
		e.wake.Wait()
	}
}
