// Package calculator is a bundled task family: work out an arithmetic
// expression with a tool that does one operation at a time, then submit.
//
// Invariants:
//
//  1. The same configuration, seed and index give the same task.
//  2. Reading an expression from the left and always doing the first operation
//     that can be done, every value on the way is an integer from 0 to
//     max_value: each step is local and needs no sign.
//  3. The tool refuses more than one operation, so the steps cannot be skipped.
//  4. The outcome is 1 for the right answer and 0 for any other end.
//
// An example:
//
//	f, err := calculator.New(calculator.Config{})
//	start, err := f.Reset(ctx, f.Task(7, 0)) // the user says "3*(4+5)-2"
package calculator
