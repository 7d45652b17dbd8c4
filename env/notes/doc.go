// Package notes is a bundled task family: find a fact that is spread over
// notes about people, with tools to search and to read.
//
// Invariants:
//
//  1. The same configuration, seed and index give the same task. The corpus
//     follows from the task's seed, and is not part of the task.
//  2. Each person has one note: a name line, then key=value lines. The question
//     Milo.boss.food has one answer: the food of Milo's boss.
//  3. No person is met twice on the way to the answer.
//  4. A question names no relation twice while there is another: what remains of
//     it is found again by the relation alone.
//  5. The outcome is 1 for the right answer and 0 for any other end.
//
// An example:
//
//	f, err := notes.New(notes.Config{})
//	start, err := f.Reset(ctx, f.Task(7, 0)) // the user says "Find\nMilo.food"
//
// [Long] makes corpora that do not fit a window of 2,048 tokens.
package notes
