package jinja

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// FromGo converts a trusted Go value, as configuration files hold them: nil, bool, numbers, json.Number, strings, lists and
// maps with string keys, whose entries come in the order of their keys. A Value is returned as it is.
func FromGo(v any) (Value, error) {
	switch x := v.(type) {
	case nil:
		return None, nil
	case Value:
		return x, nil
	case bool:
		return Bool(x), nil
	case int:
		return Int(x), nil
	case int64:
		return Int(x), nil
	case float64:
		return Float(x), nil
	case json.Number:
		n, err := Number(x.String())
		if err != nil {
			return nil, fmt.Errorf("number %s: %w", x, err)
		}
		return n, nil
	case string:
		return String(x), nil
	case []any:
		l := &List{items: make([]Value, len(x))}
		for i, e := range x {
			var err error
			if l.items[i], err = FromGo(e); err != nil {
				return nil, fmt.Errorf("item %d: %w", i, err)
			}
		}
		return l, nil
	case map[string]any:
		d := NewDict(len(x))
		for _, k := range slices.Sorted(maps.Keys(x)) {
			e, err := FromGo(x[k])
			if err != nil {
				return nil, fmt.Errorf("key %s: %w", k, err)
			}
			d.Set(k, e)
		}
		return d, nil
	}
	return nil, fmt.Errorf("a template cannot hold a Go %T", v)
}
