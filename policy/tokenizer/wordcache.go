package tokenizer

import (
	"hash/maphash"
	"sync/atomic"
)

// wordCache remembers the ids of words. It has a fixed number of places, a word has
// one of them, and a newer word takes an older one's: bounded, and without a lock.
type wordCache struct {
	seed   maphash.Seed
	places []atomic.Pointer[cachedWord]
}

// cachedWord does not change once it is in the cache.
type cachedWord struct {
	word string
	ids  []int32
}

const (
	maxCachedWord = 64
	cachePlaces   = 1 << 16 // at most about 8 MB; ordinary text has far fewer words
)

func newWordCache() *wordCache {
	return &wordCache{seed: maphash.MakeSeed(), places: make([]atomic.Pointer[cachedWord], cachePlaces)}
}

func (c *wordCache) hash(word string) uint64 { return maphash.String(c.seed, word) }

func (c *wordCache) get(hash uint64, word string) ([]int32, bool) {
	w := c.places[hash%cachePlaces].Load()
	if w == nil || w.word != word {
		return nil, false
	}
	return w.ids, true
}

func (c *wordCache) put(hash uint64, word string, ids []int32) {
	// A copy of the word, so that the cache does not keep the whole text alive.
	w := &cachedWord{word: string(append([]byte(nil), word...)), ids: append([]int32(nil), ids...)}
	c.places[hash%cachePlaces].Store(w)
}
