// Package arith reads and evaluates arithmetic over integers that a model
// wrote: + - * / and parentheses, nothing else.
//
// Invariants:
//
//  1. Any input has a verdict in time linear in its length, and bounded memory:
//     length, depth and digits are limited.
//  2. Values are exact rationals; nothing is rounded.
//  3. Parse(e.String()) gives e again.
//
// An example:
//
//	e, err := arith.Parse("3*(4+5)-2")
//	v, ok := e.Value() // 25, true
//
// What it does not do: variables, powers, decimals.
package arith
