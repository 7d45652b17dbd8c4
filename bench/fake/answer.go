package fake

import (
	"encoding/json"
	"strconv"

	"focus/rollout"
)

// answer is a completion about to be written: what the script said, bent by a
// fault.
type answer struct {
	model        string
	req          *Request
	reply        Reply
	finish       string
	prompt       []rollout.TokenID
	raw          []byte // prompt as JSON; nil means that it is written from prompt
	noIDs        bool
	noLogprobs   bool
	completion   int    // what usage says was sampled
	lastLogprob  string // stands for the last logprob when not empty
	extraLogprob int    // how many more logprobs than ids

	memo     float32
	memoText []byte
}

// honest fills a in with what a server should say.
func (a *answer) honest(model string, r *Request) {
	a.model, a.req, a.finish = model, r, string(a.reply.Finish)
	a.prompt, a.raw = r.Prompt, r.raw
	a.noIDs, a.noLogprobs = !r.ReturnIDs, r.Logprobs < 0
	a.completion = len(a.reply.Tokens)
	a.lastLogprob, a.extraLogprob = "", 0
}

// append writes the body.
func (a *answer) append(b []byte) []byte {
	b = a.appendHead(b)
	b = append(b, `"choices":[{"index":0,"text":"","finish_reason":`...)
	b = a.appendFinish(b)
	b = append(b, `,"token_ids":`...)
	b = appendIDs(b, a.reply.Tokens, a.noIDs)
	b = append(b, `,"prompt_token_ids":`...)
	b = a.appendPrompt(b)
	b = append(b, `,"logprobs":`...)
	b = a.appendLogprobs(b)
	b = append(b, `,"prompt_logprobs":`...)
	b = a.appendPromptLogprobs(b)
	b = append(b, `}],"usage":`...)
	return append(a.appendUsage(b), '}')
}

func (a *answer) appendHead(b []byte) []byte {
	b = append(b, `{"id":`...)
	if a.req.RequestID == "" {
		b = append(strconv.AppendInt(append(b, `"cmpl-fake-`...), a.req.Number, 10), '"')
	} else {
		b = appendString(b, "cmpl-"+a.req.RequestID)
	}
	b = append(b, `,"object":"text_completion","created":1700000000,"model":`...)
	return append(appendString(b, a.model), ',')
}

// appendString writes s with its quotes; the slow way only when it must.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				return append(b, `""`...)
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

func (a *answer) appendFinish(b []byte) []byte {
	switch {
	case a.finish == "":
		b = append(b, `null`...)
	default:
		b = append(append(append(b, '"'), a.finish...), '"')
	}
	b = append(b, `,"stop_reason":`...)
	if n := len(a.reply.Tokens); a.finish == string(rollout.FinishStop) && n > 0 && a.reply.Tokens[n-1] != a.req.eos {
		return strconv.AppendInt(b, int64(a.reply.Tokens[n-1]), 10)
	}
	return append(b, `null`...)
}

func (a *answer) appendPrompt(b []byte) []byte {
	if a.raw != nil && !a.noIDs {
		return append(b, a.raw...)
	}
	return appendIDs(b, a.prompt, a.noIDs)
}

func appendIDs(b []byte, ids []rollout.TokenID, none bool) []byte {
	if none {
		return append(b, `null`...)
	}
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return append(b, ']')
}

func (a *answer) appendUsage(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"prompt_tokens":`...), int64(len(a.prompt)), 10)
	b = strconv.AppendInt(append(b, `,"total_tokens":`...), int64(len(a.prompt)+a.completion), 10)
	b = strconv.AppendInt(append(b, `,"completion_tokens":`...), int64(a.completion), 10)
	if a.reply.Cached == 0 {
		return append(b, `,"prompt_tokens_details":null}`...)
	}
	b = strconv.AppendInt(append(b, `,"prompt_tokens_details":{"cached_tokens":`...), int64(a.reply.Cached), 10)
	return append(b, `}}`...)
}
