package fake

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Stats is what a server has seen so far.
type Stats struct {
	// Requests are the completions that arrived, faults included.
	Requests int64 `json:"requests"`
	// Answered are those that got a completion, right or wrong.
	Answered int64 `json:"answered"`
	// Active are in flight; Peak is the most that ever were.
	Active int64 `json:"active"`
	Peak   int64 `json:"peak"`
	// Gone are those whose client left before the reply.
	Gone int64 `json:"gone"`
	// Refused are those answered with a status by the server's own checks.
	Refused int64 `json:"refused"`
	// PromptIDs and SampledIDs count the ids of answered completions.
	PromptIDs  int64 `json:"prompt_ids"`
	SampledIDs int64 `json:"sampled_ids"`
	// Aborts are calls of an abort route.
	Aborts int64 `json:"aborts"`
	// Faults counts what was done to whom.
	Faults map[Fault]int64 `json:"faults"`
}

// counters are the live form of Stats.
type counters struct {
	arrived, answered, active, peak, gone atomic.Int64
	refused, prompt, sampled, aborts      atomic.Int64

	mu       sync.Mutex
	faults   map[Fault]int64
	recorded []Request
}

// enter counts a request in and returns its number and how many are active.
func (c *counters) enter() (number, active int64) {
	number = c.arrived.Add(1) - 1
	active = c.active.Add(1)
	for peak := c.peak.Load(); active > peak; peak = c.peak.Load() {
		if c.peak.CompareAndSwap(peak, active) {
			break
		}
	}
	return number, active
}

func (c *counters) fault(f Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.faults == nil {
		c.faults = map[Fault]int64{}
	}
	c.faults[f]++
}

func (c *counters) record(r *Request, most int) {
	if most == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.recorded) < most {
		c.recorded = append(c.recorded, r.clone())
	}
}

// Stats is a snapshot.
func (s *Server) Stats() Stats {
	c := &s.counters
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{
		Requests: c.arrived.Load(), Answered: c.answered.Load(), Active: c.active.Load(), Peak: c.peak.Load(),
		Gone: c.gone.Load(), Refused: c.refused.Load(), PromptIDs: c.prompt.Load(), SampledIDs: c.sampled.Load(),
		Aborts: c.aborts.Load(), Faults: maps.Clone(c.faults),
	}
}

// Recorded are the first Config.Record requests that could be read.
func (s *Server) Recorded() []Request {
	s.counters.mu.Lock()
	defer s.counters.mu.Unlock()
	return append([]Request(nil), s.counters.recorded...)
}
