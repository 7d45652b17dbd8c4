package serve

import (
	"iter"
	"sync"
)

// mailbox carries events from the sequences to the one writer of a stream. It
// has no bound, so that a slow reader never holds up a backend; what it can
// hold is bounded by the window.
type mailbox struct {
	mu     sync.Mutex
	filled sync.Cond
	events []event
	closed bool
}

func newMailbox() *mailbox {
	m := &mailbox{}
	m.filled.L = &m.mu
	return m
}

func (m *mailbox) put(ev event) {
	m.mu.Lock()
	m.events = append(m.events, ev)
	m.mu.Unlock()
	m.filled.Signal()
}

func (m *mailbox) close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.filled.Signal()
}

// all yields every event until the box is closed and empty.
func (m *mailbox) all() iter.Seq[event] {
	return func(yield func(event) bool) {
		for {
			m.mu.Lock()
			for len(m.events) == 0 && !m.closed {
				m.filled.Wait()
			}
			batch := m.events
			m.events = nil
			m.mu.Unlock()
			if len(batch) == 0 {
				return
			}
			for _, ev := range batch {
				if !yield(ev) {
					return
				}
			}
		}
	}
}
