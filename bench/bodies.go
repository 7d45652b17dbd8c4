package bench

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"focus/bench/fake"
	"focus/rollout"
)

// Prompts are n prompts of length ids each, the same for the same seed, with
// ids of a vocabulary of 32,000, end and special ids left out.
func Prompts(n, length int, seed uint64) [][]rollout.TokenID {
	rng := rand.New(rand.NewPCG(seed, uint64(length)))
	out := make([][]rollout.TokenID, n)
	for i := range out {
		out[i] = make([]rollout.TokenID, length)
		for j := range out[i] {
			out[i][j] = 256 + rng.Int32N(31000)
		}
	}
	return out
}

// Bodies are completion requests for prompts with every sampling field spelled
// out, each under a seed of its own; the ids are asked back.
func Bodies(prompts [][]rollout.TokenID, model string, sp rollout.SamplingParams) [][]byte {
	out := make([][]byte, len(prompts))
	for i, prompt := range prompts {
		b := strconv.AppendQuoteToASCII([]byte(`{"model":`), model)
		b = appendIDs(append(b, `,"prompt":`...), prompt)
		b = strconv.AppendInt(append(b, `,"max_tokens":`...), int64(sp.MaxTokens), 10)
		b = appendFloat(append(b, `,"temperature":`...), sp.Temperature)
		b = appendFloat(append(b, `,"top_p":`...), sp.TopP)
		b = strconv.AppendInt(append(b, `,"top_k":`...), int64(sp.TopK), 10)
		b = appendFloat(append(b, `,"min_p":`...), sp.MinP)
		b = strconv.AppendInt(append(b, `,"seed":`...), sp.Seed+int64(i), 10)
		b = appendIDs(append(b, `,"stop_token_ids":`...), sp.StopIDs)
		b = append(b, `,"logprobs":0,"return_token_ids":true,"return_tokens_as_token_ids":true,"presence_penalty":0,"frequency_penalty":0,"repetition_penalty":1}`...)
		out[i] = b
	}
	return out
}

func appendIDs(b []byte, ids []rollout.TokenID) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']')
}

func appendFloat(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }

// Replay are the bodies that a recording server was sent, so that a raw client
// can send the very same.
func Replay(recorded []fake.Request) [][]byte {
	out := make([][]byte, len(recorded))
	for i, r := range recorded {
		out[i] = slices.Clone(r.Body)
	}
	return out
}
