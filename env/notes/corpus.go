package notes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// corpus is the notes of one task; it is not changed once made.
type corpus struct {
	people []person
	// seed and filler make the diaries when a note is read: thousands of
	// rollouts hold a corpus, and each reads a few of its notes.
	seed   int64
	filler int
	// question is the chain asked for, such as Milo.boss.food; key is the chain
	// with what it leads to, such as Milo.boss=Ugo.food=rice.
	question, key, answer string
}

type person struct {
	name  string
	id    int
	facts []fact
}

type fact struct{ key, value string }

// note is what a read of a person shows: a name line, then the facts with the
// diary spread over them.
func (c *corpus) note(p person) string {
	var b strings.Builder
	b.WriteString(p.name)
	r := rand.New(rand.NewPCG(uint64(c.seed), uint64(p.id)))
	left, facts := c.filler, p.facts
	for day := 1; left+len(facts) > 0; {
		if r.IntN(left+len(facts)) >= left {
			fmt.Fprintf(&b, "\n%s=%s", facts[0].key, facts[0].value)
			facts = facts[1:]
			continue
		}
		errand := func() string { return errands[r.IntN(len(errands))] }
		fmt.Fprintf(&b, "\nday%d=%s,%s,%s", day, errand(), errand(), errand())
		day, left = day+1, left-1
	}
	return b.String()
}

func newCorpus(cfg Config, seed int64) *corpus {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	c := &corpus{people: make([]person, cfg.People), seed: seed, filler: cfg.Filler}
	who, ids := r.Perm(len(names)), r.Perm(90)
	for i := range c.people {
		c.people[i] = person{name: names[who[i]], id: 10 + ids[i]}
	}
	rel := pick(r, relations, cfg.Facts/2)
	attr := pick(r, attributes, cfg.Facts-cfg.Facts/2)
	for i := range c.people {
		c.people[i].facts = facts(r, c.people, i, rel, attr)
	}
	c.ask(r, cfg.MinHops+r.IntN(cfg.MaxHops-cfg.MinHops+1), len(rel))
	for i := range c.people {
		shuffle(r, c.people[i].facts)
	}
	return c
}

func shuffle[T any](r *rand.Rand, s []T) {
	r.Shuffle(len(s), func(a, b int) { s[a], s[b] = s[b], s[a] })
}

func pick[T any](r *rand.Rand, from []T, n int) []T {
	out := slices.Clone(from)
	shuffle(r, out)
	return out[:n]
}

// facts are the relations of a person in order, then the attributes.
func facts(r *rand.Rand, people []person, self int, rel []string, attr []attribute) []fact {
	out := make([]fact, 0, len(rel)+len(attr))
	for _, key := range rel {
		other := r.IntN(len(people) - 1)
		if other >= self {
			other++
		}
		out = append(out, fact{key, people[other].name})
	}
	for _, a := range attr {
		out = append(out, fact{a.key, a.values[r.IntN(len(a.values))]})
	}
	return out
}

// ask lays a path over distinct people and asks for an attribute of the last. A
// relation comes again only when all have been used.
func (c *corpus) ask(r *rand.Rand, hops, rels int) {
	path := r.Perm(len(c.people))[:hops]
	first := c.people[path[0]].name
	c.question, c.key = first, first
	used := make([]bool, rels)
	for i, at := range path[1:] {
		if i%rels == 0 {
			clear(used)
		}
		rel := r.IntN(rels)
		for used[rel] {
			rel = r.IntN(rels)
		}
		used[rel] = true
		f := &c.people[path[i]].facts[rel]
		f.value = c.people[at].name
		c.question += "." + f.key
		c.key += "." + f.key + "=" + f.value
	}
	last := c.people[path[hops-1]].facts[rels:]
	f := last[r.IntN(len(last))]
	c.question += "." + f.key
	c.key += "." + f.key + "=" + f.value
	c.answer = f.value
}
