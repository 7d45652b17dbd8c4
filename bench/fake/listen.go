package fake

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Endpoint is a server that listens.
type Endpoint struct {
	*Server
	// URL to put before a path, without a slash at its end.
	URL string
	// Dial reaches the server, whatever address it is given; it suits
	// http.Transport.DialContext.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	http   *http.Server
	served chan error
}

// Start listens on a loopback port of the system's choice.
func Start(c Config) (*Endpoint, error) { return StartOn(c, "127.0.0.1:0") }

// StartOn listens on a TCP address.
func StartOn(c Config, addr string) (*Endpoint, error) {
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("fake server: listen on %s: %w", addr, err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", ln.Addr().String())
	}
	return s.start(ln, "http://"+ln.Addr().String(), dial), nil
}

// StartPipe listens in memory. A client reaches it by [Endpoint.Dial] only; in
// a testing/synctest bubble all its waits are virtual.
func StartPipe(c Config) (*Endpoint, error) {
	s, err := New(c)
	if err != nil {
		return nil, err
	}
	ln := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	return s.start(ln, "http://fake", ln.dial), nil
}

func (s *Server) start(ln net.Listener, url string, dial func(context.Context, string, string) (net.Conn, error)) *Endpoint {
	e := &Endpoint{Server: s, URL: url, Dial: dial, http: &http.Server{Handler: s}, served: make(chan error, 1)}
	go func() { e.served <- e.http.Serve(ln) }()
	return e
}

// Transport is a client side for the endpoint that keeps conns connections.
func (e *Endpoint) Transport(conns int) *http.Transport {
	return &http.Transport{DialContext: e.Dial, MaxIdleConnsPerHost: conns, DisableCompression: true}
}

// Close ends every wait and every connection, and returns when no request is
// being answered any more.
func (e *Endpoint) Close() error {
	e.interrupt()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := e.http.Shutdown(ctx)
	err = errors.Join(err, e.http.Close())
	if serr := <-e.served; !errors.Is(serr, http.ErrServerClosed) {
		err = errors.Join(err, serr)
	}
	if err != nil {
		return fmt.Errorf("close fake server: %w", err)
	}
	return nil
}

// pipeListener hands the far ends of in-memory connections to a server.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	var err error
	select {
	case l.conns <- far:
		return near, nil
	case <-l.done:
		err = net.ErrClosed
	case <-ctx.Done():
		err = ctx.Err()
	}
	return nil, errors.Join(fmt.Errorf("dial fake server: %w", err), near.Close(), far.Close())
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "fake" }
