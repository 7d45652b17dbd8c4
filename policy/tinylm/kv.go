package tinylm

// blockLen is how many positions a block of keys and values holds; sharing between sequences is by whole blocks.
const blockLen = 16

// block holds the keys and values of blockLen consecutive positions, [layer][kvHead][position][headDim].
// Once full it is never written again, and may be shared.
type block struct {
	k, v []float32
}

// floatsPerBlock is the size of one of a block's two halves.
func (c *Config) floatsPerBlock() int { return c.Layers * c.KVHeads * blockLen * c.HeadDim }

// kvCache is one sequence's keys and values: n positions in ceil(n/blockLen) blocks.
type kvCache struct {
	blocks []*block
	n      int
}

// reserve makes room for positions up to n.
func (s *kvCache) reserve(c *Config, n int) {
	for len(s.blocks)*blockLen < n {
		size := c.floatsPerBlock()
		buf := make([]float32, 2*size)
		s.blocks = append(s.blocks, &block{k: buf[:size:size], v: buf[size:]})
	}
}
