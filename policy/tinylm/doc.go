// Package tinylm is the embedded policy: a small decoder-only transformer in plain Go over an ordinary Hugging Face
// checkpoint folder of the Llama or Qwen3 family, and the engine that serves many requests on it at once.
//
// Invariants:
//
//  1. A sequence's logits depend on the model and its own ids alone, bit for bit: not on the batch it was computed
//     in, on where its prompt was cut into chunks, on the prefix cache, or on the number of workers or threads. Every
//     sum has one fixed order, and no product is fused into an addition.
//  2. A request's draws come from its own seed alone, so the same request gives the same result at any concurrency.
//  3. What a checkpoint asks for and this package cannot compute is an error that names the key, never an approximation.
//  4. A sampled stop id is part of the result, with its logprob. IDs and Logprobs have equal length.
//  5. A position's keys and values, once in a full block, are never written again; a shared block needs no lock.
//  6. Memory kept for reuse is bounded by Options.CacheBytes; memory in use is Workers × Batch sequences at most.
//
// Example:
//
//	m, err := tinylm.Load("checkpoint")
//	if err != nil {
//		return err
//	}
//	e, err := tinylm.NewEngine(m, tinylm.Options{})
//	if err != nil {
//		return err
//	}
//	defer e.Close()
//	res, err := e.Do(ctx, tinylm.Request{
//		IDs: prompt, MaxTokens: 64, Stop: m.EOS, Law: tinylm.Sampling{Temperature: 1, Seed: 7},
//	})
//
// It does not train, quantise, stream, or scale RoPE, and it has one floating-point format, float32. Results are equal
// on every run on one machine; another architecture's math library may differ in the last bit of a logprob.
package tinylm
