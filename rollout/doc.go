// Package rollout is the vocabulary of focus: tokens, messages, turns, states,
// regions and branch points. It does no IO, reads no clock and starts no
// goroutine; every other package speaks in these types.
//
// Invariants:
//
//  1. Every value reachable from a [State] is immutable, the workspace
//     excepted. Changing a State yields another State that shares what did not
//     change; [State.Fork] copies the workspace and shares the rest.
//  2. [Tokens] hold what the model saw, id for id. Appending costs the new ids
//     only, forking costs nothing, and nothing is ever re-tokenised.
//  3. The turn log only grows. A turn is appended with everything known about
//     it and is never edited.
//  4. What can be computed from the log is computed: Done, Reward, TurnsTaken,
//     Folds, Edge, Regions. It has no second home.
//  5. Concatenating the pieces of a [Region] gives exactly the prefix and the
//     sampled ids of its last turn.
//  6. A failure of the infrastructure is never a reward: a rollout that ended
//     with one has no reward at all.
//
// A rollout of one turn:
//
//	s := rollout.NewState(task, seed, world)
//	turn := rollout.NewTurn(prefix, completion)
//	turn.Transition = &rollout.Transition{Done: true, Outcome: &one}
//	s = s.WithTurn(turn)
//	s.Done()                   // true
//	s.Reward()                 // 1, true
//	rollout.Regions(s.Turns()) // one region: base, generated
//
// What it does not do: talk to a model (package policy), run a world (package
// env), decide what the policy sees (package contexts) or branch (package
// search).
package rollout
