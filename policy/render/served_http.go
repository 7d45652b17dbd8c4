package render

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ServedError is a server that did not answer as a renderer should.
type ServedError struct {
	URL     string // of the route that was asked
	Status  int    // of the answer; 0 where there was none
	Message string // what the server said, or what is wrong with its answer
	Advice  string // what to do about it
	Err     error  // the cause, where there was no answer
}

func (e *ServedError) Error() string {
	what := e.Message
	if e.Err != nil {
		what = e.Err.Error()
	}
	if e.Status != 0 && e.Status != http.StatusOK {
		what = fmt.Sprintf("%d %s: %s", e.Status, http.StatusText(e.Status), what)
	}
	line := "served renderer: " + e.URL + ": " + what
	if e.Advice != "" {
		line += "; " + e.Advice
	}
	return strings.Join(strings.Fields(line), " ")
}

func (e *ServedError) Unwrap() error { return e.Err }

// call sends body (a GET where it is nil) and reads the answer into out.
func (cfg ServedConfig) call(route string, body, out any) error {
	fail := &ServedError{URL: cfg.URL + route}
	method, data := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		var err error
		if data, err = json.Marshal(body); err != nil {
			return fmt.Errorf("served renderer: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, fail.URL, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("served renderer: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+cfg.Key)
	}
	res, err := cfg.Client.Do(req)
	if err != nil {
		fail.Err, fail.Advice = err, "start the server, or correct url"
		return fail
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(res.Body, 256<<20))
	if err != nil {
		fail.Err, fail.Advice = err, "the answer broke off: see the server's log"
		return fail
	}
	if fail.Status = res.StatusCode; fail.Status != http.StatusOK {
		fail.Message, fail.Advice = said(reply), advice(fail.Status)
		return fail
	}
	if err := json.Unmarshal(reply, out); err != nil {
		fail.Message, fail.Advice = fmt.Sprintf("the answer is not what this route gives: %.300q", reply), advice(http.StatusNotFound)
		return fail
	}
	return nil
}

// said is the message of an error body, or its beginning.
func said(reply []byte) string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(reply, &body); err == nil && body.Error.Message != "" {
		return body.Error.Message
	}
	return fmt.Sprintf("%.300s", reply)
}

func advice(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "give the server's key"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "is url a server of this kind?"
	case http.StatusServiceUnavailable:
		return "wait until the server has loaded its model"
	}
	return ""
}
