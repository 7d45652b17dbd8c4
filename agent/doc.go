// Package agent drives a policy over an environment, one decision at a time.
//
// A step prepares the prompt, compacts instead when the context manager's
// trigger fires, generates, records the reply, parses it, applies the action
// and appends one turn. An agent is shared by all its rollouts; what belongs to
// one of them is in its rollout.State, so any state can be stepped again.
//
// Invariants:
//
//  1. A step appends at most one task turn, and every sampled id that came back
//     is in the log, whatever became of it.
//  2. Anything the model gets wrong is an observation and is counted; it never
//     is an error.
//  3. An error of Step means that the infrastructure failed. The state that was
//     passed in is still good, its workspace excepted.
//  4. A rollout that the agent ends (steps or tokens spent, window full, too
//     many unusable attempts) is settled: the world is asked for its score.
//  5. A rollout without one completed turn is never the task's end: it failed.
//  6. Every request has its own seed, derived from run seed, task, branch and
//     turn; a retry of the same turn draws the same ids.
//  7. A prompt that the window has no room for is compacted once, where the
//     context manager does that, and the request is made once more. A manager
//     that declines a compaction changes nothing and costs nothing.
//  8. A checkpoint is never changed by what goes on from it, and a branch that
//     could not be made leaves it as it was. A world that was replayed is the
//     one that was recorded, or the branch failed.
//  9. An agent whose parts cannot work together is refused when it is made.
//
// One rollout:
//
//	a, err := agent.New(agent.Config{Policy: pol, Env: world, MaxSteps: 8})
//	if err != nil {
//		return err
//	}
//	s, err := a.Start(ctx, task, "0")
//	if err == nil {
//		s, err = a.Run(ctx, s)
//	}
//	reward, scored := s.Reward()
//
// It does not retry, schedule or write anything down; that is the job's work.
package agent
