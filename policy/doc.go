// Package policy is the model as focus sees it: it renders prompts to ids,
// samples from ids, and reads ids back. The engines live in the packages below
// it; package policytest is the suite that each of them passes.
//
// Invariants:
//
//  1. What Generate returns is what the engine sampled: one logprob per id, the
//     terminator included, nothing padded and nothing re-tokenised. A reply
//     that fails a check is an [Error], never a Completion.
//  2. Each request carries its own seed and every sampling field; a server's
//     own defaults never apply.
//  3. A prompt that extends an earlier turn is that turn's ids followed by the
//     encoded bridge; the turn itself is never rendered again.
//  4. A request never asks for more than the window has room for.
//  5. An error says whether trying again can help, and never becomes a reward.
//
// One generate:
//
//	p, err := pol.Prepare(messages, tools)
//	if err != nil {
//		return err
//	}
//	sp := rollout.DefaultSampling()
//	sp.MaxTokens, sp.Seed = 256, rollout.DeriveSeed("run", "task", "0")
//	c, err := pol.Generate(ctx, p, sp)
//	if errors.Is(err, policy.ErrContextFull) {
//		// the prompt leaves no room
//	}
//	turn := rollout.NewTurn(p.Tokens, c)
//
// It does not parse replies (package parser) and does not decide what a prompt
// holds (package contexts).
package policy
