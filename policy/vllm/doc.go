// Package vllm is the policy over a vLLM server's /v1/completions: prompts go in
// as token ids, and the ids that were sampled come back with one logprob each.
// Anything that answers like vLLM will do; [Policy.Probe] finds out what it can.
//
// Invariants:
//
//  1. Every field that shapes the sampling law is in every request. The
//     server's own defaults never apply, and no stop strings are sent.
//  2. A reply is checked before it is a Completion: ids and logprobs of equal
//     length, counts of usage, logprobs known, the finish consistent with the
//     cap and the last id, and on a sample of calls the prompt the server says
//     it saw. One that fails is a policy.Error that says what to do.
//  3. max_tokens never exceeds the room in the window.
//  4. Each attempt has a request id of its own. An attempt that may still be
//     running on the server is aborted there, as far as the server allows it.
//  5. Only failures that leave no reply are tried again here, with the same
//     seed: the sample does not depend on the attempt. A reply that fails a
//     check is never replaced silently.
//  6. A reply the server aborted half-way is continued from its own ids with a
//     seed of its own, each part under the version it was asked from.
//  7. Close leaves no goroutine and no connection.
//
// A policy:
//
//	cfg := vllm.Defaults()
//	cfg.URL, cfg.Tokenizer = "http://127.0.0.1:8000", "models/qwen3"
//	pol, err := vllm.Open(cfg)
//	if err != nil {
//		return err
//	}
//	defer pol.Close()
//	if err := pol.Probe(ctx); err != nil {
//		return err // one line: the URL, what was seen, what to do
//	}
//
// It does not stream, batch prompts, balance over servers (package pool) or move
// weights.
package vllm
