package trees

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"focus/rollout"
)

func leaves(tokens int, rewards ...float64) []Leaf {
	out := make([]Leaf, len(rewards))
	for i, r := range rewards {
		out[i] = Leaf{Node: int32(i + 1), Reward: r, Reply: string(rune('a' + i%2)), Tokens: tokens}
	}
	return out
}

func TestCompare(t *testing.T) {
	tree := map[rollout.TaskID]*Task{
		"one": {ID: "one", Tokens: 34, Leaves: leaves(5, 1, 0, 0, 1), Effective: 3},
		"two": {ID: "two", Tokens: 36, Leaves: leaves(5, 1, 1), Effective: 2},
		"far": {ID: "far", Tokens: 900, Leaves: leaves(5, 1, 0)},
	}
	group := map[rollout.TaskID]*Task{
		"one": {ID: "one", Tokens: 80, Leaves: leaves(10, 1, 1, 1, 0, 1, 1, 1, 1)},
		"two": {ID: "two", Tokens: 80, Leaves: leaves(10, 1, 1, 1, 0, 1, 1, 1, 1)},
		"far": {ID: "far", Tokens: 80, Leaves: leaves(10, 1)},
	}
	row := Compare("s", tree, group)
	require.Equal(t, Row{
		Strategy: "s", Tasks: 2, Short: 1,
		Tree:        Figures{Leaves: 3, Distinct: 2, Effective: 2.5, Mixed: 0.5, Tokens: 35},
		Independent: Figures{Leaves: 3.5, Distinct: 2, Effective: 3.5, Mixed: 0.5, Tokens: 35},
	}, row, "34 tokens are nearest to three rollouts, 36 to four; 900 are more than the group has")
	var b bytes.Buffer
	require.NoError(t, WriteMarkdown(&b, []Row{row}))
	require.Contains(t, b.String(), "| `s` | 2 | 35 / 35 | 3.0 / 3.5 | 2.0 / 2.0 | 50 % / 50 % | 2.5 / 3.5 |")
}
