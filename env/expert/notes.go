package expert

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"focus/rollout"
)

// lookUp quotes the line that the last result gave, writes the remaining chain,
// such as Milo.boss.food, and makes the next call for it: search the name, read
// the note, follow the relation, submit.
func lookUp(talk []rollout.Message) (rollout.Message, error) {
	t, err := follow(talk)
	if err != nil {
		return rollout.Message{}, err
	}
	name, _, more := strings.Cut(t.chain, ".")
	words := t.chain
	if t.fresh {
		words = t.fact + "\n" + t.chain
	}
	switch {
	case !more:
		return say(words, "submit", "answer", t.chain)
	case t.id > 0:
		return say(words, "read", "id", t.id)
	}
	return say(words, "search", "query", name)
}

// trail is how far a conversation has come.
type trail struct {
	// question is the chain asked for, chain what remains of it.
	question, chain string
	// id is the note of the chain's first name; 0 when that is not known.
	id int
	// fact is the last line that led on, as the world wrote it; fresh says that
	// the last message is where it stands. A value is copied from a line that
	// begins alike long before it can be found by its key alone, so experts
	// quote the line before they use it.
	fact  string
	fresh bool
}

// follow reads a conversation: the task, then results and, after a fold, notes.
func follow(talk []rollout.Message) (trail, error) {
	var t trail
	var err error
	for _, m := range talk {
		if m.Role != rollout.RoleAssistant {
			t.fresh = false
		}
		switch {
		case m.Role == rollout.RoleUser && t.chain == "":
			_, chain, ok := strings.Cut(m.Content, "\n")
			if !ok {
				return t, fmt.Errorf("read task %q: no second line", m.Content)
			}
			t.question, t.chain = chain, chain
		case m.Role == rollout.RoleUser:
			if fact, chain, ok := readNotes(m.Content); ok {
				t.fact, t.chain, t.id = fact, chain, 0
				err = t.locate(fact)
			}
		case m.Role == rollout.RoleTool:
			err = t.learn(m.Content)
		}
		if err != nil {
			return t, err
		}
	}
	if t.chain == "" {
		return t, fmt.Errorf("no task in %d messages", len(talk))
	}
	return t, nil
}

// learn takes in a result: lines of a search, or a note.
func (t *trail) learn(result string) error {
	name, rest, _ := strings.Cut(t.chain, ".")
	lines := strings.Split(result, "\n")
	if lines[0] != name {
		for _, line := range lines {
			if err := t.locate(line); err != nil {
				return err
			}
		}
		return nil
	}
	key, rest, more := strings.Cut(rest, ".")
	for _, line := range lines[1:] {
		if k, value, ok := strings.Cut(line, "="); ok && k == key {
			t.fact, t.fresh, t.chain, t.id = line, true, value, 0
			if more {
				t.chain = value + "." + rest
			}
		}
	}
	return nil
}

// locate takes in a line of a search, such as Milo=57.
func (t *trail) locate(line string) (err error) {
	name, _, _ := strings.Cut(t.chain, ".")
	if found, value, ok := strings.Cut(line, "="); ok && found == name {
		t.fact, t.fresh = line, true
		t.id, err = strconv.Atoi(value)
	}
	return err
}

// notesSlips: forget the call, search for the whole chain, read a note that is
// not there.
func notesSlips() []slip {
	change := func(tool string, wrong func(*rand.Rand, rollout.Message) (string, any)) slip {
		return func(r *rand.Rand, right rollout.Message) (rollout.Message, bool) {
			if right.ToolCalls[0].Name != tool {
				return rollout.Message{}, false
			}
			argument, value := wrong(r, right)
			m, err := say(right.Content, tool, argument, value)
			return m, err == nil
		}
	}
	return []slip{
		silent,
		change("search", func(_ *rand.Rand, right rollout.Message) (string, any) {
			return "query", right.Content[strings.LastIndexByte(right.Content, '\n')+1:]
		}),
		change("read", func(r *rand.Rand, _ rollout.Message) (string, any) { return "id", 1 + r.IntN(9) }),
	}
}
