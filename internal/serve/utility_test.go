package serve_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/rollout"
)

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

func TestProbes(t *testing.T) {
	url := start(t, config(), parrot{})
	status, raw := get(t, url+"/health")
	assert.Equal(t, 200, status)
	assert.Empty(t, raw)
	_, raw = get(t, url+"/version")
	assert.JSONEq(t, `{"version":"focus"}`, raw)
	_, raw = get(t, url+"/v1/models")
	assert.JSONEq(t, `{"object":"list","data":[{"id":"tiny","object":"model","created":1700000000,"owned_by":"focus",
		"root":"tiny","parent":null,"max_model_len":64,"permission":[]}]}`, raw)
}

func TestTokenize(t *testing.T) {
	url := start(t, config(), parrot{})
	for _, tc := range []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"ids", "/tokenize", `{"prompt":"AB"}`, 200, `{"count":2,"max_model_len":64,"tokens":[65,66],"token_strs":null}`},
		{"with strings", "/tokenize", `{"prompt":"AB","return_token_strs":true}`, 200, `{"count":2,"max_model_len":64,"tokens":[65,66],"token_strs":["A","B"]}`},
		{"empty", "/tokenize", `{"prompt":""}`, 200, `{"count":0,"max_model_len":64,"tokens":[],"token_strs":null}`},
		{"no prompt", "/tokenize", `{}`, 400, `{"error":{"message":"prompt is missing","type":"Bad Request","param":"body.prompt","code":400}}`},
		{"messages", "/tokenize", `{"messages":[]}`, 400, `{"error":{"message":"this server renders no messages: send a prompt","type":"BadRequestError","param":"messages","code":400}}`},
		{"text", "/detokenize", `{"tokens":[65,3,66,9999]}`, 200, `{"prompt":"A<s>B"}`},
		{"negative", "/detokenize", `{"tokens":[-5]}`, 400, `{"error":{"message":"tokens should hold integers between 0 and 2147483647","type":"Bad Request","param":"body.tokens.0","code":400}}`},
		{"no tokens", "/detokenize", `{}`, 400, `{"error":{"message":"tokens is missing","type":"Bad Request","param":"body.tokens","code":400}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			status, raw := post(t, url+tc.path, tc.body)
			assert.Equal(t, tc.status, status)
			assert.JSONEq(t, tc.want, raw)
		})
	}
}

func TestMetrics(t *testing.T) {
	url := start(t, config(), parrot{text: "hi"})
	complete(t, url, `{"prompt":[65,66]}`)
	complete(t, url, `{"prompt":[65,66],"max_tokens":1}`)
	_, page := get(t, url+"/metrics")
	const labels = `{engine="0",model_name="tiny"} `
	for _, line := range []string{
		"vllm:num_requests_running" + labels + "0",
		"vllm:num_requests_waiting" + labels + "0",
		"vllm:num_preemptions_total" + labels + "0",
		"vllm:prompt_tokens_total" + labels + "4",
		"vllm:generation_tokens_total" + labels + "4",
		"vllm:prefix_cache_queries_total" + labels + "4",
		"vllm:prefix_cache_hits_total" + labels + "2",
		`vllm:request_success_total{engine="0",finished_reason="stop",model_name="tiny"} 1`,
		`vllm:request_success_total{engine="0",finished_reason="length",model_name="tiny"} 1`,
		"vllm:time_to_first_token_seconds_count" + labels + "2",
		"vllm:request_queue_time_seconds_count" + labels + "2",
		"vllm:e2e_request_latency_seconds_count" + labels + "2",
	} {
		assert.Contains(t, page, line+"\n")
	}
	assert.NotContains(t, page, "kv_cache_usage_perc", "a backend that does not know says nothing")
}

// TestOpenAIClient uses the endpoint as a stranger does.
func TestOpenAIClient(t *testing.T) {
	c := config()
	c.EOS = []rollout.TokenID{eos}
	settings := openai.DefaultConfig("none")
	settings.BaseURL = start(t, c, parrot{text: "hi"}) + "/v1"
	client := openai.NewClientWithConfig(settings)

	models, err := client.ListModels(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "tiny", models.Models[0].ID)

	ask := openai.CompletionRequest{Model: "tiny", Prompt: "say hi", MaxTokens: 8, LogProbs: 1, N: 2, Temperature: 1}
	reply, err := client.CreateCompletion(t.Context(), ask)
	require.NoError(t, err)
	require.Len(t, reply.Choices, 2)
	assert.Equal(t, "hi", reply.Choices[1].Text)
	assert.Equal(t, "stop", reply.Choices[1].FinishReason)
	assert.Equal(t, []float32{-0.104, -0.105, -0.003}, reply.Choices[1].LogProbs.TokenLogprobs)
	assert.Equal(t, 6, reply.Usage.PromptTokens)

	ask.N, ask.Stream = 1, true
	stream, err := client.CreateCompletionStream(t.Context(), ask)
	require.NoError(t, err)
	defer stream.Close()
	text := ""
	for {
		chunk, err := stream.Recv()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		text += chunk.Choices[0].Text
	}
	assert.Equal(t, "hi", text)

	ask.Stream, ask.Stop = false, []string{"x"}
	_, err = client.CreateCompletion(t.Context(), ask)
	var refused *openai.APIError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusBadRequest, refused.HTTPStatusCode)
	assert.Equal(t, "stop", *refused.Param)
	assert.True(t, strings.Contains(refused.Message, "not supported"), refused.Message)
}
