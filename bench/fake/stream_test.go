package fake_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"focus/bench/fake"
	"focus/rollout"
)

// chunks posts a streamed question and returns its chunks.
func chunks(t *testing.T, c client) []wire {
	t.Helper()
	q := question()
	q.Stream = true
	status, raw, header, err := c.post(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, 200, status)
	require.Equal(t, "text/event-stream; charset=utf-8", header.Get("Content-Type"))
	body, ended := strings.CutSuffix(raw, "data: [DONE]\n\n")
	require.True(t, ended, raw)
	var out []wire
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		if event == "" {
			continue
		}
		var w wire
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &w), event)
		out = append(out, w)
	}
	return out
}

func TestStreamSaysWhatTheReplySays(t *testing.T) {
	for _, size := range []int{1, 3, 1000} {
		c := pipe(t, fake.Config{Chunk: size})
		whole := c.complete(t, question()).Choices[0]
		var ids, prompt []rollout.TokenID
		var lps []float32
		got := chunks(t, c)
		for i, w := range got {
			ch := w.Choices[0]
			ids, prompt = append(ids, ch.TokenIDs...), append(prompt, ch.PromptTokenIDs...)
			lps = append(lps, w.logprobs(t)...)
			assert.Equal(t, i == len(got)-1, ch.FinishReason != nil, "chunk %d of %d", i, len(got))
		}
		assert.Equal(t, whole.TokenIDs, ids)
		assert.Equal(t, whole.PromptTokenIDs, prompt, "the prompt comes once")
		assert.Equal(t, c.complete(t, question()).logprobs(t), lps)
		assert.Len(t, got, (len(ids)+size-1)/size)
	}
}

func TestStreamedAborts(t *testing.T) {
	partial := chunks(t, pipe(t, fake.Config{Rules: []fake.Rule{{Fault: fake.AbortPartial}}}))
	end := partial[len(partial)-1].Choices[0]
	assert.Empty(t, end.TokenIDs)
	assert.Equal(t, "abort", *end.FinishReason)
	for _, w := range partial[:len(partial)-1] {
		assert.NotEmpty(t, w.Choices[0].TokenIDs)
		assert.Nil(t, w.Choices[0].FinishReason)
	}
	assert.Empty(t, chunks(t, pipe(t, fake.Config{Rules: []fake.Rule{{Fault: fake.AbortEmpty}}})), "before the first id it is a bare [DONE]")
}
