package search

import (
	"cmp"
	"math"
	"slices"
)

// apportion shares a total out by weight, at least one each: what is left after
// that goes by the largest remainder, ties to who comes first. The total must be
// no less than the number of weights, and a weight must be above 0.
func apportion(weights []float64, total int) []int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	rest := total - len(weights)
	out, fractions, order := make([]int, len(weights)), make([]float64, len(weights)), make([]int, len(weights))
	left := rest
	for i, w := range weights {
		whole, fraction := math.Modf(w / sum * float64(rest))
		// Remainders that differ by rounding alone are equal.
		out[i], fractions[i], order[i] = 1+int(whole), math.Round(fraction*1e9), i
		left -= int(whole)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(fractions[b], fractions[a]) })
	for _, i := range order[:max(0, left)] {
		out[i]++
	}
	return out
}
