package tokenizer

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// decodeCache makes a tokenizer of the cached form, whose checksum is right.
func decodeCache(data string) (*Tokenizer, error) {
	r := cacheReader{data: data}
	if !strings.HasPrefix(data, cacheMagic) {
		return nil, r.corrupt("not of this version")
	}
	r.at = len(cacheMagic)
	hash := r.bytes(2 * 32)
	head := r.bytes(r.count())
	s := &spec{entries: r.entries(), merges: nil}
	s.merges = r.merges()
	switch {
	case r.bad:
		return nil, r.corrupt("cut")
	case r.at != len(data):
		return nil, r.corrupt("more than a tokenizer")
	}
	if _, err := hex.DecodeString(hash); err != nil {
		return nil, r.corrupt("hash is not one")
	}
	if err := json.Unmarshal([]byte(head), &s.header); err != nil {
		return nil, r.corrupt("header: " + err.Error())
	}
	if err := s.checkIDs(); err != nil {
		return nil, r.corrupt(err.Error())
	}
	return build(s, strings.Clone(hash))
}

// cacheReader reads from data; once something is missing all it reads is zero.
type cacheReader struct {
	data string
	at   int
	bad  bool
}

func (r *cacheReader) corrupt(what string) error {
	return fmt.Errorf("%w: at byte %d: %s", ErrCorrupt, r.at, what)
}

func (r *cacheReader) bytes(n int) string {
	if r.bad || n > len(r.data)-r.at {
		r.bad = true
		return ""
	}
	s := r.data[r.at : r.at+n]
	r.at += n
	return s
}

// number reads a varint up to the largest id.
func (r *cacheReader) number() int32 {
	n := uint64(0)
	for shift := 0; r.at < len(r.data) && shift < 35; shift += 7 {
		b := r.data[r.at]
		r.at++
		n |= uint64(b&0x7F) << shift
		if b < 0x80 {
			if n > math.MaxInt32 {
				break
			}
			return int32(n)
		}
	}
	r.bad = true
	return 0
}

// count reads the number of things that follow, each at least a byte long.
func (r *cacheReader) count() int {
	n := int(r.number())
	if n > len(r.data)-r.at {
		r.bad = true
		return 0
	}
	return n
}

func (r *cacheReader) entries() []entry {
	entries := make([]entry, 0, r.count())
	id := int64(0)
	for range cap(entries) {
		id = min(id+int64(r.number()), math.MaxInt32)
		entries = append(entries, entry{r.bytes(r.count()), int32(id)})
		if r.bad {
			return nil
		}
	}
	return entries
}

func (r *cacheReader) merges() []merge {
	merges := make([]merge, 0, r.count())
	for range cap(merges) {
		merges = append(merges, merge{r.number(), r.number(), r.number()})
		if r.bad {
			return nil
		}
	}
	return merges
}
