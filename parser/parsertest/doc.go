// Package parsertest is the conformance suite of parsers: what every dialect
// owes, whatever it looks like.
//
// # What is checked
//
//  1. A verdict on every input: a sample, each of some of its beginnings, and a sample
//     with bytes changed. Nothing panics; the same input gives the same verdict.
//  2. The verdict does not depend on how the text was cut into ids, nor on how
//     much of it came in earlier segments.
//  3. Spans lie within the sampled ids, in order, without overlap.
//  4. Status, action, message and attempts say the same: a reply that is ok has
//     calls, each with arguments that are a JSON object, and ids that differ; a
//     reply that is not ok runs nothing and tells the model something short.
//  5. Nothing runs after a cap or an abort.
//  6. A beginning of a reply runs no call that the whole reply does not have.
//  7. The terminator changes nothing.
//
// It does not check what a dialect means: that is the sample's Want, and the
// dialect's own tests.
package parsertest
