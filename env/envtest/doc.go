// Package envtest is the conformance suite of package env: every environment,
// family and kind of workspace runs it.
//
//	func TestConformance(t *testing.T) {
//		envtest.Run(t, newEnv, envtest.Case{Task: task, Script: actions})
//	}
//
// A script is the actions of one whole episode: only its last transition is
// done. What is checked follows the invariants in package env's doc, and the
// abilities that the environment has: an environment that cannot be forked or
// written to bytes is never stepped twice from one world.
package envtest
