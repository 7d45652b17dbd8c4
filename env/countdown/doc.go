// Package countdown is a bundled task family: reach a target from given
// numbers, each used at most once. The answer is one expression in words;
// there are no tools, so it also suits segments.
//
// Invariants:
//
//  1. The same configuration, seed and index give the same task, and every
//     task has a solution in which all values are positive integers.
//  2. Answers are checked with exact rational arithmetic; division counts.
//  3. Only the last line of a reply is the answer. A part of a reply is never
//     judged.
//  4. The outcome is 1 for a right answer and 0 for any other end.
//
// An example:
//
//	f, err := countdown.New(countdown.Config{})
//	start, err := f.Reset(ctx, f.Task(7, 0)) // the user says "3 7 11\n40"
//	// the reply "3*11+7" is worth 1
package countdown
