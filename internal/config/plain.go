package config

import (
	"fmt"
	"reflect"
	"time"
)

// plain is a configuration as what JSON knows, by the keys that the decoder
// reads; of two fields with one key, the one that it fills.
func plain(v reflect.Value) any {
	switch {
	case v.Type() == sectionType:
		return v.Interface().(Section).Kind
	case v.Type() == durationType:
		return time.Duration(v.Int()).String()
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	case reflect.Struct:
		keys := map[string]any{}
		for _, f := range fieldsOf(v.Type()) {
			if _, ok := keys[f.name]; !ok {
				keys[f.name] = plain(v.FieldByIndex(f.index))
			}
		}
		return keys
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	case reflect.Map:
		keys := map[string]any{}
		for it := v.MapRange(); it.Next(); {
			keys[fmt.Sprint(it.Key())] = plain(it.Value())
		}
		return keys
	}
	return v.Interface()
}
