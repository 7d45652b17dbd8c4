package serve

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// gate bounds the sequences in the server: slots of them run, the rest wait in
// the order they came.
type gate struct {
	slots *semaphore.Weighted
	bound int

	mu      sync.Mutex
	inside  int
	running int
}

func newGate(slots, queue int) *gate {
	return &gate{slots: semaphore.NewWeighted(int64(slots)), bound: slots + queue}
}

// enter takes n places at once, or none.
func (g *gate) enter(n int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside+n > g.bound {
		return false
	}
	g.inside += n
	return true
}

// leave gives back one place.
func (g *gate) leave() {
	g.mu.Lock()
	g.inside--
	g.mu.Unlock()
}

// run waits for a slot and holds it while f runs.
func (g *gate) run(ctx context.Context, f func() error) error {
	if err := g.slots.Acquire(ctx, 1); err != nil {
		return err
	}
	g.step(1)
	defer func() {
		g.step(-1)
		g.slots.Release(1)
	}()
	return f()
}

func (g *gate) step(n int) {
	g.mu.Lock()
	g.running += n
	g.mu.Unlock()
}

// load is how many sequences run and how many wait.
func (g *gate) load() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.inside - g.running
}
