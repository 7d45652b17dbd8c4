package search

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func drawVinePPO(t *rapid.T) VinePPO {
	return VinePPO{
		Chains: rapid.IntRange(1, 3).Draw(t, "chains"), Probes: rapid.IntRange(1, 3).Draw(t, "probes"),
		Steps: rapid.IntRange(1, 4).Draw(t, "steps"),
	}
}

func TestVinePPOProbesEveryStepOfAChain(t *testing.T) {
	script := func(x Expansion, depth int) step {
		if x.Probe || depth == 3 {
			return ends(float64(x.Ticket % 2))
		}
		return goesOn()
	}
	s := followed(t, VinePPO{Chains: 2, Probes: 2, Steps: 25}.Strategy(), script)
	// Chains are nodes 1 to 4 and 5 to 8; their last are ends.
	require.Equal(t, []NodeID{0, 0, 1, 1, 2, 2, 3, 3, 5, 5, 6, 6, 7, 7}, froms(s.asked))
	for n := range s.Tree().Nodes() {
		require.Equal(t, n.ID > 8, n.Probe(), "node %d", n.ID)
		require.False(t, n.Probe() && n.Branchable)
	}
	s = followed(t, VinePPO{Chains: 1, Probes: 1, Steps: 2}.Strategy(), script)
	require.Equal(t, []NodeID{0, 1, 2}, froms(s.asked), "the first steps of a long chain")
}

func TestVinePPODefaults(t *testing.T) {
	s := followed(t, DefaultVinePPO().Strategy(), func(x Expansion, depth int) step {
		if depth == 29 {
			return ends(1)
		}
		return goesOn()
	})
	require.Len(t, s.asked, 8+8*25*9)
}

func TestVinePPOValidate(t *testing.T) {
	require.EqualError(t, VinePPO{}.Validate(), "chains is 0, must be at least 1\nprobes is 0, must be at least 1\nsteps is 0, must be at least 1")
}
