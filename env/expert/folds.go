package expert

import (
	"fmt"
	"regexp"
	"strings"

	"focus/rollout"
)

// Fold is the expert's reply to the prompt of a fold: the notes that stand for
// the conversation it shows. It reads the record as a policy does, as text.
func (f Family) Fold(talk []rollout.Message) (rollout.Message, error) {
	if f.fold == nil {
		return rollout.Message{}, fmt.Errorf("the expert of %s does not fold", f.Name)
	}
	return f.fold(talk)
}

// foldNotes writes what led here and what remains, each on a line that the
// record has: for package contexts' Summarize nothing else, for its PrefixSummary
// within the form that it asks for.
func foldNotes(talk []rollout.Message) (rollout.Message, error) {
	if len(talk) < 2 {
		return rollout.Message{}, fmt.Errorf("no record in %d messages", len(talk))
	}
	shown := talk[1].Content
	if body, _, ok := strings.Cut(shown, "\n</conversation>"); ok {
		t, err := follow(readRecord(strings.TrimPrefix(body, "<conversation>\n"), prefixHead, prefixRoles))
		return rollout.Assistant(fmt.Sprintf(summaryForm, t.question, t.factOr("none"), t.chain, t.chain)), err
	}
	t, err := follow(readRecord(shown, transcriptHead, transcriptRoles))
	return rollout.Assistant(t.factOr("none") + "\n" + t.chain), err
}

func (t trail) factOr(none string) string {
	if t.fact == "" {
		return none
	}
	return t.fact
}

// summaryForm has the parts that the prompt of PrefixSummary asks for, in its
// order. What was found earlier is spent: the chain has it worked in.
const summaryForm = `## Task
%s

## Rules
- none

## State
### Finished
- [x] %s

### Under way
- [ ] %s

### Stuck
- none

## Decisions
- none

## To do
1. %s

## Keep
- none`

var underWay = regexp.MustCompile(`(?s)\n### Finished\n- \[x\] ([^\n]*)\n\n### Under way\n- \[ \] ([^\n]*)\n`)

// readNotes reads back what foldNotes wrote, where a message has it: the last
// fact and what remains.
func readNotes(said string) (fact, chain string, ok bool) {
	if parts := underWay.FindStringSubmatch(said); parts != nil {
		return parts[1], parts[2], true
	}
	lines := strings.Split(said, "\n")
	if len(lines) < 2 {
		return "", "", false // a nudge
	}
	return lines[len(lines)-2], lines[len(lines)-1], true
}

// How the two managers head the messages of a record.
var (
	transcriptHead  = regexp.MustCompile(`(?:^|\n\n)\[(system|user|assistant|tool)(?: [a-z]+)?\]\n`)
	transcriptRoles = map[string]rollout.Role{"user": rollout.RoleUser, "tool": rollout.RoleTool}
	prefixHead      = regexp.MustCompile(`(?:^|\n\n)\[(User|Assistant|Assistant tool calls|Tool result)\]: `)
	prefixRoles     = map[string]rollout.Role{"User": rollout.RoleUser, "Tool result": rollout.RoleTool}
)

// readRecord takes the messages apart that a record shows; what the assistant
// and the system said tells an expert nothing, and is left out.
func readRecord(text string, head *regexp.Regexp, roles map[string]rollout.Role) []rollout.Message {
	var out []rollout.Message
	heads := head.FindAllStringSubmatchIndex(text, -1)
	for i, at := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		if role, ok := roles[text[at[2]:at[3]]]; ok {
			out = append(out, rollout.Message{Role: role, Content: text[at[1]:end]})
		}
	}
	return out
}
