package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Section is a part of a job file that is chosen by `kind:`. Its other keys are
// read by the kind.
type Section struct {
	Kind string
	path string
	node *yaml.Node
}

// Or is s with a kind where it has none: a section whose kind has a default may
// hold that kind's keys alone.
func (s Section) Or(path, kind string) Section {
	if s.Kind == "" {
		s.Kind, s.path = kind, path
	}
	return s
}

// Given reports whether the file has the section.
func (s Section) Given() bool { return s.Kind != "" || s.node != nil }

// Path is the key of the section.
func (s Section) Path() string { return s.path }

func decodeSection(path string, n *yaml.Node, v reflect.Value) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		v.Set(reflect.ValueOf(Section{Kind: n.Value, path: path}))
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return Problem{path, n.Line, show(n) + " is not a mapping with a kind"}
	}
	s := Section{path: path, node: n}
	if kind := child(n, "kind"); kind != nil {
		if kind.Kind != yaml.ScalarNode || kind.Value == "" {
			return Problem{join(path, "kind"), n.Line, "is not the name of a kind"}
		}
		s.Kind = kind.Value
	}
	v.Set(reflect.ValueOf(s))
	return nil
}

// Registry holds the kinds that a section may name. D is what making one needs
// besides its configuration, T is what is made.
type Registry[D, T any] struct {
	// What names the section in errors, such as "environment".
	What  string
	kinds map[string]kind[D, T]
}

type kind[D, T any] struct {
	doc string
	// defaults is the configuration of a section without keys.
	defaults any
	build    func(D, any) (T, error)
}

// Register adds a kind to a registry. C is its configuration: a struct with
// yaml tags, whose Validate method, if it has one, reports every problem. doc
// is one line for the schema. A name that exists already is replaced.
func Register[C, D, T any](r *Registry[D, T], name, doc string, build func(D, C) (T, error)) {
	var zero C
	RegisterDefaults(r, name, doc, zero, build)
}

// RegisterDefaults is [Register] for a kind whose defaults are not the zero of
// its configuration: a key that is absent keeps its value of defaults.
func RegisterDefaults[C, D, T any](r *Registry[D, T], name, doc string, defaults C, build func(D, C) (T, error)) {
	if r.kinds == nil {
		r.kinds = map[string]kind[D, T]{}
	}
	r.kinds[name] = kind[D, T]{doc, defaults, func(d D, c any) (T, error) { return build(d, c.(C)) }}
}

// Kinds lists the names, sorted.
func (r *Registry[D, T]) Kinds() []string { return slices.Sorted(maps.Keys(r.kinds)) }

// Has reports whether a kind is registered.
func (r *Registry[D, T]) Has(kind string) bool { _, ok := r.kinds[kind]; return ok }

// Check reads a section's configuration without making anything.
func (r *Registry[D, T]) Check(s Section) error {
	_, _, err := r.read(s)
	return err
}

// JSON is a section's configuration with the defaults of what is absent, as JSON
// with sorted keys. Sections within it are named by their kind alone.
func (r *Registry[D, T]) JSON(s Section) ([]byte, error) {
	_, c, err := r.read(s)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(plain(reflect.ValueOf(c)))
	if err != nil {
		return nil, fmt.Errorf("write the keys of %s: %w", s.path, err)
	}
	return b, nil
}

// Build makes what a section describes.
func (r *Registry[D, T]) Build(d D, s Section) (T, error) {
	var zero T
	k, c, err := r.read(s)
	if err != nil {
		return zero, err
	}
	out, err := k.build(d, c)
	if err != nil {
		return zero, under(s.path, s.line(), err)
	}
	return out, nil
}

func (s Section) line() int {
	if s.node == nil {
		return 0
	}
	return s.node.Line
}

// validator is a configuration that checks itself.
type validator interface{ Validate() error }

func (r *Registry[D, T]) read(s Section) (kind[D, T], any, error) {
	k, ok := r.kinds[s.Kind]
	if s.Kind == "" {
		return k, nil, Problem{s.path, s.line(), fmt.Sprintf("kind is missing: say which %s (known: %s)", r.What, strings.Join(r.Kinds(), ", "))}
	}
	if !ok {
		return k, nil, Problem{join(s.path, "kind"), s.line(), fmt.Sprintf("no %s of kind %q%s (known: %s)", r.What, s.Kind, nearest(s.Kind, r.Kinds()), strings.Join(r.Kinds(), ", "))}
	}
	v := reflect.New(reflect.TypeOf(k.defaults)).Elem()
	v.Set(reflect.ValueOf(k.defaults))
	if s.node != nil {
		if err := decodeStruct(s.path, without(s.node, "kind"), v); err != nil {
			return k, nil, err
		}
	}
	if c, ok := v.Interface().(validator); ok {
		if err := c.Validate(); err != nil {
			return k, nil, under(s.path, s.line(), err)
		}
	}
	return k, v.Interface(), nil
}

func without(n *yaml.Node, key string) *yaml.Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}

// Under puts an error below a section's key, for problems found later.
func (s Section) Under(err error) error { return under(s.path, s.line(), err) }

// Join is errors.Join over problems, each once.
func Join(errs ...error) error {
	var out []error
	seen := map[string]bool{}
	for _, e := range flatten(errors.Join(errs...)) {
		if !seen[e.Error()] {
			seen[e.Error()] = true
			out = append(out, e)
		}
	}
	return errors.Join(out...)
}
