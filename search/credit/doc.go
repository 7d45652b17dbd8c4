// Package credit turns the rewards of a group into advantages. Estimators are
// pure functions: the same numbers in give the same bits out.
//
// Invariants:
//
//  1. A rollout without a reward gets no advantage and does not move the
//     baseline of the others.
//  2. A group whose rewards are all equal gets exactly zero everywhere.
//  3. The advantages of a group sum to zero.
//  4. Degrees of freedom, the epsilon and what becomes of a group of one are
//     always explicit: implementations in the field differ in all three.
//
// A group of two:
//
//	g := credit.GRPO{DDof: 1, Eps: 1e-6, Singleton: credit.SingletonZero}
//	a := g.Advantages([]*float64{&one, &zero}) // +0.707, -0.707
//
// It does not spread an advantage over tokens (package dataset does) and knows
// nothing of trees yet.
package credit
