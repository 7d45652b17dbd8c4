package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Server is the fake, an [http.Handler].
type Server struct {
	config   Config
	counters counters
	ledgers  []ledger
	scratch  sync.Pool
	closed   chan struct{}
	once     sync.Once
}

// New checks the configuration and builds a server that listens nowhere; see
// [Start] and [StartPipe].
func New(c Config) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Server{config: c.withDefaults(), ledgers: make([]ledger, len(c.Rules)), closed: make(chan struct{})}
	s.scratch.New = func() any { return &scratch{} }
	return s, nil
}

// scratch is the room one request needs; it goes round.
type scratch struct {
	req    Request
	answer answer
	out    []byte
}

// interrupt ends every wait.
func (s *Server) interrupt() { s.once.Do(func() { close(s.closed) }) }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/completions":
		s.completions(w, r)
	case "/health":
		w.WriteHeader(http.StatusOK)
	default:
		s.utility(w, r)
	}
}

func (s *Server) completions(w http.ResponseWriter, r *http.Request) {
	number, active := s.counters.enter()
	defer s.counters.active.Add(-1)
	if rule := s.unread(number); rule != nil {
		s.counters.fault(rule.Fault)
		s.wait(r.Context(), rule.Delay)
		reset(w)
		return
	}
	sc := s.scratch.Get().(*scratch)
	defer s.scratch.Put(sc)
	req := &sc.req
	req.reset()
	req.Number, req.Header, req.eos = number, r.Header, s.config.EOS
	if err := req.read(r); err != nil {
		s.refuse(w, http.StatusBadRequest, "Bad Request", "body", err.Error())
		return
	}
	s.counters.record(req, s.config.Record)
	rule := s.rule(req)
	if rule != nil {
		s.counters.fault(rule.Fault)
		s.wait(r.Context(), rule.Delay)
		if s.failEarly(w, r, rule) {
			return
		}
	}
	if s.config.MaxActive > 0 && active > s.config.MaxActive {
		s.refuse(w, http.StatusServiceUnavailable, "Service Unavailable", "", "the queue is full")
		return
	}
	if bad := s.check(req); bad != nil {
		s.refuse(w, bad.status, bad.kind, bad.param, bad.message)
		return
	}
	s.reply(w, r, sc, rule)
}

// unread is the first rule that resets request number before it is read.
func (s *Server) unread(number int64) *Rule {
	for i := range s.config.Rules {
		r := &s.config.Rules[i]
		if r.Fault == ResetBefore && r.numbered(number, s.config.Seed+uint64(i)) {
			return r
		}
	}
	return nil
}

// rule is the first rule that names req.
func (s *Server) rule(req *Request) *Rule {
	for i := range s.config.Rules {
		r := &s.config.Rules[i]
		if r.Fault == ResetBefore || !r.numbered(req.Number, s.config.Seed+uint64(i)) || r.Match != nil && !r.Match(req) {
			continue
		}
		if r.Attempts > 0 && !s.ledgers[i].first(req.key(), r.Attempts) {
			continue
		}
		return r
	}
	return nil
}

// wait lets d pass. When the client leaves or the server closes first, the
// request is given up: net/http then ends the connection instead of sending an
// empty 200.
func (s *Server) wait(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		s.counters.gone.Add(1)
		panic(http.ErrAbortHandler)
	case <-s.closed:
		panic(http.ErrAbortHandler)
	}
}

// stall waits for the client to leave or the server to close.
func (s *Server) stall(ctx context.Context) {
	select {
	case <-ctx.Done():
		s.counters.gone.Add(1)
	case <-s.closed:
	}
	panic(http.ErrAbortHandler)
}

// read takes the body and its fields.
func (r *Request) read(hr *http.Request) error {
	if n := hr.ContentLength; n > int64(cap(r.Body)) {
		r.Body = make([]byte, 0, n+1)
	}
	for {
		if len(r.Body) == cap(r.Body) {
			r.Body = append(r.Body, 0)[:len(r.Body)]
		}
		n, err := hr.Body.Read(r.Body[len(r.Body):cap(r.Body)])
		r.Body = r.Body[:len(r.Body)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read body: %w", err)
		}
	}
	if err := r.parse(); err != nil {
		return err
	}
	if id := hr.Header.Get("X-Request-Id"); id != "" {
		r.RequestID = id
	}
	return nil
}
