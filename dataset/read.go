package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// Run is a run's directory, read through its manifest.
type Run struct {
	Dir      string
	Manifest Manifest

	mem memory.Allocator
	// seen, when set, is told what each file says about the run.
	seen func(s Shard, md Metadata, format int)
}

// Read opens the run in dir. Files are opened when their rows are asked for.
func Read(dir string) (*Run, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	return &Run{Dir: dir, Manifest: m, mem: memory.DefaultAllocator}, nil
}

// Samples walks the rows of all samples shards in file order. An error is the
// last thing it yields.
func (r *Run) Samples() iter.Seq2[*Sample, error] {
	return rowsOf(r, tableSamples, readSample)
}

// Nodes walks the rows of all nodes shards in file order. An error is the last
// thing it yields.
func (r *Run) Nodes() iter.Seq2[*Node, error] {
	return rowsOf(r, tableNodes, readNode)
}

// Metadata is what the files say about the run, read from the first of them.
func (r *Run) Metadata() (Metadata, error) {
	for _, s := range r.Manifest.Shards {
		t, _, _ := s.parse()
		var out Metadata
		err := openShard(r.Dir, s, r.mem, func(rd *ipc.Reader) (err error) {
			out, err = readMetadata(rd.Schema(), t)
			return err
		})
		return out, err
	}
	return Metadata{RunID: r.Manifest.RunID}, nil
}

func (r *Run) shards(t table) []Shard {
	var out []Shard
	for _, s := range r.Manifest.Shards {
		if of, _, _ := s.parse(); of == t {
			out = append(out, s)
		}
	}
	return out
}

func rowsOf[R any](r *Run, t table, read func(arrow.Record, int) (*R, error)) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		for _, s := range r.shards(t) {
			for row, err := range rowsIn(r, t, s, read) {
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

// errStop ends a walk that its reader left.
var errStop = errors.New("stop")

// rowsIn walks the rows of one shard.
func rowsIn[R any](r *Run, t table, s Shard, read func(arrow.Record, int) (*R, error)) iter.Seq2[*R, error] {
	return func(yield func(*R, error) bool) {
		err := openShard(r.Dir, s, r.mem, func(rd *ipc.Reader) error {
			md, err := readMetadata(rd.Schema(), t)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			if md.RunID != r.Manifest.RunID {
				return fmt.Errorf("%w: it belongs to run %s", ErrDamaged, md.RunID)
			}
			if r.seen != nil {
				r.seen(s, md, formatOf(rd.Schema()))
			}
			n := 0
			for rd.Next() {
				rec := rd.Record()
				for i := range int(rec.NumRows()) {
					row, err := read(rec, i)
					if err != nil {
						return fmt.Errorf("row %d: %w", n, err)
					}
					if !yield(row, nil) {
						return errStop
					}
					n++
				}
			}
			if err := rd.Err(); err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("%w: after row %d: %w", ErrDamaged, n, err)
			}
			// A stream that ends early reads as a clean end.
			if n != s.Rows {
				return fmt.Errorf("%w: %d rows, the manifest says %d", ErrDamaged, n, s.Rows)
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, fmt.Errorf("read %s: %w", s.Name, err))
		}
	}
}

// openShard proves a file and hands its stream to use. Nothing is given to
// Arrow before its hash was checked: a flipped bit in a schema makes the reader
// ask for hundreds of gigabytes.
func openShard(dir string, s Shard, mem memory.Allocator, use func(*ipc.Reader) error) (err error) {
	f, err := prove(dir, s)
	if err != nil {
		return err
	}
	defer func() {
		// Bytes that are not what this package wrote can break the reader.
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %w: the Arrow reader broke: %v", s.Name, ErrDamaged, r)
		}
		err = errors.Join(err, f.Close())
	}()
	rd, err := ipc.NewReader(bufio.NewReaderSize(f, 1<<18), ipc.WithAllocator(mem))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer rd.Release()
	return use(rd)
}

// prove opens a file, checks its size and hash, and leaves it at its start.
func prove(dir string, s Shard) (*os.File, error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(s.Name)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err == nil {
		switch got := hex.EncodeToString(sum.Sum(nil)); {
		case n != s.Bytes:
			err = fmt.Errorf("%s: %w: %d bytes, the manifest says %d", s.Name, ErrDamaged, n, s.Bytes)
		case got != s.SHA256:
			err = fmt.Errorf("%s: %w: SHA-256 is %s, the manifest says %s", s.Name, ErrDamaged, got, s.SHA256)
		default:
			_, err = f.Seek(0, io.SeekStart)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
