package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"focus/rollout"
)

// ServedConfig is where a server renders.
type ServedConfig struct {
	// URL is the server, without the path of a route. Required.
	URL string
	// Model is the name it is served under. Required by vLLM.
	Model string
	// Key is sent as a bearer token; "" sends none.
	Key string
	// Kwargs are further variables of the chat template.
	Kwargs map[string]any
	// Stops are the ids that end an assistant turn, the template's own first.
	// vLLM does not tell them; a llama-server tells its eos_token, which stands
	// in where they are not given.
	Stops []rollout.TokenID
	// Timeout of one request; 0 is 30 seconds.
	Timeout time.Duration
	// Client sends the requests; nil is a client of its own.
	Client *http.Client
}

// Served is the renderer over a server that renders, for models whose template
// is not at hand: vLLM ([NewServed]) or a llama-server ([NewLlama]). Ids are what
// the server gives for the whole conversation, which is [HFExact]: it cannot be
// told what nobody vouches for. A bridge asks for the conversation three times.
type Served struct {
	server dialect
	stops  []rollout.TokenID
	hash   string
}

// dialect is how one kind of server is asked.
type dialect interface {
	// ask renders messages, with the prompt for the next turn or without.
	ask(messages []rollout.Message, tools []rollout.ToolSchema, next bool) (rendered, error)
	// reply finds the last of the first n messages in the conversation's whole.
	reply(messages []rollout.Message, n int, tools []rollout.ToolSchema, whole rendered) (servedReply, error)
}

// rendered is a conversation as a server renders it; vLLM tells no text.
type rendered struct {
	text string
	ids  []rollout.TokenID
}

// servedReply is where an assistant message stands in a conversation's ids.
type servedReply struct {
	start int  // its own ids, where same
	end   int  // its terminator; -1 where that is not found
	same  bool // whether it and all before it are there as they were sampled
}

// errNoEnd says that a bridge has no place to begin.
var errNoEnd = errors.New("served renderer: the end of the turn is not found in what the server renders: none of the stop ids ends it, or the template does not show what follows; give the ids that end turns there as stops")

// probe shows how a template ends a turn.
var probe = []rollout.Message{rollout.User("a"), rollout.Assistant("b"), rollout.User("c")}

// ready fills in what a configuration leaves out.
func (cfg ServedConfig) ready() (ServedConfig, error) {
	if cfg.URL == "" {
		return cfg, errors.New("url: missing")
	}
	cfg.URL = strings.TrimSuffix(cfg.URL, "/")
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), 30*time.Second)
	if cfg.Client == nil {
		cfg.Client = &http.Client{}
	}
	cfg.Stops = slices.Clone(cfg.Stops)
	return cfg, nil
}

// StopIDs are those of the configuration, or the server's.
func (s *Served) StopIDs() []rollout.TokenID { return slices.Clone(s.stops) }

// Hash names the template: by its text where the server tells it, else by the
// ids of a short conversation.
func (s *Served) Hash() string { return s.hash }

// Prompt is the server's ids for a whole conversation. Sampled ids stand in it
// up to the first message that the template renders in another way.
func (s *Served) Prompt(messages []rollout.Message, tools []rollout.ToolSchema) ([]rollout.TokenID, error) {
	whole, err := s.server.ask(messages, tools, true)
	if err != nil {
		return nil, err
	}
	var ids []rollout.TokenID
	at := 0
	for i, m := range messages {
		if len(m.Sampled) == 0 {
			continue
		}
		r, err := s.server.reply(messages, i+1, tools, whole)
		if err != nil {
			return nil, err
		}
		if !r.same || r.start < at {
			break
		}
		ids = append(append(ids, whole.ids[at:r.start]...), m.Sampled...)
		at = s.after(whole.ids, r.end, m.Sampled[len(m.Sampled)-1])
	}
	return append(ids, whole.ids[at:]...), nil
}

// Bridge is what the server puts after the reply.
func (s *Served) Bridge(g Gap) (Bridge, error) {
	if g.Covered < 1 || g.Covered > len(g.Messages) {
		return Bridge{}, fmt.Errorf("bridge after message %d of %d", g.Covered-1, len(g.Messages))
	}
	whole, err := s.server.ask(g.Messages, g.Tools, true)
	if err != nil {
		return Bridge{}, err
	}
	r, err := s.server.reply(g.Messages, g.Covered, g.Tools, whole)
	if err != nil {
		return Bridge{}, err
	}
	if r.end < 0 {
		return Bridge{}, errNoEnd
	}
	return Bridge{IDs: whole.ids[s.after(whole.ids, r.end, g.Last):], Rewrites: !r.same}, nil
}

// after is where ids go on after a turn that ended with last: behind the
// terminator when it was sampled, or another id in its place.
func (s *Served) after(whole []rollout.TokenID, end int, last rollout.TokenID) int {
	if last == whole[end] || whole[end] == s.stops[0] && slices.Contains(s.stops, last) {
		return end + 1
	}
	return end
}

func hashOf[T ~string | ~[]byte](b T) string {
	sum := sha256.Sum256([]byte(b))
	return hex.EncodeToString(sum[:])
}
