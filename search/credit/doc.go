// Package credit says what the edges of a tree of rollouts were worth to a
// policy gradient. Estimators are pure functions: the same numbers in give the
// same bits out, in whatever order siblings come.
//
// A [Forest] holds the trees of one prompt. An [Estimator] is a [Method] and its
// [Options]; it first deletes masked leaves and joins unbranched runs into
// edges, and in the end gives each original node the credit of its run:
//
//	Chain         chain.grpo, chain.drgrpo, chain.rloo
//	Broadcast     leaf.broadcast(base)      every edge of a row gets A of its leaf
//	Redistribute  leaf.redistribute(base)   every edge gets the ω-mean of its leaves
//	TreeGRPO      tree.grpo{sum,seq,intra,inter}
//	Subgroup      tree.subgroup{avg,size}
//	TD            tree.td{plain,loo,std}
//	GAE           tree.gae(λ)
//	TreeRL        tree.rl
//	Shrunk        tree.shrunk(κ)
//	FoldShape     fold.shape
//	Combine       w₁·a + w₂·b
//	Func          a method of one's own
//
// Invariants:
//
//  1. A rollout without a reward gets no advantage and moves no baseline: a
//     masked leaf is a deleted leaf.
//  2. Where all rewards are equal and no edge has one, every advantage is
//     exactly zero. Two options say otherwise: a discount, under which depth is
//     worth something, and singleton raw.
//  3. Cutting an edge in two changes no advantage and no value. For that,
//     γ discounts per edge of the compressed tree, not within one.
//  4. Weighting, degrees of freedom, the epsilon and what becomes of a group of
//     one are always explicit: implementations in the field differ in all four.
//  5. Leaf rows weighed by ω_ℓ and edge rows weighed by ω_e give the same
//     gradient. Σ_ℓ ω_ℓ = 1 and ω_e = Σ_{ℓ∈e} ω_ℓ.
//  6. The ω-mean of tree.td and tree.gae over the children of a node is zero
//     where all of them are trained; so is the sum of chain.* over a prompt.
//     tree.subgroup and tree.shrunk promise neither.
//  7. No advantage is NaN or infinite; Estimate fails instead.
//
// A root with two rollouts, one of them forked:
//
//	one, zero := 1.0, 0.0
//	e := credit.Estimator{Method: credit.TD{Form: credit.TDLOO}, Options: credit.DefaultOptions()}
//	c, err := e.Estimate(credit.Forest{Nodes: []credit.Node{
//		{Parent: credit.NoParent},
//		{Parent: 0, Turns: 1},
//		{Parent: 1, Turns: 2, Reward: &one},
//		{Parent: 1, Turns: 1, Reward: &zero},
//		{Parent: 0, Turns: 3, Reward: &zero},
//	}})
//	advantages, weights := c.Turns([]int{1, 2}) // one number per turn
//
// [StepTargets] is for who trains a value model: what it should say of each node.
//
// It does not spread an advantage over tokens (package dataset does), and knows
// neither checkpoints nor turns: who calls it turns a tree into a Forest.
package credit
