// Package job is the batch engine: it turns a job file into live objects, keeps
// a bounded number of rollouts in flight, has their groups credited and
// written, and closes the run's files.
//
// Invariants:
//
//  1. Whatever can be refused is refused before anything starts, with every
//     problem named by its key.
//  2. A group is written as a whole or not at all.
//  3. What a rollout samples depends on run seed, task and branch alone: not on
//     concurrency, on its neighbours or on how often it was tried.
//  4. An infrastructure failure costs its own rollout a retry, not its group;
//     when the tries are spent, the rollout is reported as failed and unscored.
//  5. Every session and workspace that was made is closed once, however the run
//     ends; a checkpoint is closed only when nobody goes on from it any more.
//  6. One goroutine owns the searches, one owns the files, and Run returns
//     after every goroutine it started has ended.
//  7. Stopping drains: no task is admitted any more, groups under way finish,
//     and the files are closed. Only a second stop cancels what is in flight.
//
// Example:
//
//	plan, err := job.Load(registry, "job.yaml", nil)
//	live, err := plan.Open(ctx)
//	defer live.Close()
//	summary, err := live.Run(ctx, job.Options{Out: "runs/1"})
//
// It prints nothing; progress is handed to a function of the caller's.
package job
