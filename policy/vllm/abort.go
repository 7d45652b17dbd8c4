package vllm

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// abortTime bounds one abort. Leaving the connection aborts too, on most
// servers; this is for those that go on.
const abortTime = 2 * time.Second

// aborts are the calls that tell the server to give an attempt up.
type aborts struct {
	mu     sync.Mutex
	closed bool
	group  sync.WaitGroup
}

// start runs f in the background, unless the owner is closing.
func (a *aborts) start(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closed {
		a.group.Go(f)
	}
}

func (a *aborts) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.group.Wait()
}

// abort tells the server to give up the attempt with this request id, where the
// probe found that it takes such calls. Whether it worked cannot be known.
func (p *Policy) abort(id string) {
	to := p.sheet.Load().abort
	if to == nil {
		return
	}
	p.aborts.start(func() {
		ctx, cancel := context.WithTimeout(context.Background(), abortTime)
		defer cancel()
		body := newBuffer()
		defer body.release()
		body.b = abortBody(body.b, id)
		if _, _, out, err := p.post(ctx, to, body, p.header(&order{id: id + "-abort"})); err == nil {
			out.release()
		}
	})
}

// abortBody names the one sequence of a request: the engine's id of it.
func abortBody(b []byte, id string) []byte {
	b = appendJSON(append(b, `{"request_ids":[`...), "cmpl-"+id+"-0")
	return append(b, `]}`...)
}

// probeAbort tries the routes with an id that nothing has.
func (p *Policy) probeAbort(ctx context.Context, s *Sheet) error {
	for _, to := range []struct {
		name string
		url  *url.URL
	}{{"/inference/v1/abort_requests", p.routes.abortServed}, {"/abort_requests", p.routes.abortByDev}} {
		body := newBuffer()
		body.b = abortBody(body.b, p.nonce+"-probe")
		status, _, out, err := p.post(ctx, to.url, body, p.header(&order{id: p.nonce + "-probe-abort"}))
		body.release()
		if err != nil {
			continue
		}
		out.release()
		if status == http.StatusOK {
			s.Abort, s.abort = to.name, to.url
			return nil
		}
	}
	return nil
}
