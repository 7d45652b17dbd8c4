package vllm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"focus/policy"
)

// badReply is a reply that failed a check.
func (p *Policy) badReply(err error) error {
	return &policy.Error{Kind: policy.KindBadReply, Server: p.name, Status: http.StatusOK, Err: err}
}

// broken is a request without an answer; a context's own end stays what it is.
func (p *Policy) broken(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &policy.Error{Kind: policy.KindTimeout, Server: p.name, Detail: fmt.Sprintf("no reply within generate_timeout (%s)", p.cfg.GenerateTimeout)}
	}
	return &policy.Error{Kind: policy.KindUnreachable, Server: p.name, Err: err}
}

// complaint is the error body of a server, in any of its forms.
type complaint struct {
	message, param string
}

// Forms: {"error":{"message","type","param","code"}}, {"error":"…"},
// {"detail":"…"}, {"detail":[{"msg",…}]}.
func parseComplaint(body []byte) complaint {
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return complaint{message: oneLine(string(body))}
	}
	var c complaint
	var inner struct {
		Message string `json:"message"`
		Param   any    `json:"param"`
	}
	switch {
	case json.Unmarshal(outer.Error, &inner) == nil:
		c.message = inner.Message
		c.param, _ = inner.Param.(string)
	case json.Unmarshal(outer.Error, &c.message) == nil:
	case json.Unmarshal(outer.Detail, &c.message) == nil:
	default:
		c.message = string(outer.Detail)
	}
	c.message = oneLine(c.message)
	return c
}

// oneLine is the start of a text that a server sent, fit for an error.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ")
	const most = 300
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// windowText is how servers of all ages say that the window is full.
var windowText = regexp.MustCompile(`(?i)context length|maximum model length|max_model_len|longer than the maximum`)

// refusal is an answer that is not 200.
func (p *Policy) refusal(status int, body []byte, o *order) error {
	c := parseComplaint(body)
	e := &policy.Error{Server: p.name, Status: status, Detail: c.message}
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		e.Kind = policy.KindOverloaded
	case status >= 500:
		e.Kind = policy.KindServer
	default:
		e.Kind = policy.KindRefused
	}
	switch status {
	case http.StatusBadRequest:
		if c.windowFull() {
			e.Err = policy.ErrContextFull
			e.Detail = fmt.Sprintf("%d ids and a cap of %d: %s", o.prompt.Len(), o.max, c.message)
		}
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Detail += "; set api_key_env to the variable that holds the server's key"
	case http.StatusNotFound:
		e.Detail += "; is it a vLLM server, and is the model served under this name?"
	}
	return e
}

// windowFull goes by the parameter, and by the text where that says nothing.
func (c complaint) windowFull() bool {
	switch c.param {
	case "input_tokens":
		return true
	case "max_tokens":
		// We never send 0: it is what was left of the window.
		return strings.Contains(c.message, "got 0") || strings.Contains(c.message, "at least 1")
	case "":
		return windowText.MatchString(c.message)
	}
	return false
}

// retryAfter is the wait a server asks for, in seconds; 0 when it does not.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 || n > 86400 {
		return 0
	}
	return time.Duration(n) * time.Second
}
