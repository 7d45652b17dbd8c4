package fake_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/bench/fake"
)

func TestMainServesUntilItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int)
	var complaints bytes.Buffer
	go func() {
		code <- fake.Main(ctx, []string{"-reply", "steady:3", "-model", "m", "-fault", "http_503,every=2"}, in, &complaints)
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	c := &http.Client{Transport: tr}
	for _, want := range []int{200, 503} {
		resp, err := c.Post(strings.TrimSpace(url)+"/v1/completions", "application/json", strings.NewReader(`{"model":"m","prompt":[5]}`))
		require.NoError(t, err)
		raw, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, want, resp.StatusCode, string(raw))
	}
	stop()
	assert.Equal(t, 0, <-code)
	assert.Empty(t, complaints.String())
}

func TestMainRefuses(t *testing.T) {
	for _, tc := range []struct{ args, words string }{
		{"-reply often", `reply "often"`},
		{"-reply loud:3", `reply "loud:3"`},
		{"-fault explode", `unknown fault "explode"`},
		{"-overflow x", `overflow is "x"`},
		{"-eos 0", "eos is 0"},
		{"-addr nowhere", "listen on nowhere"},
		{"extra", `unexpected argument "extra"`},
	} {
		var complaints bytes.Buffer
		code := fake.Main(t.Context(), strings.Fields(tc.args), io.Discard, &complaints)
		assert.Equal(t, 2, code, tc.args)
		assert.Contains(t, complaints.String(), tc.words)
	}
}
