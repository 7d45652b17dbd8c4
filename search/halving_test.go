package search

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The schedules of tree-rl.md, W13.
func TestW13SequentialHalving(t *testing.T) {
	for _, tc := range []struct {
		arms, budget int
		want         []Round
	}{
		{8, 24, []Round{{8, 1}, {4, 2}, {2, 4}}},
		{6, 36, []Round{{6, 2}, {3, 4}, {2, 6}}},
		{2, 1, []Round{{2, 1}}},
	} {
		got, err := HalvingRounds(tc.arms, tc.budget)
		require.NoError(t, err)
		require.Equal(t, tc.want, got, "%d arms, budget %d", tc.arms, tc.budget)
	}
	_, err := HalvingRounds(1, 24)
	require.ErrorContains(t, err, "arms is 1")
}
