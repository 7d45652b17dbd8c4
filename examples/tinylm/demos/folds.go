package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"focus/agent"
	contexts "focus/context"
	"focus/env/expert"
	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

// folding says how rollouts are folded.
type folding struct {
	// manager is summarize or prefix_summary.
	manager string
	// room is how many bytes a conversation grows by before it is folded; each
	// rollout draws from the last third of it.
	room int
}

// maxNotes is the cap of a fold's reply; Summarize tells the model.
const maxNotes = 96

// keepRecent is short: the last call and its result stay, whatever their length.
const keepRecent = 50

// foldedDemos plays a task in the real agent under the real manager. Each
// stretch between two folds is a chat, and so is each fold: what a policy sees
// in play, to the letter.
func foldedDemos(ctx context.Context, f expert.Family, task rollout.Task, fold folding, s expert.Slips) ([]expert.Demo, error) {
	key, err := f.Key(task)
	if err != nil {
		return nil, err
	}
	p := &player{family: f, random: rand.New(rand.NewPCG(uint64(task.Seed), uint64(s.Seed))), slips: s.Rate}
	p.Scripted = policytest.NewScripted(p.reply)
	start, err := f.Reset(ctx, task)
	if err != nil {
		return nil, err
	}
	seed, err := p.Scripted.Prepare(start.Messages, f.Tools)
	if err != nil {
		return nil, err
	}
	m, err := manager(fold, seed.Tokens.Len()+fold.room-p.random.IntN(fold.room/3+1))
	if err != nil {
		return nil, err
	}
	a, err := agent.New(agent.Config{Policy: p, Env: f.Family, Context: m, MaxSteps: 64, MaxTokens: 4096})
	if err != nil {
		return nil, err
	}
	state, err := a.Start(ctx, task, "")
	if err == nil {
		state, err = a.Run(ctx, state)
	}
	if err != nil {
		return nil, err
	}
	if reward, _ := state.Reward(); reward != 1 {
		return nil, fmt.Errorf("task %s, folded, ends %s: %w", task.ID, state.Reason(), expert.ErrLost)
	}
	demos := make([]expert.Demo, len(p.chats))
	for i, c := range p.chats {
		demos[i] = c.demo
		demos[i].Family, demos[i].ID, demos[i].Key = f.Name, fmt.Sprintf("%s/%d", task.ID, i), key
	}
	return demos, nil
}

// manager folds prompts of more than threshold bytes.
func manager(f folding, threshold int) (contexts.Manager, error) {
	switch f.manager {
	case "summarize":
		return contexts.NewSummarize(contexts.SummarizeConfig{Trigger: contexts.PromptTokens{Max: threshold}, MaxReplyTokens: maxNotes})
	case "prefix_summary":
		return contexts.NewPrefixSummary(contexts.PrefixSummaryConfig{ReserveTokens: policytest.DefaultWindow - threshold, KeepRecentTokens: keepRecent})
	}
	return nil, fmt.Errorf("manager %q is neither summarize nor prefix_summary", f.manager)
}

// player is a policy that replies as the expert does, and records. It is for
// one rollout.
type player struct {
	*policytest.Scripted
	family expert.Family
	random *rand.Rand
	slips  float64
	// talk and tools are what the next reply is to.
	talk  []rollout.Message
	tools []rollout.ToolSchema
	chats []chat
}

// chat is a conversation that was only ever appended to.
type chat struct {
	talk []rollout.Message
	demo expert.Demo
}

// Prepare remembers the conversation.
func (p *player) Prepare(messages []rollout.Message, tools []rollout.ToolSchema) (policy.Prompt, error) {
	p.talk, p.tools = messages, tools
	return p.Scripted.Prepare(messages, tools)
}

// Continue remembers the conversation.
func (p *player) Continue(prev *rollout.Turn, all []rollout.Message, tools []rollout.ToolSchema) (policy.Prompt, error) {
	p.talk, p.tools = all, tools
	return p.Scripted.Continue(prev, all, tools)
}

// reply is a fold's notes where no tools are offered, else the next move.
func (p *player) reply(context.Context, policytest.Call) ([]rollout.TokenID, error) {
	act, rate := p.family.Act, p.slips
	if len(p.tools) == 0 {
		act, rate = p.family.Fold, 0
	}
	m, err := act(p.talk)
	if err != nil {
		return nil, err
	}
	weight := 1
	if p.random.Float64() < rate {
		if wrong, ok := p.family.Slip(p.random, m); ok {
			m, weight = wrong, 0
		}
	}
	p.record(m, weight)
	return append(policytest.Encode(hermes(m)), policytest.IMEnd), nil
}

// record puts what was said since the last reply, and this one, on the last
// chat, or on a new one where the conversation was rewritten. What the
// assistant said in an earlier chat is not to be learnt again.
func (p *player) record(reply rollout.Message, weight int) {
	n := len(p.chats) - 1
	if n < 0 || !goesOn(p.talk, p.chats[n].talk) {
		p.chats = append(p.chats, chat{demo: expert.Demo{Tools: expert.AsTools(p.tools)}})
		n++
	}
	c := &p.chats[n]
	for i, m := range p.talk {
		if i < len(c.talk) {
			continue
		}
		said := expert.AsMessage(m)
		if m.Role == rollout.RoleAssistant {
			said.Weight = new(int)
		}
		c.demo.Messages = append(c.demo.Messages, said)
	}
	said := expert.AsMessage(reply)
	if weight == 0 {
		said.Weight = new(int)
	}
	c.demo.Messages = append(c.demo.Messages, said)
	c.talk = append(p.talk[:len(p.talk):len(p.talk)], reply)
}

// goesOn reports whether talk begins as earlier does.
func goesOn(talk, earlier []rollout.Message) bool {
	if len(talk) < len(earlier) {
		return false
	}
	for i, m := range earlier {
		if m.Role != talk[i].Role || m.Content != talk[i].Content {
			return false
		}
	}
	return true
}

// hermes is a reply as the bundled chat template renders it.
func hermes(m rollout.Message) string {
	parts := make([]string, 0, 2)
	if m.Content != "" {
		parts = append(parts, m.Content)
	}
	for _, c := range m.ToolCalls {
		name, _ := json.Marshal(c.Name) // a string always has a form
		parts = append(parts, fmt.Sprintf("<tool_call>\n{\"name\": %s, \"arguments\": %s}\n</tool_call>", name, c.Arguments))
	}
	return strings.Join(parts, "\n")
}
