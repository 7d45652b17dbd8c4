package serve_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/internal/serve"
	"focus/rollout"
)

// door is a backend whose sequences wait to be let through.
type door struct {
	arrived chan serve.Request
	open    chan struct{}
	left    chan error
}

func newDoor() *door {
	return &door{make(chan serve.Request, 100), make(chan struct{}), make(chan error, 100)}
}

func (d *door) Generate(ctx context.Context, r serve.Request) (serve.Reply, error) {
	d.arrived <- r
	select {
	case <-d.open:
		d.left <- nil
		return serve.Reply{Finish: rollout.FinishLength, Tokens: []serve.Token{{ID: 9, Logprob: -1}}, Cached: -1}, nil
	case <-ctx.Done():
		d.left <- ctx.Err()
		return serve.Reply{}, ctx.Err()
	}
}

// send posts body in the background; the status arrives in the channel, 0 for
// an error of the transport.
func send(ctx context.Context, url, body string) <-chan int {
	got := make(chan int, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/completions", strings.NewReader(body))
		if err != nil {
			got <- -1
			return
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			got <- 0
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		got <- resp.StatusCode
	}()
	return got
}

func TestAdmission(t *testing.T) {
	c := config()
	c.MaxSeqs, c.MaxQueue = 2, 1
	d := newDoor()
	url := start(t, c, d)
	first := send(t.Context(), url, `{"prompt":[65],"n":3}`)
	<-d.arrived
	<-d.arrived
	status, raw := post(t, url+"/v1/completions", `{"prompt":[65]}`)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, raw, `"type":"Service Unavailable"`)
	assert.Empty(t, d.arrived, "only two of three sequences run")
	_, page := get(t, url+"/metrics")
	assert.Contains(t, page, `vllm:num_requests_running{engine="0",model_name="tiny"} 2`)
	assert.Contains(t, page, `vllm:num_requests_waiting{engine="0",model_name="tiny"} 1`)
	assert.Contains(t, page, `vllm:admission_rejections_total{engine="0",model_name="tiny",reason="max_num_queued_reqs"} 1`)
	close(d.open)
	assert.Equal(t, http.StatusOK, <-first)
	assert.Equal(t, http.StatusOK, <-send(t.Context(), url, `{"prompt":[65],"n":3}`), "places come back")
	_, page = get(t, url+"/metrics")
	assert.Contains(t, page, `vllm:num_requests_running{engine="0",model_name="tiny"} 0`)
	assert.Contains(t, page, `vllm:num_requests_waiting{engine="0",model_name="tiny"} 0`)
}

func TestAClientThatGoesAwayCancels(t *testing.T) {
	for name, stream := range map[string]string{"reply": `false`, "stream": `true`} {
		t.Run(name, func(t *testing.T) {
			c := config()
			c.MaxSeqs, c.MaxQueue = 1, 1
			d := newDoor()
			url := start(t, c, d)
			ctx, hangUp := context.WithCancel(t.Context())
			send(ctx, url, `{"prompt":[65],"n":2,"stream":`+stream+`}`)
			<-d.arrived
			hangUp()
			require.ErrorIs(t, <-d.left, context.Canceled)
			close(d.open)
			// The slot and both places are free again: the one that runs next
			// gets through without the queued one ever reaching the backend.
			for status := 0; status != http.StatusOK; {
				status = <-send(t.Context(), url, `{"prompt":[65],"n":2}`)
			}
			assert.Equal(t, 2, len(d.left))
		})
	}
}
