package tinylm

import (
	"container/list"
	"sync"
)

// prefixCache keeps the full blocks of past sequences in a trie keyed by their ids, so that siblings of a group,
// shared system prompts and later turns of one conversation do not compute them again.
// It is bounded in blocks; the least recently used leaf goes first. A sequence that uses an evicted block keeps
// it alive itself, so eviction never invalidates anything.
type prefixCache struct {
	mu    sync.Mutex
	limit int // most blocks kept; 0 keeps none
	root  node
	lru   list.List // of *node, most recent first; a node is always ahead of its children
}

type blockIDs [blockLen]int32

type node struct {
	ids      blockIDs
	block    *block
	parent   *node
	children map[blockIDs]*node
	elem     *list.Element
}

// extend adds to blocks, which hold the start of ids, the cached blocks that follow, without going past most ids.
func (p *prefixCache) extend(blocks []*block, ids []int32, most int) []*block {
	if p.limit == 0 {
		return blocks
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := &p.root
	for i := 0; (i+1)*blockLen <= most; i++ {
		next := at.children[blockIDs(ids[i*blockLen:])]
		if next == nil {
			break
		}
		if at = next; i >= len(blocks) {
			blocks = append(blocks, at.block)
		}
	}
	p.touch(at)
	return blocks
}

// insert keeps the full blocks of a sequence that holds at least these ids. Where the trie already has a block for
// the same ids, the sequence's own is replaced by it: the values are equal, and one copy suffices.
func (p *prefixCache) insert(blocks []*block, ids []int32) {
	if p.limit == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := &p.root
	for i := 0; (i+1)*blockLen <= len(ids); i++ {
		key := blockIDs(ids[i*blockLen:])
		next := at.children[key]
		if next == nil {
			next = &node{ids: key, block: blocks[i], parent: at}
			next.elem = p.lru.PushBack(next)
			if at.children == nil {
				at.children = make(map[blockIDs]*node)
			}
			at.children[key] = next
		}
		blocks[i] = next.block
		at = next
	}
	p.touch(at)
	for p.lru.Len() > p.limit {
		p.drop(p.lru.Back().Value.(*node))
	}
}

// touch makes a node and its ancestors the most recent, ancestors last: so the back of the list is always a leaf.
func (p *prefixCache) touch(n *node) {
	for ; n.parent != nil; n = n.parent {
		p.lru.MoveToFront(n.elem)
	}
}

func (p *prefixCache) drop(n *node) {
	p.lru.Remove(n.elem)
	delete(n.parent.children, n.ids)
}
