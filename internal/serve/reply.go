package serve

import (
	"math"
	"strconv"
	"unicode/utf8"

	"focus/rollout"
)

// completion is the body of a reply and of one chunk of a stream. Keys without
// a value are there as null, as vLLM's are.
type completion struct {
	ID                string   `json:"id"`
	Object            string   `json:"object"`
	Created           int64    `json:"created"`
	Model             string   `json:"model"`
	Choices           []choice `json:"choices"`
	ServiceTier       *string  `json:"service_tier"`
	SystemFingerprint *string  `json:"system_fingerprint"`
	Usage             *usage   `json:"usage"`
	KVTransfer        *string  `json:"kv_transfer_params"`
}

type choice struct {
	Index          int                        `json:"index"`
	Text           string                     `json:"text"`
	Logprobs       *logprobs                  `json:"logprobs"`
	FinishReason   *rollout.Finish            `json:"finish_reason"`
	StopReason     *rollout.TokenID           `json:"stop_reason"`
	TokenIDs       []rollout.TokenID          `json:"token_ids"`
	PromptTokenIDs []rollout.TokenID          `json:"prompt_token_ids"`
	PromptLogprobs []map[string]promptLogprob `json:"prompt_logprobs"`
}

type usage struct {
	PromptTokens     int            `json:"prompt_tokens"`
	TotalTokens      int            `json:"total_tokens"`
	CompletionTokens int            `json:"completion_tokens"`
	PromptDetails    *promptDetails `json:"prompt_tokens_details"`
}

type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

type logprobs struct {
	TextOffset    []int                `json:"text_offset"`
	TokenLogprobs []logprob            `json:"token_logprobs"`
	Tokens        []string             `json:"tokens"`
	TopLogprobs   []map[string]logprob `json:"top_logprobs"`
}

type promptLogprob struct {
	Logprob logprob `json:"logprob"`
	// Rank is null: a scorer gives no ranks.
	Rank         *int   `json:"rank"`
	DecodedToken string `json:"decoded_token"`
}

// logprob is null when it is NaN, and -9999 when an id cannot be sampled.
type logprob float32

func (l logprob) MarshalJSON() ([]byte, error) {
	switch v := float64(l); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, -1):
		return []byte("-9999.0"), nil
	default:
		return strconv.AppendFloat(nil, v, 'g', -1, 32), nil
	}
}

// assemble puts the results in the order prompts and choices were asked for.
func (s *Server) assemble(o *order, results []result) completion {
	out := s.envelope(o)
	out.Usage = o.usage(results)
	for i, res := range results {
		c := s.choice(o, i, res.reply.Tokens)
		prompt, scores := o.prompts[i/o.n], results[i/o.n*o.n].scores
		c.FinishReason, c.StopReason = &res.reply.Finish, s.stopReason(o, res.reply)
		c.Text = s.text(s.visible(o, res.reply), o)
		if o.echo && !o.returnIDs {
			c.Text = s.text(prompt, o) + c.Text
		}
		if o.scoreOnly {
			c.Text = ""
			if !o.returnIDs {
				c.Text = s.text(prompt, o)
			}
		}
		if o.logprobs >= 0 {
			c.Logprobs = s.logprobs(o, joined(o, prompt, scores, res.reply.Tokens), 0)
		}
		if o.promptLogprobs {
			c.PromptLogprobs = s.promptLogprobs(o, prompt, scores)
		}
		out.Choices = append(out.Choices, c)
	}
	return out
}

func (s *Server) envelope(o *order) completion {
	return completion{ID: o.id, Object: "text_completion", Created: s.config.Now().Unix(), Model: s.config.Model, Choices: []choice{}}
}

// choice is choice i with its ids, when they were asked for.
func (s *Server) choice(o *order, i int, tokens []Token) choice {
	c := choice{Index: i}
	if o.returnIDs {
		c.TokenIDs = make([]rollout.TokenID, len(tokens))
		for j, t := range tokens {
			c.TokenIDs[j] = t.ID
		}
		c.PromptTokenIDs = o.prompts[i/o.n]
	}
	return c
}

