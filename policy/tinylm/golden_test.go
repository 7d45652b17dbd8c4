package tinylm

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// goldenCase is what transformers computes in float32 on one prompt (examples/tinylm/golden.py).
type goldenCase struct {
	IDs    []int32   `json:"ids"`
	Last   []float32 `json:"last"`   // logits after the last id
	Scores []float32 `json:"scores"` // logprob of each id but the first
}

func readGolden(t *testing.T, name string) []goldenCase {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var g struct{ Cases []goldenCase }
	require.NoError(t, json.NewDecoder(z).Decode(&g))
	require.Len(t, g.Cases, 10)
	return g.Cases
}

func checkGolden(t *testing.T, m *Model, name string) {
	worst := 0.0
	for i, c := range readGolden(t, name) {
		var kv kvCache
		logits := m.forward(&scratch{}, []span{{seq: &kv, ids: c.IDs, want: wantAll}})
		last := logits[len(logits)-m.Vocab:]
		for id, want := range c.Last {
			worst = max(worst, math.Abs(float64(last[id]-want)))
			require.InDelta(t, want, last[id], 1e-3, "case %d, %d ids: logit of id %d", i, len(c.IDs), id)
		}
		for j, want := range c.Scores {
			require.InDelta(t, want, logprob(logits[j*m.Vocab:(j+1)*m.Vocab], c.IDs[j+1]), 1e-4, "case %d: score of id %d", i, j+1)
		}
	}
	t.Logf("largest difference of a logit from transformers': %.2g", worst)
}

func TestLogitsOfLlamaCheckpointAgreeWithTransformers(t *testing.T) {
	m, err := Load("testdata/llama")
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2}, m.EOS)
	checkGolden(t, m, "logits-llama.json.gz")
}
