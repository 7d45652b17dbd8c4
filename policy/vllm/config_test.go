package vllm

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"focus/policy/render"
	"focus/rollout"
)

func TestConfigFromYAML(t *testing.T) {
	cfg := Defaults()
	dec := yaml.NewDecoder(strings.NewReader(`
url: http://127.0.0.1:8000/v1/
tokenizer: models/tiny
tokens: hf-exact
history: fail
logprob_mode: processed
generate_timeout: 90s
retries: 0
`))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(&cfg))
	require.NoError(t, cfg.Validate())
	require.Equal(t, render.Options{Tokens: render.HFExact, History: render.Fail}, cfg.Render)
	require.Equal(t, rollout.LogprobsProcessed, cfg.LogprobMode)
	require.Equal(t, 90*time.Second, cfg.GenerateTimeout)
	require.Zero(t, cfg.Retries, "an explicit zero is zero")
	require.Equal(t, 512, cfg.Connections, "what is not there keeps its default")
	base, err := cfg.base()
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:8000", base.String())
}

func TestValidateNamesEveryKey(t *testing.T) {
	err := Config{
		URL: "127.0.0.1:8000", Window: -1, EchoFirst: -1, EchoEvery: -1, Retries: -1, GenerateTimeout: -1,
		Backoff: 2, BackoffMax: 1, Render: render.Options{Tokens: "x"},
	}.Validate()
	for _, key := range []string{"url", "tokenizer", "logprob_mode", "window", "echo_first", "echo_every", "connections", "retries", "generate_timeout", "backoff_max", "tokens"} {
		require.ErrorContains(t, err, key+": ")
	}
	require.ErrorContains(t, Config{}.Validate(), "url: missing")
	for _, url := range []string{"ftp://h", "http://", "http://h/?q=1", "http://h/%zz"} {
		require.ErrorContains(t, Config{URL: url}.Validate(), "url: ", url)
	}
}

func TestOpen(t *testing.T) {
	cfg := config("http://127.0.0.1:1")
	cfg.Tokenizer = "testdata/nowhere"
	_, err := Open(cfg)
	require.ErrorContains(t, err, "tokenizer: model folder testdata/nowhere")

	cfg.APIKeyEnv = "FOCUS_TEST_NO_SUCH_KEY"
	_, err = New(cfg, nil)
	require.ErrorContains(t, err, "api_key_env: FOCUS_TEST_NO_SUCH_KEY is not set")
}
