package vllm_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/policy"
	"focus/policy/policytest"
	"focus/policy/vllm"
)

// TestLive runs the suite against a real server of the bundled checkpoint,
// named by FOCUS_VLLM_URL: .ci/engines starts one.
func TestLive(t *testing.T) {
	url := os.Getenv("FOCUS_VLLM_URL")
	if url == "" {
		t.Skip("FOCUS_VLLM_URL names no server; .ci/engines does")
	}
	policytest.Run(t, func(t *testing.T) policy.Policy {
		c := vllm.Defaults()
		c.URL, c.Tokenizer = url, "../tinylm/model"
		p, err := vllm.Open(c)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		require.NoError(t, p.Probe(t.Context()))
		return p
	})
}
