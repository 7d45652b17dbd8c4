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
//
// A manager of one's own embeds [Base] and says what it does differently:
//
//	type KeepRecent struct{ contexts.Base }
//
//	func (KeepRecent) Compact(_ context.Context, c contexts.Compaction) (contexts.Result, error) {
//		recent := c.Messages[max(0, len(c.Messages)-4):]
//		return contexts.Result{Messages: slices.Concat(c.Seed, recent), State: c.State}, nil
//	}
//
//	manager := KeepRecent{contexts.Base{Trigger: contexts.PromptTokens{Max: 4096}}}
//
// It does not choose where search branches (package search asks the branch
// points a manager supplies) and does not run rollouts (package agent).
package contexts
