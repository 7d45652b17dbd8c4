// Package trees compares tree search with independent rollouts at equal
// generated tokens, from the files of finished runs.
//
// Invariants:
//
//  1. What a tree cost is every token that its edges sampled, probes and
//     rollouts that were left out of training included; what it got is its
//     trained rollouts that have a score.
//  2. A tree is compared with independent rollouts of the same task: the first
//     of a large group, in the order they were asked for, whose tokens come
//     nearest to the tree's. That order does not depend on what came of them.
//  3. A task of which the group has too few tokens is left out on both sides,
//     and counted.
//
// The figures of two runs:
//
//	tree, err := trees.Read("runs/tree-grpo")
//	group, err := trees.Read("runs/group")
//	row := trees.Compare("tree-grpo", tree, group)
package trees
