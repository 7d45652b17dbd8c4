// Package envtest is the conformance suite of package env: every environment,
// family and kind of workspace runs it.
//
//	func TestConformance(t *testing.T) {
//		envtest.Run(t, newEnv, envtest.Case{Task: task, Script: actions})
//	}
//
// A script is the actions of one whole episode: only its last transition is
// done. What is checked follows the invariants in package env's doc, and the
// abilities that the environment has, the way it is branched above all
// ([env.Branching]): an environment that says of none is never stepped twice
// from one world. Sessions and workspaces are closed once each.
//
// [Sessions], [Forked] and [Replayed] are toy worlds with sessions that live
// outside, for tests of what plays and branches them.
package envtest
