package vllm

import (
	"net/url"

	"focus/rollout"
)

// Sheet is what a server can do, as the probe found it.
type Sheet struct {
	Model  string
	Window int
	// Server is the version the server gives itself, Weights the name it has
	// for its weights; empty when it tells neither.
	Server, Weights string
	// NamesIDs: logprobs name ids, so that the echo of the prompt, which comes
	// with token_ids, need not be asked for each time.
	NamesIDs bool
	// Mode is the logprob mode that was measured; empty when it cannot be told.
	Mode rollout.LogprobMode
	// Score: the server gives logprobs of a prompt.
	Score bool
	// TokenizerChecked: its tokenizer gives the ids that ours gives.
	TokenizerChecked bool
	// Abort is the route that gives requests up; empty when there is none.
	Abort string

	abort *url.URL
}

// Sheet is what the probe found; before it, what the configuration says.
func (p *Policy) Sheet() Sheet { return *p.sheet.Load() }

// capabilities are the sheet as a run records it. What a run cannot do without
// is there in every sheet: the probe refuses a server that lacks it.
func (s *Sheet) capabilities() map[string]any {
	told := func(v string) string {
		if v == "" {
			return "unknown"
		}
		return v
	}
	return map[string]any{
		"ids": true, "logprobs": true, "echo": true, "stop_ids_included": true,
		"ids_in_logprobs": s.NamesIDs, "window": s.Window, "server_version": told(s.Server), "weight_version": told(s.Weights),
		"logprob_mode_measured": told(string(s.Mode)), "score": s.Score, "tokenizer_checked": s.TokenizerChecked,
		"abort": told(s.Abort),
	}
}
