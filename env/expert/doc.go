// Package expert plays the bundled families by script and records what it did:
// demonstrations to train a first policy on.
//
// Invariants:
//
//  1. An expert sees what a policy sees: the conversation, nothing of the world.
//  2. A demonstration is played in the real environment, so its observations
//     are those of a rollout.
//  3. A slip (a deliberate mistake) has weight 0: what answers it is to be
//     learned, the slip is not.
//  4. The notes of a fold come from the record that its prompt shows, and its
//     expert goes on from them alone.
//  5. The same family, task and slip seed give the same demonstration, and it
//     ends with outcome 1.
//
// An example:
//
//	f, err := expert.New("calculator", expert.Options{})
//	demo, err := expert.Play(ctx, f, f.Task(7, 0), expert.Slips{Rate: 0.03})
//
// What it does not do: render or tokenise. A [Demo] is HF's chat form.
package expert
