package dataset

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/stretchr/testify/require"
)

// Bytes that break the Arrow reader are damage, not the end of the program:
// their hash may be right, when somebody wrote them on purpose.
func TestAReaderThatBreaksIsDamage(t *testing.T) {
	dir := t.TempDir()
	write(t, config(t, dir), simple("a"))
	m, err := ReadManifest(dir)
	require.NoError(t, err)
	err = openShard(dir, m.Shards[0], memory.DefaultAllocator, func(*ipc.Reader) error { panic("slice bounds out of range") })
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, m.Shards[0].Name)
}
