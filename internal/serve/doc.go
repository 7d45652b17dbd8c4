// Package serve puts a model behind an endpoint shaped like vLLM's: completions
// by token ids, and the routes a client probes a server with. Whatever speaks
// to vLLM by ids speaks to it without a change.
//
// Invariants:
//
//  1. What leaves is what the backend sampled: every id with its logprob, the
//     terminator included, in one order. Text is a view for people and is cut
//     and cleaned; ids never are.
//  2. A field is honoured, refused with a 400 that names it, or has no bearing
//     on what is sampled here (priority, cache_salt, session_id, user). None
//     that changes the sampling law is ignored. Names that vLLM does not know
//     are ignored, as vLLM does.
//  3. An omitted field means what it means on `vllm serve --generation-config
//     vllm`: 16 tokens, temperature 1, nothing truncated, a random seed.
//  4. At most MaxSeqs sequences are with the backend, and at most MaxQueue wait
//     for it, first come first served; a request that does not fit is a 503
//     before it costs anything.
//  5. A client that goes away cancels its sequences. No goroutine outlives the
//     request that started it.
//  6. A prompt and its reply never exceed the window together: the cap is
//     clamped to the room, as vLLM 0.32 does, and a prompt that leaves none is
//     refused.
//
// A server over a backend:
//
//	h, err := serve.New(serve.Config{
//		Model: "tiny", Window: 2048, Vocab: 1024, EOS: []rollout.TokenID{2},
//	}, backend)
//	if err != nil {
//		return err
//	}
//	ln, err := serve.Listen("") // 127.0.0.1:8000
//	if err != nil {
//		return err
//	}
//	return serve.Serve(ctx, ln, h, 10*time.Second)
//
// It does not offer chat, stop strings, penalties, grammars, LoRA or the routes
// of vLLM's development mode, and it has no authentication: bind it to loopback.
package serve
