package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

var (
	sectionType  = reflect.TypeFor[Section]()
	durationType = reflect.TypeFor[time.Duration]()
)

func decodeInto(path string, n *yaml.Node, into any) error {
	return decode(path, n, reflect.ValueOf(into).Elem())
}

func decode(path string, n *yaml.Node, v reflect.Value) error {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case v.Type() == sectionType:
		return decodeSection(path, n, v)
	case v.Kind() == reflect.Pointer:
		if n.Tag == "!!null" {
			return nil
		}
		p := reflect.New(v.Type().Elem())
		if err := decode(path, n, p.Elem()); err != nil {
			return err
		}
		v.Set(p)
		return nil
	case v.Kind() == reflect.Struct:
		return decodeStruct(path, n, v)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		return decodeList(path, n, v)
	}
	return decodeScalar(path, n, v)
}

func decodeScalar(path string, n *yaml.Node, v reflect.Value) error {
	if n.Tag == "!!null" {
		return Problem{path, n.Line, "the value is missing"}
	}
	// YAML would read 3 as a string, "3" as a number and 1.5 as a whole number;
	// a job file means what it says.
	text, whole := v.Kind() == reflect.String, v.CanInt() || v.CanUint()
	wrong := n.Kind == yaml.ScalarNode && v.Type() != durationType &&
		(text != (n.Tag == "!!str") || whole && n.Tag == "!!float")
	if err := n.Decode(v.Addr().Interface()); err != nil || wrong {
		return Problem{path, n.Line, fmt.Sprintf("%s is not %s", show(n), typeName(v.Type()))}
	}
	if v.CanFloat() && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
		return Problem{path, n.Line, show(n) + " is not a finite number"}
	}
	return nil
}

func show(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("%q", n.Value)
}

func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 30s"
	case t.Kind() == reflect.String:
		return "text (quote it)"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return "a whole number"
	case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
		return "a whole number of at least 0"
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Map || t.Kind() == reflect.Struct:
		return "a mapping"
	}
	return "of the right type"
}

func decodeList(path string, n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.SequenceNode {
		return Problem{path, n.Line, show(n) + " is not a list"}
	}
	var errs []error
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		errs = append(errs, decode(fmt.Sprintf("%s[%d]", path, i), item, list.Index(i)))
	}
	v.Set(list)
	return errors.Join(errs...)
}

func decodeStruct(path string, n *yaml.Node, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return Problem{path, n.Line, show(n) + " is not a mapping"}
	}
	var errs []error
	fields := fieldsOf(v.Type())
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		if seen[key.Value] {
			errs = append(errs, Problem{at, key.Line, "the key appears twice"})
			continue
		}
		seen[key.Value] = true
		f, ok := find(fields, key.Value)
		if !ok {
			errs = append(errs, Problem{at, key.Line, "unknown key" + nearest(key.Value, names(fields))})
			continue
		}
		errs = append(errs, decode(at, value, v.FieldByIndex(f.index)))
	}
	return errors.Join(errs...)
}

// field is a key of a struct.
type field struct {
	name  string
	index []int
	typ   reflect.Type
}

// fieldsOf lists the keys of a struct: its yaml tags, embedded structs inline.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if opts == "inline" {
			for _, in := range fieldsOf(f.Type) {
				in.index = append([]int{i}, in.index...)
				out = append(out, in)
			}
			continue
		}
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		out = append(out, field{name, []int{i}, f.Type})
	}
	return out
}

func find(fields []field, name string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}
