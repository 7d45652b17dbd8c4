package vllm

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"focus/policy"
	"focus/rollout"
)

// Servers answer before they have read a request, and connections end while one
// is written: a body that goes back to the pool too early would show up in
// another request, or to the race detector.
func TestBodiesAreNotMixedUp(t *testing.T) {
	s := newServer(t, nil)
	var n atomic.Int64
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n.Add(1) % 3 {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
			return // with most of the body unread
		case 1:
			io.CopyN(io.Discard, r.Body, 1000)
			panic(http.ErrAbortHandler)
		}
		inner.ServeHTTP(w, r)
	})
	s.complete = func(w http.ResponseWriter, a *asked) {
		for _, id := range a.Prompt {
			if id != a.Prompt[0] {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
		}
		writeJSON(w, says(a))
	}
	cfg := config(s.URL)
	cfg.Retries, cfg.Connections = 200, 8
	p := newPolicy(t, cfg)
	var group errgroup.Group
	for i := range rollout.TokenID(12) {
		group.Go(func() error {
			ids := make([]rollout.TokenID, 8_000)
			for j := range ids {
				ids[j] = 1000 * (i + 1)
			}
			c, err := p.Generate(t.Context(), policy.Prompt{Tokens: rollout.NewTokens(ids...)}, law(4))
			if err == nil && len(c.Tokens) != 3 {
				err = fmt.Errorf("%d ids", len(c.Tokens))
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
}
