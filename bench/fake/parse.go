package fake

import "focus/rollout"

// parse reads r.Body into r.
func (r *Request) parse() error {
	s := &scanner{b: r.Body}
	maxTokens := int64(r.Wanted)
	err := s.object(func(name string) error {
		if s.peek() == 'n' {
			return s.skip()
		}
		var err error
		switch name {
		case "prompt":
			return r.parsePrompt(s)
		case "model":
			r.Model, err = s.text()
		case "n":
			return number(s, &r.choices)
		case "max_tokens":
			return number(s, &maxTokens)
		case "temperature":
			return number(s, &r.Temperature)
		case "top_p":
			return number(s, &r.TopP)
		case "min_p":
			return number(s, &r.MinP)
		case "top_k":
			return number(s, &r.TopK)
		case "seed":
			return number(s, &r.Seed)
		case "logprobs":
			return number(s, &r.Logprobs)
		case "prompt_logprobs":
			return number(s, &r.PromptLogprobs)
		case "stop_token_ids":
			r.StopIDs, err = s.ids(r.StopIDs[:0])
		case "ignore_eos":
			return s.flag(&r.IgnoreEOS)
		case "echo":
			return s.flag(&r.Echo)
		case "return_token_ids":
			return s.flag(&r.ReturnIDs)
		case "return_tokens_as_token_ids":
			return s.flag(&r.IDStrings)
		case "stream":
			return s.flag(&r.Stream)
		case "request_id":
			r.RequestID, err = s.text()
		case "session_id":
			r.SessionID, err = s.text()
		case "cache_salt":
			r.CacheSalt, err = s.text()
		default:
			return s.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	if s.peek() != 0 {
		return s.fail("the end of the body")
	}
	r.Wanted = int(maxTokens)
	return nil
}

// parsePrompt takes ids, or text whose bytes are the ids.
func (r *Request) parsePrompt(s *scanner) error {
	r.Prompt = r.Prompt[:0]
	if s.peek() == '"' {
		text, err := s.text()
		for i := range len(text) {
			r.Prompt = append(r.Prompt, rollout.TokenID(text[i]))
		}
		return err
	}
	from := s.i
	var err error
	r.Prompt, err = s.ids(r.Prompt)
	r.raw = r.Body[from:s.i]
	return err
}
