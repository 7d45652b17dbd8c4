// Package search grows a tree of checkpoints for one task. Its core makes no
// call, reads no clock and starts no goroutine: it says what to expand, is told
// what came of it, and says what to expand next.
//
// A [Strategy] is a list of passes. A [Pass] is an [Allocator] (where to
// expand), a limit on what it may cost, a [Gate] (how much at once, how wide)
// and a [Proposal] (the law its edges are sampled under). Passes run one after
// another; each begins when all of the one before has come back.
//
// Invariants:
//
//  1. The same strategy told the same results says the same things. In ticket
//     order, results are applied in the order they were asked for and the next
//     expansions are chosen right then, so a tree is the same at any
//     concurrency, whatever came back first.
//  2. A node's place, checkpoint and edge never change once it was added; a
//     tree only grows. Its statistics are what was told below it.
//  3. Each expansion has a branch name of its own, so that no two of a tree
//     ever draw the same noise.
//  4. An expansion that failed is a node with its cause; it is charged, a leaf
//     included, and nothing is expanded from it.
//  5. What an expansion may cost is reserved before it is asked for, what it
//     did cost is committed, and the rest refunded: a limit is never passed by
//     more than a result went over its own reservation.
//  6. When a search is done nothing is in flight: all reservations and all
//     counts of unobserved samples are zero.
//  7. A number that nobody could compute is absent, never zero.
//
// The loop around it:
//
//	s, err := search.New(tree, search.Group{Size: 8}.Strategy(), search.Config{})
//	for !s.Done() {
//		for x, ok := s.Next(); ok; x, ok = s.Next() {
//			go func() { results <- play(x) }()
//		}
//		err := s.Apply(<-results)
//	}
//
// It does not play rollouts (package agent) and does not say what an edge was
// worth to a gradient (package credit): a node's value here is only what
// allocators go by.
package search
