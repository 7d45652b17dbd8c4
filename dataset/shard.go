package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// shardFile is one shard while it is written, under a temporary name.
type shardFile struct {
	fs FS
	// tmp is empty once the file has its final name.
	tmp    string
	path   string
	lim    limits
	file   File
	sink   *sink
	out    *bufio.Writer
	stream *ipc.Writer
	batch  *array.RecordBuilder
	// pending is what the open batch takes, about; pendingRows its rows.
	pending     int
	pendingRows int
	shard       Shard
}

// limits say when a batch and a shard are full.
type limits struct{ batchBytes, batchRows, shardBytes int }

// sink hashes and counts what goes to the file.
type sink struct {
	file  File
	sum   hash.Hash
	bytes int64
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	s.sum.Write(p[:n])
	s.bytes += int64(n)
	return n, err
}

func createShard(fs FS, dir string, md Metadata, t table, number int, lim limits, mem memory.Allocator) (*shardFile, error) {
	s := &shardFile{fs: fs, lim: lim, shard: Shard{Name: nameShard(t, number)}}
	s.path = filepath.Join(dir, filepath.FromSlash(s.shard.Name))
	s.tmp = s.path + tmpSuffix
	var err error
	if s.file, err = fs.Create(s.tmp); err != nil {
		return nil, fmt.Errorf("create %s: %w", s.tmp, err)
	}
	s.sink = &sink{file: s.file, sum: sha256.New()}
	s.out = bufio.NewWriterSize(s.sink, 1<<18)
	schema := md.schema(t)
	s.stream = ipc.NewWriter(s.out, ipc.WithSchema(schema), ipc.WithAllocator(mem))
	s.batch = array.NewRecordBuilder(mem, schema)
	if t == tableSamples {
		s.shard.Kinds = map[Kind]int{}
	}
	return s, nil
}

// room closes the open batch when a row of that size does not fit in it.
func (s *shardFile) room(size int) error {
	if s.pendingRows > 0 && (s.pending+size > s.lim.batchBytes || s.pendingRows >= s.lim.batchRows) {
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.pending += size
	s.pendingRows++
	s.shard.Rows++
	return nil
}

func (s *shardFile) addSample(row *Sample, info []byte) error {
	if err := s.room(row.bytes(info)); err != nil {
		return err
	}
	appendSample(s.batch, row, info)
	s.shard.Kinds[row.Kind]++
	return nil
}

func (s *shardFile) addNode(row *Node) error {
	if err := s.room(row.bytes()); err != nil {
		return err
	}
	appendNode(s.batch, row)
	return nil
}

// size is what the shard will take, about.
func (s *shardFile) size() int { return int(s.sink.bytes) + s.out.Buffered() + s.pending }

// flush writes the open batch.
func (s *shardFile) flush() error {
	rec := s.batch.NewRecord()
	defer rec.Release()
	s.pending, s.pendingRows = 0, 0
	if err := s.stream.Write(rec); err != nil {
		return fmt.Errorf("write a batch to %s: %w", s.tmp, err)
	}
	return nil
}

// finish makes the bytes durable under the temporary name.
func (s *shardFile) finish() error {
	if s.pendingRows > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	for _, step := range []func() error{s.stream.Close, s.out.Flush, s.file.Sync} {
		if err := step(); err != nil {
			return fmt.Errorf("finish %s: %w", s.tmp, err)
		}
	}
	file := s.file
	s.file = nil
	if err := file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", s.tmp, err)
	}
	s.shard.Bytes, s.shard.SHA256 = s.sink.bytes, hex.EncodeToString(s.sink.sum.Sum(nil))
	return nil
}

// discard closes and deletes the temporary file.
func (s *shardFile) discard() error {
	s.release()
	var err error
	if s.file != nil {
		err = s.file.Close()
	}
	if s.tmp != "" {
		err = errors.Join(err, s.fs.Remove(s.tmp))
	}
	return err
}

// publish gives the file its final name; the directory is not yet durable.
func (s *shardFile) publish() error {
	if err := s.fs.Rename(s.tmp, s.path); err != nil {
		return fmt.Errorf("rename %s: %w", s.tmp, err)
	}
	s.tmp = ""
	return nil
}

// release frees the open batch.
func (s *shardFile) release() {
	if s.batch != nil {
		s.batch.Release()
		s.batch = nil
	}
}
