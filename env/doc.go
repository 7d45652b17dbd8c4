// Package env holds the worlds that rollouts are played in: the [Env]
// interface, [ToolEnv] for worlds made of tools, workspaces, and call budgets.
// Bundled task families live below it.
//
// Invariants:
//
//  1. The same task resets to the same world and seed conversation.
//  2. A step never changes the state it was given, only the workspace, and the
//     session that a state stands for ([Forker]); forks of a workspace do not
//     see each other.
//  3. What the policy can cause is a value in the transition: a model-visible
//     failure with an observation it can act on, or an end with a stop reason
//     and the world's score. An error means that the world broke; it is retried
//     and never scored.
//  4. After a transition that is done there is no further step. Finish is done
//     whatever the reply was.
//  5. Each call of a turn has one observation, in call order, whatever ran side
//     by side. Calls that change the world run alone, after those before them.
//  6. Arguments reach a handler only after the tool's JSON schema accepted
//     them. An invalid action runs nothing.
//  7. Observations are valid UTF-8 and of bounded length; the same failure is
//     worded the same way.
//  8. A call that panics or runs out of time leaves the state as it was. One
//     that ignores the end of its context and holds a workspace ends its
//     rollout with [rollout.StopTimeLimit] and the world's score.
//  9. A world says how it is branched past its start ([Branching]), or it is not.
//     What is done on one branch is never seen on another.
//  10. Every handler has an owner: [ToolEnv.Close] waits for those given up on.
//
// A world with one tool:
//
//	type guess struct{ secret int }
//	type arguments struct{ N int }
//	try := env.WriteTool(schema, func(_ context.Context, c env.Call[guess], a arguments) (env.Effect[guess], error) {
//		if a.N < 0 {
//			return env.Effect[guess]{}, env.Refuse("n is at least 0")
//		}
//		won := a.N == c.State.secret
//		return env.Effect[guess]{State: c.State, Result: fmt.Sprint(won), Done: won}, nil
//	})
//	e, err := env.NewToolEnv(env.ToolConfig[guess]{Name: "guess", Tools: []env.Tool[guess]{try}, Open: open})
//
// Package envtest is the suite that every environment passes.
//
// What it does not do: read replies (package parser), render messages (package
// policy/render), decide when a rollout ends by its own budgets (package
// agent).
package env
