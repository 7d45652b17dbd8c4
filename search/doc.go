// Package search grows a tree of checkpoints for one task. Its core makes no
// call, reads no clock and starts no goroutine: it says what to expand, is told
// what came of it, and says what to expand next.
//
// Invariants:
//
//  1. The same strategy told the same results says the same things: results
//     are applied in ticket order, whatever order they arrive in.
//  2. A node is never changed once its result was applied; a tree only grows.
//  3. Each expansion has a branch name of its own, so that no two of a tree
//     ever draw the same noise.
//  4. An expansion that failed is a node with its cause; it is charged, and is
//     not asked for again.
//
// The loop around it:
//
//	s := search.New(tree, search.Group{Size: 8})
//	for {
//		x, ok := s.Next()
//		if !ok {
//			break // nothing now; done when s.Done()
//		}
//		go func() { results <- play(x) }()
//	}
//	s.Apply(<-results)
//
// It does not play rollouts (package agent) and does not say what a node was
// worth (package credit).
package search
