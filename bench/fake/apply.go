package fake

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"focus/rollout"
)

// failEarly does the faults that need no reply; it is false when the fault is
// one of the reply.
func (s *Server) failEarly(w http.ResponseWriter, r *http.Request, rule *Rule) bool {
	switch rule.Fault {
	case ResetAfter:
		reset(w)
	case Stall:
		s.stall(r.Context())
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><body>Bad gateway</body></html>"))
	case HTTP400:
		send(w, 400, appendError(nil, 400, "BadRequestError", "", "this request is refused"))
	case HTTP401:
		send(w, 401, []byte(`{"error":"Unauthorized"}`))
	case HTTP404:
		send(w, 404, appendError(nil, 404, "NotFoundError", "model", "The model does not exist."))
	case HTTP429, HTTP503:
		if rule.RetryAfter != "" {
			w.Header().Set("Retry-After", rule.RetryAfter)
		}
		if rule.Fault == HTTP429 {
			send(w, 429, appendError(nil, 429, "Too Many Requests", "", "slow down"))
		} else {
			send(w, 503, appendError(nil, 503, "Service Unavailable", "", "the queue is full"))
		}
	case HTTP500:
		unplug(w, 500, appendError(nil, 500, "InternalServerError", "", "EngineCore encountered an issue"))
	default:
		return false
	}
	return true
}

// bend makes the reply lie as f says.
func (a *answer) bend(f Fault) {
	toks := a.reply.Tokens
	n := len(toks)
	switch f {
	case NoTokenIDs:
		a.noIDs = true
	case NoLogprobs:
		a.noLogprobs = true
	case NullLogprob:
		a.lastLogprob = "null"
	case NaNLogprob:
		a.lastLogprob = "NaN"
	case UnknownLogprob:
		a.lastLogprob = "-9999.0"
	case PositiveLogprob:
		a.lastLogprob = "0.5"
	case ShortLogprobs:
		a.reply.Logprobs = a.reply.Logprobs[:max(len(a.reply.Logprobs)-1, 0)]
	case LongLogprobs:
		a.extraLogprob = 1
	case WrongUsage:
		a.completion++
	case EchoAltered:
		a.raw, a.prompt = nil, slices.Clone(a.prompt)
		a.prompt[len(a.prompt)-1] ^= 1
	case PromptTruncated:
		a.raw, a.prompt = nil, a.prompt[1:]
	case IgnoresMaxTokens:
		a.own()
		for len(a.reply.Tokens) <= a.req.MaxTokens {
			a.reply.Tokens = append(a.reply.Tokens, 0)
			a.reply.Logprobs = append(a.reply.Logprobs, -1)
		}
		a.finish, a.completion = string(rollout.FinishLength), len(a.reply.Tokens)
	case StrangeID:
		if a.own(); n > 0 {
			a.reply.Tokens[n-1] = 1<<31 - 1
		}
	case FinishLength:
		a.finish = string(rollout.FinishLength)
		a.shorten(min(n, a.req.MaxTokens-1))
	case FinishStop:
		a.finish = string(rollout.FinishStop)
		for n > 0 && a.req.stops(toks[n-1]) {
			n--
		}
		a.shorten(n)
	case NoFinish:
		a.finish = ""
	case AbortPartial:
		a.finish = string(rollout.FinishAbort)
		a.shorten(n / 2)
	case AbortEmpty:
		a.finish = string(rollout.FinishAbort)
		a.shorten(0)
	case WrongModel:
		a.model = "another-" + a.model
	}
}

// own makes the ids the answer's own: a script may have given a shared slice.
func (a *answer) own() {
	a.reply.Tokens, a.reply.Logprobs = slices.Clone(a.reply.Tokens), slices.Clone(a.reply.Logprobs)
}

// shorten keeps the first n ids.
func (a *answer) shorten(n int) {
	a.reply.cut(n)
	a.completion = len(a.reply.Tokens)
}

// send answers with a JSON body.
func send(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left
}

var jsonType = []string{"application/json"}

// reset ends the connection such that the client sees a reset where the
// transport has one.
func reset(w http.ResponseWriter) {
	conn := seize(w)
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// unplug sends a reply by hand and ends the connection without announcing it.
func unplug(w http.ResponseWriter, status int, body []byte) {
	conn := seize(w)
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, http.StatusText(status), len(body))
	_, _ = conn.Write(append([]byte(head), body...)) // the client may have left
	if tcp, ok := conn.(*net.TCPConn); ok {
		// A close with unread bytes would reset the connection under the reply:
		// end our side, and let the client end its own.
		_ = tcp.CloseWrite()
		_ = tcp.SetReadDeadline(time.Now().Add(lingering))
		_, _ = io.Copy(io.Discard, tcp)
	}
	_ = conn.Close()
}

// lingering is how long an unplugged connection waits for the client's end.
const lingering = 2 * time.Second

// seize takes the connection from the HTTP server.
func seize(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		// Not a connection (a recorder, HTTP/2): the server's own way to break one.
		panic(http.ErrAbortHandler)
	}
	return conn
}
