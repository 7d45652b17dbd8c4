package dataset

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const goodManifest = `{"format": 1, "run_id": "r", "finished": true, "shards": [
	{"name": "shards/samples-000000.arrows", "bytes": 1, "sha256": "00", "rows": 1, "kinds": {"task": 1}},
	{"name": "shards/nodes-000000.arrows", "bytes": 1, "sha256": "00", "rows": 1}]}`

func TestParseManifest(t *testing.T) {
	m, err := parseManifest([]byte(goodManifest))
	require.NoError(t, err)
	require.Equal(t, 1, m.next())
	for name, data := range map[string]string{
		"empty":           ``,
		"cut":             goodManifest[:40],
		"more":            goodManifest + `{}`,
		"unknown key":     `{"format": 1, "run_id": "r", "shard": []}`,
		"later format":    `{"format": 3, "run_id": "r", "shards": []}`,
		"no run":          `{"format": 1, "shards": []}`,
		"outside":         `{"format": 1, "run_id": "r", "shards": [{"name": "../samples-000000.arrows"}]}`,
		"absolute":        `{"format": 1, "run_id": "r", "shards": [{"name": "/shards/samples-000000.arrows"}]}`,
		"another name":    `{"format": 1, "run_id": "r", "shards": [{"name": "shards/x.arrows"}]}`,
		"listed twice":    `{"format": 1, "run_id": "r", "shards": [{"name": "shards/nodes-000000.arrows"}, {"name": "shards/nodes-000000.arrows"}]}`,
		"numbers go down": `{"format": 1, "run_id": "r", "shards": [{"name": "shards/nodes-000001.arrows"}, {"name": "shards/nodes-000000.arrows"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseManifest([]byte(data))
			require.ErrorIs(t, err, ErrDamaged)
		})
	}
}

// FuzzManifest: what parses names files of this package only, once each.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(goodManifest))
	f.Add([]byte(`{"format":1,"run_id":"r","shards":[{"name":"shards/../../x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data)
		if err != nil {
			require.ErrorIs(t, err, ErrDamaged)
			return
		}
		seen := map[string]bool{}
		for _, s := range m.Shards {
			require.Regexp(t, shardName, s.Name)
			require.False(t, seen[s.Name])
			seen[s.Name] = true
		}
	})
}
