package contexts

import (
	"fmt"
	"strings"

	"focus/env"
	"focus/rollout"
)

// DefaultInstruction is the system message of a fold. Its placeholders are those
// of [SummarizeConfig.Instruction].
const DefaultInstruction = "You are in the middle of a task, and the record of your work has grown too long to keep. Below is that record. " +
	"Write the notes that will stand in its place. Do not go on with the task and do not answer its question now: " +
	"only report what the record shows.\n\n" +
	"Later you will see nothing but these notes and will take every word of them as fact. So copy numbers, names and quotations " +
	"letter by letter, with the place each was found, and leave out whatever the record does not say.\n\n" +
	"{workspace}\n\n" +
	"End with a reply that calls no tool: its text is the notes.{budget}{limit}"

// DefaultResumeInstruction follows notes that the assistant speaks.
const DefaultResumeInstruction = "Go on with the task from these notes."

const (
	foldedGuidance = "Earlier steps were folded away to save room. These are the notes you made of them; " +
		"rely on them, and do not repeat what they say is done."
	finalNotesInstruction = "This is your last reply here. Write the notes now, in words, and call no tool."
	storeNudge            = "You have stored nothing yet. If the record holds long or exact material that you will need, store it first. " +
		"Then send the notes, whole, in a reply without a tool call."
	workspaceKept = "You have a workspace that stays with you after the notes: `store` puts a text under a name, `recall` reads it, " +
		"`stored` lists the names. Store what is long and must stay exact, and say in the notes under which name."
	workspaceScratch = "You have a scratch workspace for the time of this writing: `store` puts a text under a name, `recall` reads it, " +
		"`stored` lists the names. It is emptied afterwards, so all that matters must be in the notes."
	workspaceNone = "You have no workspace. What the notes leave out is lost."
	structureRule = "\n\nWrite the notes as one JSON object and nothing else, with exactly these keys: " +
		"\"facts\", a list of texts, each a finding with its source; \"done\", a list of texts, what was finished; " +
		"\"open\", a list of texts, what is unsettled; \"next\", a text, the step to take now."
)

// instruction fills the fold's system message in.
func (f *fold) instruction() string {
	cfg := f.m.cfg
	workspace, budget, limit := workspaceNone, "", ""
	if len(f.world.Tools()) > 0 {
		workspace = workspaceScratch
		if cfg.FoldWorkspace == nil {
			workspace = workspaceKept
		}
		budget = fmt.Sprintf(" You have %d replies for this; the notes are due at the latest after them.", cfg.MaxInteractions)
		if cfg.MaxInteractions == 1 {
			budget = " You have 1 reply for this; the notes are due at the latest after it."
		}
	}
	if cfg.SummaryTargetTokens > 0 {
		limit = fmt.Sprintf(" Aim at %d tokens for the notes.", cfg.SummaryTargetTokens)
	}
	limit += fmt.Sprintf(" A reply is cut off at %d tokens.", cfg.MaxReplyTokens)
	text := strings.NewReplacer("{workspace}", workspace, "{budget}", budget, "{limit}", limit).Replace(cfg.Instruction)
	if cfg.StructuredSummary {
		text += structureRule
	}
	return text
}

func repairInstruction(err error) string {
	return "These notes cannot be used: " + err.Error() + ". Send them once more, whole, as one JSON object and nothing else, " +
		"with the keys facts, done, open and next."
}

// transcript is a conversation as text, for a reader who is not to go on with
// it. Reasoning is left out: most templates drop it from the history as well.
func transcript(messages []rollout.Message) string {
	parts := make([]string, 0, len(messages))
	for _, m := range messages {
		head := string(m.Role)
		if m.Name != "" {
			head += " " + m.Name
		}
		lines := []string{"[" + head + "]"}
		if m.Content != "" {
			lines = append(lines, m.Content)
		}
		for _, c := range m.ToolCalls {
			lines = append(lines, fmt.Sprintf("calls %s %s", c.Name, c.Arguments))
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// RenderCounters is a state renderer that shows named counters of the task
// state, one to a line; a counter the state lacks is left out.
func RenderCounters(names ...string) func(state any) string {
	return func(state any) string {
		c, ok := state.(env.Counters)
		if !ok {
			return ""
		}
		var lines []string
		for _, name := range names {
			if v, ok := c.Counter(name); ok {
				lines = append(lines, fmt.Sprintf("%s: %d", name, v))
			}
		}
		return strings.Join(lines, "\n")
	}
}
