package tokenizer

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// The cached form of a tokenizer: all that tokenizer.json says, in a form that loads in
// a tenth of the time.
//
//	magic    16 bytes, the version in the last
//	hash     64 bytes, Hash
//	header   length, then JSON: tokenizer.json without vocabulary and merges
//	entries  count, then for each by ascending id: id less the one before, length, spelling
//	merges   count, then for each by rank: left, right, id
//	checksum CRC-32C of all before, 4 bytes little-endian
//
// Lengths, counts and ids are unsigned varints.

const cacheMagic = "focus tokenizer\x01"

// ErrCorrupt is wrapped by the error for a cached form that is cut, altered or of
// another version. The tokenizer can be loaded from its tokenizer.json and saved again.
var ErrCorrupt = errors.New("corrupt tokenizer cache")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Save writes the cached form of t, added tokens of a tokenizer_config.json included.
func (t *Tokenizer) Save(w io.Writer) error {
	head, err := json.Marshal(t.header)
	if err != nil {
		return fmt.Errorf("save tokenizer: %w", err)
	}
	b := append([]byte(cacheMagic), t.hash...)
	b = binary.AppendUvarint(b, uint64(len(head)))
	b = append(b, head...)
	b = binary.AppendUvarint(b, uint64(t.vocab.count()))
	before := int32(0)
	for e := range t.vocab.entries() {
		b = binary.AppendUvarint(b, uint64(e.id-before))
		before = e.id
		b = binary.AppendUvarint(b, uint64(len(e.spelling)))
		b = append(b, e.spelling...)
	}
	merges := t.model.merges.list()
	b = binary.AppendUvarint(b, uint64(len(merges)))
	for _, m := range merges {
		for _, id := range []int32{m.left, m.right, m.id} {
			b = binary.AppendUvarint(b, uint64(id))
		}
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("save tokenizer: %w", err)
	}
	return nil
}

// LoadCache reads what Save wrote. The caller compares Hash with what it wanted.
func LoadCache(r io.Reader) (*Tokenizer, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("load tokenizer cache: %w", err)
	}
	end := len(data) - crc32.Size
	if end < 0 || crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, fmt.Errorf("%w: checksum differs", ErrCorrupt)
	}
	return decodeCache(string(data[:end]))
}

// LoadCached is Load by way of a folder of cached forms, one for each tokenizer.json:
// it reads the one that is there, or parses and leaves one for the next time.
func LoadCached(dir, cacheDir string) (*Tokenizer, error) {
	data, err := os.ReadFile(filepath.Join(dir, tokenizerFile))
	if err != nil {
		return nil, fmt.Errorf("tokenizer of %s: %w", dir, err)
	}
	hash := hashOf(data)
	path := filepath.Join(cacheDir, hash+".tokenizer")
	t, err := readCache(path, hash)
	if err != nil {
		if t, err = Parse(data); err != nil {
			return nil, fmt.Errorf("tokenizer of %s: %w", dir, err)
		}
		if err := t.writeCache(path); err != nil {
			return nil, fmt.Errorf("cache tokenizer of %s: %w", dir, err)
		}
	}
	if t, err = t.withConfig(os.DirFS(dir)); err != nil {
		return nil, fmt.Errorf("tokenizer of %s: %w", dir, err)
	}
	return t, nil
}

func readCache(path, hash string) (*Tokenizer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := LoadCache(f)
	if err != nil {
		return nil, err
	}
	if t.hash != hash {
		return nil, fmt.Errorf("%w: of another tokenizer", ErrCorrupt)
	}
	return t, nil
}

// writeCache writes beside path and renames, so that nobody reads half of it.
func (t *Tokenizer) writeCache(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "new-*")
	if err != nil {
		return err
	}
	err = t.Save(f)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
