// Package policytest is the conformance suite of [policy.Policy], and a policy
// for tests and benchmarks that replies from a script.
//
// Invariants:
//
//  1. [Run] checks every ability a policy declares by its interfaces, and
//     nothing it does not declare.
//  2. A [Scripted] policy keeps every rule the suite checks: its replies stop at
//     stop ids, caps and the window, whatever the script says.
//  3. [Bytes] gives one id per byte, so a text and its ids can be told from each
//     other by eye, and joining texts joins their ids.
//
// A policy's own test:
//
//	func TestConformance(t *testing.T) {
//		policytest.Run(t, func(t *testing.T) policy.Policy { return newPolicy(t) })
//	}
//
// An agent's test:
//
//	pol := policytest.NewScripted(policytest.Say("The answer is 42."))
//
// It does not look at text: what a model says is its own business.
package policytest