// joined is what logprobs cover: the reply, after the prompt when it is echoed.
func joined(o *order, prompt []rollout.TokenID, scores []float32, reply []Token) []Token {
	if !o.echo {
		return reply
	}
	all := make([]Token, len(prompt), len(prompt)+len(reply))
	for i, id := range prompt {
		all[i] = Token{ID: id, Logprob: scores[i]}
	}
	if o.scoreOnly {
		return all
	}
	return append(all, reply...)
}

// logprobs lists tokens whose text starts at offset.
func (s *Server) logprobs(o *order, tokens []Token, offset int) *logprobs {
	l := &logprobs{
		TextOffset: make([]int, len(tokens)), TokenLogprobs: make([]logprob, len(tokens)),
		Tokens: make([]string, len(tokens)), TopLogprobs: make([]map[string]logprob, len(tokens)),
	}
	for i, t := range tokens {
		name := s.name(o, t.ID)
		l.Tokens[i], l.TextOffset[i], l.TokenLogprobs[i] = name, offset, logprob(t.Logprob)
		offset += utf8.RuneCountInString(name)
		if math.IsNaN(float64(t.Logprob)) {
			continue
		}
		top := make(map[string]logprob, 1+len(t.Top))
		for _, a := range t.Top[:min(len(t.Top), o.logprobs)] {
			top[s.name(o, a.ID)] = logprob(a.Logprob)
		}
		top[name] = logprob(t.Logprob)
		l.TopLogprobs[i] = top
	}
	return l
}

func (s *Server) promptLogprobs(o *order, prompt []rollout.TokenID, scores []float32) []map[string]promptLogprob {
	out := make([]map[string]promptLogprob, len(prompt))
	for i := 1; i < len(prompt); i++ {
		id := strconv.Itoa(int(prompt[i]))
		out[i] = map[string]promptLogprob{id: {Logprob: logprob(scores[i]), DecodedToken: s.name(o, prompt[i])}}
	}
	return out
}

// name is the string that stands for an id in logprobs.
func (s *Server) name(o *order, id rollout.TokenID) string {
	if o.idStrings {
		return "token_id:" + strconv.Itoa(int(id))
	}
	return s.config.Tokenizer.Decode([]rollout.TokenID{id})
}

// visible is the ids whose text is shown: all but the one that ended the reply.
func (s *Server) visible(o *order, rep Reply) []rollout.TokenID {
	ids := make([]rollout.TokenID, len(rep.Tokens))
	for i, t := range rep.Tokens {
		ids[i] = t.ID
	}
	if rep.Finish == rollout.FinishStop && !o.keepStopText {
		ids = ids[:len(ids)-1]
	}
	return ids
}

// text is what ids say; empty without a tokenizer.
func (s *Server) text(ids []rollout.TokenID, o *order) string {
	tok := s.config.Tokenizer
	if tok == nil {
		return ""
	}
	if !o.skipSpecial {
		return tok.Decode(ids)
	}
	shown := make([]rollout.TokenID, 0, len(ids))
	for _, id := range ids {
		if !tok.Special(id) {
			shown = append(shown, id)
		}
	}
	return tok.Decode(shown)
}

// usage counts each prompt once and every sampled id.
func (o *order) usage(results []result) *usage {
	var u usage
	cached := -1
	for i, res := range results {
		if i%o.n == 0 {
			u.PromptTokens += len(o.prompts[i/o.n])
			if res.reply.Cached >= 0 {
				cached = max(cached, 0) + res.reply.Cached
			}
		}
		u.CompletionTokens += len(res.reply.Tokens)
	}
	if cached >= 0 {
		u.PromptDetails = &promptDetails{CachedTokens: cached}
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return &u
}
