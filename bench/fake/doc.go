// Package fake is a vLLM server without a model: it answers /v1/completions by
// ids from a script or from a hash, after the latency it is told to have, and
// fails in the ways real servers have been seen to fail. Tests use it in
// process, over loopback or over memory; benchmarks use it as the other end of
// the wire, where it must cost next to nothing.
//
// Invariants:
//
//  1. The same prompt and seed get the same reply from every server with the
//     same configuration, whatever else is in flight.
//  2. Without a script the reply is a chain: each id follows from all ids
//     before it, and its logprob from those and itself. So n ids in one greedy
//     request are k and then n-k, and a score of sampled ids is what was
//     reported when they were sampled.
//  3. A fault happens to exactly the requests its rule names, and is counted.
//     Without a rule every reply passes every check of a strict client.
//  4. A request that the client has left, or a server that is closed, holds no
//     goroutine, whatever latency or stall it was in.
//  5. Serving a request copies no id more than once: the prompt is read by a
//     scanner in one pass, and echoed as the bytes it came in.
//
// A server for a test:
//
//	srv, err := fake.Start(fake.Config{
//		Latency: fake.Latency{Fixed: 20 * time.Millisecond, PerToken: time.Millisecond},
//		Rules:   []fake.Rule{{Fault: fake.HTTP503, Every: 10, RetryAfter: "1"}},
//	})
//	if err != nil {
//		return err
//	}
//	defer srv.Close()
//	// … a client against srv.URL …
//	peak := srv.Stats().Peak
//
// [StartPipe] is the same over memory, for testing/synctest. [Main] is the same
// as a program; see fakeserver.
//
// It samples nothing: temperature and truncation are recorded, not obeyed. Text
// is empty, stop strings match nothing, and a request is one prompt and one
// choice.
package fake
