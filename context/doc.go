// Package contexts decides what the policy sees. A context manager renders each
// prompt and, when its trigger fires, compacts the live conversation; the agent
// records the turns, the effect and the context version of each compaction.
//
// The folder is named context, the package contexts, so that the standard
// library's context is never shadowed.
//
// Invariants:
//
//  1. A manager is shared by all rollouts and branches and holds no state of
//     any of them: what belongs to a branch is in its [rollout.State].
//  2. A prompt that goes on from an earlier turn of the same context version
//     begins with that turn's ids, prefix and sampled, as they were.
//  3. Only a compaction or a context operation rewrites the conversation, and
//     each advances the context version.
//  4. A compaction costs one step of the agent. Task state and workspace
//     survive it.
//  5. A manager that cannot work with a policy says so when the agent is made,
//     not in the middle of a rollout.
//  6. No rewrite separates a call from its results.
//  7. A fold is a rollout of the same agent over a world of its own and never
//     folds. Its requests have seeds of their own, for every fold, branch and
//     turn; its turns are kept, whatever came of it.
//  8. Notes that cannot be used are the policy's doing and end the rollout, with
//     its score; a failure of the server is neither and is returned as an error.
//  9. Text of a conversation is never read as a placeholder of a template.
//
// [AppendOnly] and [Segments] never rewrite; [KeepRecent], [Summarize] and
// [PrefixSummary] do when they have to; with [ContextTools] the model does.
//
// A manager of one's own embeds [Base] and says what it does differently:
//
//	type Recent struct{ contexts.Base }
//
//	func (Recent) Compact(_ context.Context, c contexts.Compaction) (contexts.Result, error) {
//		recent := contexts.OrderToolResults(c.Messages[max(0, len(c.Messages)-4):])
//		return contexts.Result{Messages: slices.Concat(c.Seed, recent), State: c.State}, nil
//	}
//
//	manager := Recent{contexts.Base{Trigger: contexts.PromptTokens{Max: 4096}}}
//
// It does not choose where search branches (package search asks the branch
// points a manager supplies) and does not run rollouts (package agent).
package contexts
