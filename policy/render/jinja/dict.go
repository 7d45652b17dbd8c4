package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
)

// Dict is a Python dict: it keeps the order in which keys were first set.
type Dict struct {
	keys, vals []Value
	strs       map[string]int // positions of string keys; nil while the dict is small
	others     map[string]int // positions of other keys by hashKey
}

func (*Dict) typeName() string { return "dict" }

// NewDict returns an empty dict with room for n entries.
func NewDict(n int) *Dict {
	return &Dict{keys: make([]Value, 0, n), vals: make([]Value, 0, n)}
}

// indexFrom is the size from which a map beats comparing keys one by one.
const indexFrom = 9

// Set stores v under a string key. A dict must not be set once it was given to Render.
func (d *Dict) Set(key string, v Value) { d.put(String(key), v) }

// Get returns what is stored under a string key.
func (d *Dict) Get(key string) (Value, bool) {
	i := d.findStr(key)
	if i < 0 {
		return nil, false
	}
	return d.vals[i], true
}

// Len returns the number of entries.
func (d *Dict) Len() int { return len(d.keys) }

// All calls yield with each entry in order until it returns false.
func (d *Dict) All(yield func(key, val Value) bool) {
	for i, k := range d.keys {
		if !yield(k, d.vals[i]) {
			return
		}
	}
}

func (d *Dict) findStr(key string) int {
	if d.strs != nil {
		if i, ok := d.strs[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range d.keys {
		if s, ok := k.(*Str); ok && s.s == key {
			return i
		}
	}
	return -1
}

// find returns the position of a hashable key, or -1.
func (d *Dict) find(key Value) int {
	if s, ok := key.(*Str); ok {
		return d.findStr(s.s)
	}
	h, ok := hashKey(key, 0)
	if !ok {
		return -1
	}
	if d.strs != nil {
		if i, ok := d.others[h]; ok {
			return i
		}
		return -1
	}
	for i, k := range d.keys {
		if _, ok := k.(*Str); ok {
			continue
		}
		if g, _ := hashKey(k, 0); g == h {
			return i
		}
	}
	return -1
}

// put stores under a hashable key; the key that was there first stays.
func (d *Dict) put(key, v Value) {
	if i := d.find(key); i >= 0 {
		d.vals[i] = v
		return
	}
	d.keys, d.vals = append(d.keys, key), append(d.vals, v)
	switch {
	case d.strs != nil:
		d.note(len(d.keys) - 1)
	case len(d.keys) >= indexFrom:
		d.strs = make(map[string]int, 2*len(d.keys))
		for i := range d.keys {
			d.note(i)
		}
	}
}

// note adds key i to the index.
func (d *Dict) note(i int) {
	if s, ok := d.keys[i].(*Str); ok {
		d.strs[s.s] = i
		return
	}
	if d.others == nil {
		d.others = map[string]int{}
	}
	h, _ := hashKey(d.keys[i], 0)
	d.others[h] = i
}

func (d *Dict) clone() *Dict {
	c := NewDict(len(d.keys))
	for i, k := range d.keys {
		c.put(k, d.vals[i])
	}
	return c
}

// maxHash bounds a key's text: tuples that share their items can be short to write and endless to walk.
const maxHash = 1 << 16

// hashKey returns a text that is equal for keys Python holds equal, and false for unhashable values.
func hashKey(v Value, depth int) (string, bool) {
	switch x := v.(type) {
	case *Str:
		return "s" + x.s, true
	case Int:
		return "i" + strconv.FormatInt(int64(x), 10), true
	case Bool:
		if x {
			return "i1", true
		}
		return "i0", true
	case *BigInt:
		return "i" + x.n.String(), true
	case Float:
		f := float64(x)
		if f == math.Trunc(f) && !math.IsInf(f, 0) {
			n, _ := big.NewFloat(f).Int(nil)
			return "i" + n.String(), true
		}
		return "f" + strconv.FormatFloat(f, 'g', -1, 64), true
	case noneType:
		return "n", true
	case *undefined:
		return "u", true
	case *Tuple:
		h := "t"
		for _, e := range x.items {
			g, ok := hashKey(e, depth+1)
			if !ok || depth > maxValueDepth || len(h) > maxHash {
				return "", false
			}
			h += strconv.Itoa(len(g)) + ":" + g
		}
		return h, true
	case *List, *Dict, *dictView:
		return "", false
	}
	return fmt.Sprintf("p%p", v), true
}

// dictView is what d.keys(), d.values() and d.items() return.
type dictView struct {
	d    *Dict
	kind string // keys, values or items
}

func (v *dictView) typeName() string { return "dict_" + v.kind }

func (v *dictView) at(i int) Value {
	switch v.kind {
	case "keys":
		return v.d.keys[i]
	case "values":
		return v.d.vals[i]
	}
	return newTuple(v.d.keys[i], v.d.vals[i])
}
