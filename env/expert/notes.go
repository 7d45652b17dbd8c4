package expert

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"focus/rollout"
)

// lookUp writes the remaining chain, such as Milo.boss.food, and makes the next
// call for it: search the name, read the note, follow the relation, submit.
func lookUp(talk []rollout.Message) (rollout.Message, error) {
	chain, id, err := follow(talk)
	if err != nil {
		return rollout.Message{}, err
	}
	name, _, more := strings.Cut(chain, ".")
	switch {
	case !more:
		return say(chain, "submit", "answer", chain)
	case id > 0:
		return say(chain, "read", "id", id)
	}
	return say(chain, "search", "query", name)
}

// follow is the remaining chain and the id of its person's note; 0 when that
// is not known.
func follow(talk []rollout.Message) (chain string, id int, err error) {
	for _, m := range talk {
		switch {
		case m.Role == rollout.RoleUser && chain == "":
			var ok bool
			if _, chain, ok = strings.Cut(m.Content, "\n"); !ok {
				return "", 0, fmt.Errorf("read task %q: no second line", m.Content)
			}
		case m.Role == rollout.RoleTool:
			name, rest, _ := strings.Cut(chain, ".")
			lines := strings.Split(m.Content, "\n")
			if lines[0] == name {
				chain, id = step(lines[1:], rest), 0
				continue
			}
			for _, line := range lines {
				if found, value, ok := strings.Cut(line, "="); ok && found == name {
					id, err = strconv.Atoi(value)
				}
			}
		}
	}
	if chain == "" && err == nil {
		err = fmt.Errorf("no task in %d messages", len(talk))
	}
	return chain, id, err
}

// step replaces the first key of rest by its value in a note.
func step(note []string, rest string) string {
	key, rest, more := strings.Cut(rest, ".")
	for _, line := range note {
		if k, value, ok := strings.Cut(line, "="); ok && k == key {
			if more {
				return value + "." + rest
			}
			return value
		}
	}
	return ""
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
		change("search", func(_ *rand.Rand, right rollout.Message) (string, any) { return "query", right.Content }),
		change("read", func(r *rand.Rand, _ rollout.Message) (string, any) { return "id", 1 + r.IntN(9) }),
	}
}
