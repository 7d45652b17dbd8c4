package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// RawConfig is what a raw client sends where.
type RawConfig struct {
	// URL of the server, without a path; required.
	URL string
	// Bodies are sent to /v1/completions one after the other, round and round;
	// at least one.
	Bodies [][]byte
	// Concurrency is how many requests are in flight; 0 means 64.
	Concurrency int
	// Name in the report; empty means "raw".
	Name string
}

// Raw is the fastest plain net/http client: bodies that exist already, one
// connection per worker, replies read into one buffer per worker. Its Turns are
// not for several goroutines at once.
type Raw struct {
	config    RawConfig
	target    *url.URL
	transport *http.Transport
	// buffers has one per worker, to read replies into.
	buffers [][]byte
	next    atomic.Uint64
}

// NewRaw checks the configuration. Close the client when done.
func NewRaw(c RawConfig) (*Raw, error) {
	target, err := url.Parse(c.URL + "/v1/completions")
	if err == nil && target.Host == "" {
		err = errors.New("no host")
	}
	if err != nil {
		return nil, fmt.Errorf("raw client: url %q: %w", c.URL, err)
	}
	if len(c.Bodies) == 0 {
		return nil, errors.New("raw client: no bodies to send")
	}
	if c.Concurrency == 0 {
		c.Concurrency = 64
	}
	if c.Name == "" {
		c.Name = "raw"
	}
	// A long body goes out in few writes; more room than that only costs cache.
	longest := slices.MaxFunc(c.Bodies, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
	buffer := min(max(len(longest), 4<<10), 64<<10)
	r := &Raw{config: c, target: target, buffers: make([][]byte, c.Concurrency), transport: &http.Transport{
		MaxIdleConnsPerHost: c.Concurrency, DisableCompression: true,
		WriteBufferSize: buffer, ReadBufferSize: buffer,
	}}
	for i := range r.buffers {
		r.buffers[i] = make([]byte, buffer)
	}
	return r, nil
}

// Name implements [Contender].
func (r *Raw) Name() string { return r.config.Name }

// Close gives up the connections.
func (r *Raw) Close() { r.transport.CloseIdleConnections() }

// Turns implements [Contender].
func (r *Raw) Turns(ctx context.Context, n int) error {
	group, ctx := errgroup.WithContext(ctx)
	var started atomic.Int64
	for _, buf := range r.buffers[:min(len(r.buffers), n)] {
		group.Go(func() error {
			req := (&http.Request{
				Method: http.MethodPost, URL: r.target, Host: r.target.Host,
				Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
				Header: http.Header{"Content-Type": {"application/json"}},
			}).WithContext(ctx)
			for started.Add(1) <= int64(n) {
				if err := r.turn(req, buf); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// turn sends the next body. The request is used again once its reply is
// closed, which net/http allows; the body is not, because a transport may hold
// it longer.
func (r *Raw) turn(req *http.Request, buf []byte) error {
	body := r.config.Bodies[(r.next.Add(1)-1)%uint64(len(r.config.Bodies))]
	req.ContentLength = int64(len(body))
	req.Body = newBody(body)
	req.GetBody = func() (io.ReadCloser, error) { return newBody(body), nil }
	resp, err := r.transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("raw turn: %w", err)
	}
	for err == nil {
		_, err = resp.Body.Read(buf)
	}
	cerr := resp.Body.Close()
	switch {
	case err != io.EOF:
		return fmt.Errorf("raw turn: read reply: %w", err)
	case cerr != nil:
		return fmt.Errorf("raw turn: close reply: %w", cerr)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("raw turn: status %d", resp.StatusCode)
	}
	return nil
}

// newBody is of a type that net/http knows to be in memory: for any other it
// sends the head in a packet of its own.
func newBody(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }
