package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Listen opens addr. A host or port left out is 127.0.0.1 or 8000: the endpoint
// asks nobody for a password, so reaching it from elsewhere must be spelled out.
func Listen(addr string) (net.Listener, error) {
	host, port := "", ""
	if addr != "" {
		var err error
		if host, port, err = net.SplitHostPort(addr); err != nil {
			return nil, fmt.Errorf("listen on %q: %w", addr, err)
		}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = "8000"
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return ln, nil
}

// lastWords is how long cancelled requests have to answer before their
// connections are cut.
const lastWords = 5 * time.Second

// Serve answers on ln until ctx ends. Then no connection is taken any more,
// requests in flight have grace to finish, what is left is cancelled, and a
// client that does not read its answer is cut off.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, grace time.Duration) error {
	background := context.WithoutCancel(ctx)
	requests, cancel := context.WithCancel(background)
	defer cancel()
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	err := shutdown(background, srv, grace)
	if errors.Is(err, context.DeadlineExceeded) {
		cancel()
		err = shutdown(background, srv, lastWords)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	if first := <-served; !errors.Is(first, http.ErrServerClosed) {
		err = errors.Join(err, first)
	}
	if err != nil {
		return fmt.Errorf("shut down %s: %w", ln.Addr(), err)
	}
	return nil
}

// shutdown waits for the requests in flight.
func shutdown(ctx context.Context, srv *http.Server, patience time.Duration) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	return srv.Shutdown(ctx)
}
