package tinylm

import (
	"context"
	"math"
	"slices"
)

// sequence is a request on its way through a worker.
type sequence struct {
	ctx     context.Context
	req     Request
	room    int     // ids that may be sampled
	ids     []int32 // prompt and what was sampled so far
	kv      kvCache
	sampler *sampler
	result  Result
	ended   chan error // one value, buffered: nobody may be waiting any more
}

func newSequence(ctx context.Context, c *Config, r Request) *sequence {
	q := &sequence{ctx: ctx, req: r, ids: slices.Clone(r.IDs), ended: make(chan error, 1)}
	q.room = min(r.MaxTokens, c.Window-len(r.IDs))
	q.sampler = newSampler(r.Law, r.Mode)
	q.result.Matched = -1
	if r.Score {
		q.result.Scores = append(make([]float32, 0, len(r.IDs)), float32(math.NaN()))
	}
	return q
}

func (q *sequence) fail(err error) { q.ended <- err }

// pending is how many known ids are not computed yet; more than one only while the prompt is read.
func (q *sequence) pending() int { return len(q.ids) - q.kv.n }

// worker steps a batch of sequences: prompts in chunks, everyone else one id at a time.
type worker struct {
	engine *Engine
	held   []*sequence
	batch  []*sequence // those with a span in this step
	spans  []span
	mem    scratch
}

func (w *worker) run() {
	gone := 0
	for {
		got, open := w.engine.admit(len(w.held), gone)
		w.held = append(w.held, got...)
		if !open {
			for _, q := range w.held {
				q.fail(ErrClosed)
			}
			return
		}
		before := len(w.held)
		w.held = slices.DeleteFunc(w.held, func(q *sequence) bool { return q.ctx.Err() != nil })
		w.step()
		gone = before - len(w.held)
	}
}

// step computes one span of each sequence that has its turn, and lets go of those that finished.
func (w *worker) step() {
	w.plan()
	if len(w.batch) == 0 {
		return
	}
	m := w.engine.model
	logits := m.forward(&w.mem, w.spans)
	finished := make(map[*sequence]bool)
	for i, q := range w.batch {
		n := w.spans[i].wanted() * m.Vocab
		w.keep(q, len(w.spans[i].ids))
		if q.take(logits[:n], m.Vocab) {
			finished[q] = true
			q.ended <- nil
		}
		logits = logits[n:]
	}
	w.held = slices.DeleteFunc(w.held, func(q *sequence) bool { return finished[q] })
}

// plan chooses this step's spans. Prompts are read in order of arrival, at most Chunk positions a step; one that
// starts with a block another prompt is computing in this same step waits, to take it from the cache.
func (w *worker) plan() {
	w.batch, w.spans = w.batch[:0], w.spans[:0]
	budget := w.engine.opts.Chunk
	var reading []*sequence
	for _, q := range w.held {
		if q.pending() > 1 && q.kv.n%blockLen == 0 && !q.req.Score {
			before := q.kv.n
			q.kv.blocks = w.engine.prefix.extend(q.kv.blocks, q.ids, len(q.ids)-1)
			q.kv.n = max(before, len(q.kv.blocks)*blockLen)
			q.result.Cached += q.kv.n - before
		}
		n := q.pending()
		if n > 1 {
			if budget == 0 || w.engine.prefix.limit > 0 && !q.req.Score && slices.ContainsFunc(reading, q.sharesNext) {
				continue
			}
			reading = append(reading, q)
			n = min(n, budget)
			budget -= n
		}
		w.batch = append(w.batch, q)
		w.spans = append(w.spans, span{seq: &q.kv, ids: q.ids[q.kv.n : q.kv.n+n], want: q.wants(n)})
	}
}

// sharesNext reports whether the next block that q needs is one that other is about to compute.
func (q *sequence) sharesNext(other *sequence) bool {
	end := (q.kv.n/blockLen + 1) * blockLen
	return q.kv.n%blockLen == 0 && end < len(q.ids) && end <= len(other.ids) && other.kv.n < end &&
		slices.Equal(q.ids[:end], other.ids[:end])
}

// wants says which logits a span of the next n ids has to give.
func (q *sequence) wants(n int) want {
	switch {
	case q.req.Score && q.kv.n < len(q.req.IDs):
		return wantAll
	case n == q.pending() && q.room > 0:
		return wantLast
	}
	return wantNone
}

// keep offers the sequence's full blocks to the prefix cache, if its last n positions filled one.
func (w *worker) keep(q *sequence, n int) {
	full := q.kv.n / blockLen
	if full > (q.kv.n-n)/blockLen {
		w.engine.prefix.insert(q.kv.blocks[:full], q.ids[:full*blockLen])
	}
}

// take reads the logits of the span just computed and reports whether the sequence is finished.
func (q *sequence) take(logits []float32, vocab int) bool {
	for q.req.Score && len(q.result.Scores) < len(q.req.IDs) && len(logits) > 0 {
		next := q.req.IDs[len(q.result.Scores)]
		q.result.Scores = append(q.result.Scores, logprob(logits[:vocab], next))
		logits = logits[vocab:]
	}
	if q.pending() > 0 {
		return false
	}
	if q.room == 0 {
		return true
	}
	id, lp := q.sampler.draw(logits[len(logits)-vocab:])
	q.ids = append(q.ids, id)
	q.result.IDs = append(q.result.IDs, id)
	q.result.Logprobs = append(q.result.Logprobs, lp)
	if slices.Contains(q.req.Stop, id) {
		q.result.Finish, q.result.Matched = FinishStop, id
		return true
	}
	if len(q.result.IDs) == q.room {
		q.result.Finish = FinishLength
		return true
	}
	return false
}
