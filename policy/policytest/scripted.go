package policytest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"focus/policy"
	"focus/policy/render"
	"focus/rollout"
)

// Call is what a script is asked.
type Call struct {
	// N counts the calls of the policy from 0.
	N        int64
	Prompt   policy.Prompt
	Sampling rollout.SamplingParams
}

// Text is the prompt as text. It costs the prompt's length.
func (c Call) Text() string {
	return string(Bytes{}.AppendBytes(nil, c.Prompt.Tokens.Slice()))
}

// Script gives the ids of a reply, terminator included; it is called from many
// goroutines. The policy cuts them at the first stop id, at the cap and at the
// window; ids that end before any of these are an aborted reply.
type Script func(context.Context, Call) ([]rollout.TokenID, error)

// Say replies with texts in the order of the calls, the last one ever after. A
// terminator is put at the end of each.
func Say(texts ...string) Script {
	replies := make([][]rollout.TokenID, len(texts))
	for i, s := range texts {
		replies[i] = append(Encode(s), IMEnd)
	}
	return Replay(replies...)
}

// Replay replies with ids in the order of the calls, the last ones ever after.
// The caller gives the ids away.
func Replay(replies ...[]rollout.TokenID) Script {
	return func(_ context.Context, c Call) ([]rollout.TokenID, error) {
		return replies[min(c.N, int64(len(replies)-1))], nil
	}
}

// DefaultWindow is the window of a Scripted policy.
const DefaultWindow = 1 << 20

// Scripted is a policy over [Bytes] and ChatML without latency. Its logprobs
// are a fixed function of the id, see [Logprob].
type Scripted struct {
	*render.Chat
	script  Script
	window  int
	calls   atomic.Int64
	version atomic.Pointer[rollout.PolicyVersion]
}

// NewScripted is a policy that replies as script says, with [DefaultWindow].
func NewScripted(script Script) *Scripted { return NewScriptedWindow(script, DefaultWindow) }

// NewScriptedWindow is [NewScripted] with a window of its own.
func NewScriptedWindow(script Script, window int) *Scripted {
	s := &Scripted{Chat: NewChat(), script: script, window: window}
	s.SetVersion("scripted")
	return s
}

// NewChat is ChatML over [Bytes].
func NewChat() *render.Chat {
	r, err := render.NewChatML(Bytes{}, render.Safe, EndOfText)
	if err != nil {
		panic(err) // Bytes has the markers
	}
	c, err := render.NewChat(r, Bytes{}, render.Fork)
	if err != nil {
		panic(err)
	}
	return c
}

// Logprob is what a Scripted policy reports for an id.
func Logprob(id rollout.TokenID) float32 { return -float32(1+id%8) / 8 }

// Generate replies as the script says.
func (s *Scripted) Generate(ctx context.Context, p policy.Prompt, sp rollout.SamplingParams) (rollout.Completion, error) {
	if err := policy.CheckSampling(sp); err != nil {
		return rollout.Completion{}, &policy.Error{Kind: policy.KindRefused, Server: "scripted", Err: err}
	}
	room := min(sp.MaxTokens, s.window-p.Tokens.Len())
	if room < 1 {
		return rollout.Completion{}, &policy.Error{Kind: policy.KindRefused, Server: "scripted", Err: policy.ErrContextFull,
			Detail: fmt.Sprintf("%d ids in a window of %d", p.Tokens.Len(), s.window)}
	}
	if err := ctx.Err(); err != nil {
		return rollout.Completion{}, err
	}
	ids, err := s.script(ctx, Call{N: s.calls.Add(1) - 1, Prompt: p, Sampling: sp})
	if err != nil {
		return rollout.Completion{}, err
	}
	return s.completion(ids, room, sp.StopIDs)
}

func (s *Scripted) completion(ids []rollout.TokenID, room int, stops []rollout.TokenID) (rollout.Completion, error) {
	if len(ids) == 0 {
		return rollout.Completion{}, &policy.Error{Kind: policy.KindBadReply, Server: "scripted", Detail: "the script gave no ids"}
	}
	c := rollout.Completion{
		LogprobMode: rollout.LogprobsRaw, Finish: rollout.FinishLength, Matched: -1,
		Exact: true, CachedTokens: -1, Server: "scripted",
	}
	n := min(len(ids), room)
	for i, id := range ids[:n] {
		if slices.Contains(stops, id) {
			n, c.Finish, c.Matched = i+1, rollout.FinishStop, id
			break
		}
	}
	if n < room && c.Finish == rollout.FinishLength {
		c.Finish = rollout.FinishAbort
	}
	c.Tokens = slices.Clone(ids[:n])
	c.Logprobs = make([]float32, n)
	for i, id := range c.Tokens {
		c.Logprobs[i] = Logprob(id)
	}
	c.Versions = []rollout.VersionSpan{{Version: s.Version(), Start: 0, End: n}}
	return c, nil
}

// Score is [Logprob] of each id; the first id of all has none.
func (s *Scripted) Score(_ context.Context, prefix rollout.Tokens, ids []rollout.TokenID) ([]float32, error) {
	out := make([]float32, len(ids))
	for i, id := range ids {
		out[i] = Logprob(id)
	}
	if prefix.Len() == 0 && len(out) > 0 {
		out[0] = float32(math.NaN())
	}
	return out, nil
}

// Version names the weights; [Scripted.SetVersion] changes it.
func (s *Scripted) Version() rollout.PolicyVersion { return *s.version.Load() }

// SetVersion renames the weights, as a weight update does.
func (s *Scripted) SetVersion(v rollout.PolicyVersion) { s.version.Store(&v) }

// Calls is how many replies were asked for.
func (s *Scripted) Calls() int64 { return s.calls.Load() }

// Window is how many ids prompt and reply may have together.
func (s *Scripted) Window() int { return s.window }

// ExactTokens declares that ids go in and out as they are.
func (s *Scripted) ExactTokens() {}

// Describe says what the policy is.
func (s *Scripted) Describe() policy.Description {
	return policy.Description{
		Kind: "scripted", Model: "script", TokenizerHash: s.TokenizerHash(), TemplateHash: s.TemplateHash(),
		LogprobMode: string(rollout.LogprobsRaw), Window: s.window,
	}
}
