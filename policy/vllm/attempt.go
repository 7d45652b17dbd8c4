package vllm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"focus/policy"
	"focus/rollout"
)

// counters count what a run wants to know about a server.
type counters struct {
	attempts, retried, echoed, badReplies, emptyAborts, continued atomic.Int64
}

// Stats are the counts since the policy was made.
type Stats struct {
	// Attempts at completions, and how many of them were repeated after a
	// failure.
	Attempts, Retried int64
	// Echoed counts the prompts that were compared with the server's.
	Echoed int64
	// BadReplies failed a check.
	BadReplies int64
	// EmptyAborts came back without an id; Continued with some, and the rest
	// was asked for.
	EmptyAborts, Continued int64
}

// Stats reads the counts.
func (p *Policy) Stats() Stats {
	c := &p.stats
	return Stats{
		Attempts: c.attempts.Load(), Retried: c.retried.Load(), Echoed: c.echoed.Load(),
		BadReplies: c.badReplies.Load(), EmptyAborts: c.emptyAborts.Load(), Continued: c.continued.Load(),
	}
}

// insist sends an order until a reply comes, as often as the configuration
// allows and as long as trying again can help. read is how replies are checked.
func (g *generation) insist(ctx context.Context, o *order, read reader) (piece, error) {
	p := g.policy
	for tries := 0; ; tries++ {
		n := p.version.Load()
		o.version, o.id = n.version, g.requestID()
		part, wait, err := p.attempt(ctx, o, n.salt, read)
		switch {
		case err == nil:
			return part, nil
		case ctx.Err() != nil:
			return piece{}, ctx.Err()
		case !retryable(err) || tries >= p.cfg.Retries:
			if e, ok := errors.AsType[*policy.Error](err); ok && tries > 0 {
				e.Detail = strings.TrimSpace(fmt.Sprintf("%s (after %d attempts)", e.Detail, tries+1))
			}
			return piece{}, err
		}
		p.stats.retried.Add(1)
		if err := pause(ctx, p.delay(tries, wait)); err != nil {
			return piece{}, err
		}
	}
}

// requestID is new for each attempt of each request of each process.
func (g *generation) requestID() string {
	g.attempt++
	id := g.policy.nonce + "-" + strconv.FormatInt(g.call, 36)
	if g.origin.Request != "" {
		id = g.origin.Request + "-" + id
	}
	return id + "-a" + strconv.Itoa(g.attempt)
}

// retryable reports whether a failure left no reply and may pass. A reply that
// failed a check would come again with the same seed.
func retryable(err error) bool {
	e, ok := errors.AsType[*policy.Error](err)
	if !ok {
		return false
	}
	switch e.Kind {
	case policy.KindUnreachable, policy.KindOverloaded, policy.KindServer, policy.KindAborted:
		return true
	}
	return false
}

// delay before a retry: what the server asked for, or the doubled backoff, the
// lower half of it fixed and the upper drawn.
func (p *Policy) delay(tries int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, p.cfg.BackoffMax)
	}
	d := p.cfg.Backoff
	for ; tries > 0 && d < p.cfg.BackoffMax; tries-- {
		d *= 2
	}
	d = min(d, p.cfg.BackoffMax)
	if d <= 0 {
		return 0
	}
	return d/2 + rand.N(d/2+1)
}

// pause waits, or returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replies are reused readers of bodies.
var replies = sync.Pool{New: func() any { return new(reply) }}

// reader checks a reply and copies out of it what was asked for.
type reader func(*reply, *order) (piece, error)

// attempt sends an order once. wait is what the server asked for before another.
func (p *Policy) attempt(ctx context.Context, o *order, salt string, read reader) (part piece, wait time.Duration, err error) {
	o.echo = !o.score && p.wantsEcho()
	p.stats.attempts.Add(1)
	out, wait, err := p.exchange(ctx, o, salt)
	if err != nil {
		return piece{}, wait, err
	}
	defer out.release()
	r := replies.Get().(*reply)
	defer replies.Put(r)
	if err = r.parse(out.b); err == nil {
		part, err = read(r, o)
	}
	if err != nil {
		p.stats.badReplies.Add(1)
		return piece{}, 0, p.badReply(err)
	}
	if part.finish == rollout.FinishAbort && len(part.ids) == 0 {
		p.stats.emptyAborts.Add(1)
		return piece{}, 0, &policy.Error{Kind: policy.KindAborted, Server: p.name, Status: http.StatusOK,
			Detail: "aborted before its first id"}
	}
	return part, 0, nil
}

// wantsEcho says whether this attempt asks for the prompt back.
func (p *Policy) wantsEcho() bool {
	n := p.sent.Add(1) - 1
	first, every := int64(p.cfg.EchoFirst), int64(p.cfg.EchoEvery)
	echo := n < first || every > 0 && (n-first+1)%every == 0 || !p.sheet.Load().NamesIDs
	if echo {
		p.stats.echoed.Add(1)
	}
	return echo
}

// exchange sends an order and returns the body of a 200, which the caller
// releases.
func (p *Policy) exchange(ctx context.Context, o *order, salt string) (*buffer, time.Duration, error) {
	if p.cfg.GenerateTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.cfg.GenerateTimeout)
		defer cancel()
	}
	body := newBuffer()
	defer body.release()
	body.b = p.wire.Load().append(body.b, o, salt)
	status, header, out, err := p.post(ctx, p.routes.completions, body, p.header(o))
	if err != nil {
		if !neverSent(err) {
			p.abort(o.id)
		}
		return nil, 0, p.broken(ctx, err)
	}
	if status != http.StatusOK {
		defer out.release()
		return nil, retryAfter(header), p.refusal(status, out.b, o)
	}
	return out, 0, nil
}

// header of a request: a new one each time, as the transport keeps it.
func (p *Policy) header(o *order) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {o.id}, "User-Agent": {"focus"}}
	if o.session != "" {
		h["X-Session-Id"] = []string{o.session}
	}
	if p.key != "" {
		h["Authorization"] = []string{"Bearer " + p.key}
	}
	return h
}

// neverSent reports whether a request certainly did not reach the server.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
