package serve_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"focus/internal/serve"
)

func TestListenStaysOnLoopback(t *testing.T) {
	ln, err := serve.Listen(":0")
	require.NoError(t, err)
	defer ln.Close()
	assert.True(t, ln.Addr().(*net.TCPAddr).IP.IsLoopback())
	_, err = serve.Listen("nonsense")
	assert.ErrorContains(t, err, `listen on "nonsense"`)
}

func TestServeLetsRequestsFinish(t *testing.T) {
	for _, tc := range []struct {
		name   string
		grace  time.Duration
		finish bool
		want   int
	}{
		{"within grace", time.Hour, true, http.StatusOK},
		{"without grace they are cancelled", time.Nanosecond, false, http.StatusServiceUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			defer http.DefaultClient.CloseIdleConnections()
			d := newDoor()
			h, err := serve.New(config(), d)
			require.NoError(t, err)
			ln, err := serve.Listen("127.0.0.1:0")
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- serve.Serve(ctx, ln, h, tc.grace) }()
			got := send(t.Context(), "http://"+ln.Addr().String(), `{"prompt":[65]}`)
			<-d.arrived
			stop()
			if tc.finish {
				close(d.open)
			}
			assert.Equal(t, tc.want, <-got)
			assert.NoError(t, <-ended)
		})
	}
}
