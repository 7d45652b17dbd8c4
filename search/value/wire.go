package value

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"focus/rollout"
)

// state is what the server is told of one.
type state struct {
	TaskID   rollout.TaskID    `json:"task_id"`
	Turns    int               `json:"turns"`
	TokenIDs []rollout.TokenID `json:"token_ids"`
}

// maxReply bounds an answer: a batch of any sensible size fits.
const maxReply = 16 << 20

// post makes one request: a score for each state, or why there is none for all.
func (c *Client) post(ctx context.Context, states []state) ([]answer, *Error) {
	body, err := json.Marshal(map[string]any{"states": states})
	if err != nil {
		return nil, bad(CauseBadReply, "encode: %v", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return nil, bad(CauseUnreachable, "%v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	switch {
	case err != nil:
		return nil, c.broken(ctx, err)
	case resp.StatusCode != http.StatusOK:
		return nil, bad(CauseStatus, "status %d: %s", resp.StatusCode, excerpt(text))
	}
	return decode(text, len(states))
}

// broken is a request without an answer.
func (c *Client) broken(ctx context.Context, err error) *Error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return bad(CauseTimeout, "no answer within %s", c.cfg.Timeout)
	case c.ctx.Err() != nil:
		return bad(CauseClosed, "the client is closed")
	}
	return bad(CauseUnreachable, "%v", err)
}

// naked are the numbers that JSON has not and some servers write all the same.
var naked = regexp.MustCompile(`-?\b(?:NaN|Infinity)\b`)

// decode reads an answer for n states.
func decode(text []byte, n int) ([]answer, *Error) {
	if !json.Valid(text) {
		text = naked.ReplaceAll(text, []byte(`"not finite"`))
	}
	var reply struct {
		Values []json.RawMessage `json:"values"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return nil, bad(CauseBadReply, "%v: %s", err, excerpt(text))
	}
	if reply.Values == nil {
		return nil, bad(CauseBadReply, "no list of values: %s", excerpt(text))
	}
	if len(reply.Values) != n {
		return nil, bad(CauseLength, "%d values for %d states", len(reply.Values), n)
	}
	out := make([]answer, n)
	for i, raw := range reply.Values {
		v, err := number(string(raw))
		if err != nil {
			out[i].err = err
			continue
		}
		out[i].value = &v
	}
	return out, nil
}

func number(raw string) (float64, *Error) {
	switch raw {
	case "null":
		return 0, bad(CauseNull, "the server has no score")
	case `"not finite"`:
		return 0, bad(CauseNotFinite, "a score that is not finite")
	}
	v, err := strconv.ParseFloat(raw, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0):
		return 0, bad(CauseNotFinite, "a score of %s", raw)
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, bad(CauseBadReply, "a score of %s", excerpt([]byte(raw)))
	}
	return v, nil
}

// excerpt is the start of what a server said, on one line.
func excerpt(text []byte) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(text[:min(len(text), 300)]), "?")), " ")
	if s == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", s)
}
