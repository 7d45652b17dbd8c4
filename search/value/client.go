package value

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"focus/rollout"
)

// Client is a value model on a server. It is safe for concurrent use; close it
// when nobody asks any more.
type Client struct {
	cfg  Config
	key  string
	http *http.Client
	// prompt is what the policy would be sent next.
	prompt func(rollout.State) (rollout.Tokens, error)
	// asks go to the owner of the open batch; slots bound the open requests.
	asks  chan *ask
	slots chan struct{}
	// ctx ends with Close.
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	failures map[string]int
}

// ask is one state on its way to a score.
type ask struct {
	state state
	// answer has room for the score, so that nobody waits for who has left.
	answer chan answer
}

type answer struct {
	value *float64
	err   *Error
}

// New starts a client. It sends nothing before it is asked.
func New(cfg Config) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	key, err := cfg.key()
	if err != nil {
		return nil, err
	}
	return start(cfg, key, newTransport(cfg.Connections)), nil
}

func start(cfg Config, key string, rt http.RoundTripper) *Client {
	c := &Client{
		cfg: cfg, key: key, asks: make(chan *ask), slots: make(chan struct{}, cfg.Connections), failures: map[string]int{},
		http: &http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.work.Go(c.own)
	return c
}

// newTransport drops idle connections before servers do, which would reset them
// under the next request.
func newTransport(connections int) *http.Transport {
	return &http.Transport{
		Proxy:       nil, // an environment's proxy is not meant for engines
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: connections, IdleConnTimeout: 2500 * time.Millisecond,
	}
}

// Reads says how a state is rendered: the prompt that the policy would be sent
// next. Call it before the first state is asked about.
func (c *Client) Reads(prompt func(rollout.State) (rollout.Tokens, error)) { c.prompt = prompt }

// Values is one score per state, nil where there is none; see [Client.Failures].
// States that nobody waits for any more, because ctx is done, are not counted.
func (c *Client) Values(ctx context.Context, states []rollout.State) []*float64 {
	out := make([]*float64, len(states))
	asks := make([]*ask, len(states))
	for i, s := range states {
		asks[i] = c.ask(ctx, s)
	}
	for i, a := range asks {
		select {
		case got := <-a.answer:
			out[i] = got.value
			if got.err != nil {
				c.count(got.err.Why)
			}
		case <-ctx.Done():
		}
	}
	return out
}

// ask hands a state to the owner of the batch.
func (c *Client) ask(ctx context.Context, s rollout.State) *ask {
	a := &ask{answer: make(chan answer, 1)}
	var err error
	if a.state, err = c.read(s); err != nil {
		a.fail(bad(CausePrompt, "%v", err))
		return a
	}
	select {
	case c.asks <- a:
	case <-ctx.Done():
	case <-c.ctx.Done():
		a.fail(bad(CauseClosed, "the client is closed"))
	}
	return a
}

func (a *ask) fail(e *Error) { a.answer <- answer{err: e} }

// read is what the server is told of a state.
func (c *Client) read(s rollout.State) (state, error) {
	if c.prompt == nil {
		return state{}, errors.New("nobody said how a state is rendered")
	}
	p, err := c.prompt(s)
	if err != nil {
		return state{}, err
	}
	return state{TaskID: s.Task.ID, Turns: s.Len(), TokenIDs: p.Slice()}, nil
}

// Try asks about one state alone. Its error says what is wrong with the server.
func (c *Client) Try(ctx context.Context, s rollout.State) error {
	st, err := c.read(s)
	if err != nil {
		return fmt.Errorf("render a state for %s: %w", c.cfg.URL, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	scores, failed := c.post(ctx, []state{st})
	if failed == nil {
		failed = scores[0].err
	}
	if failed != nil {
		return fmt.Errorf("url: the value model at %s gives no score (%w); start it, or leave the section out", c.cfg.URL, failed)
	}
	return nil
}

// Close ends the requests that are open and waits for all that was started.
func (c *Client) Close() error {
	c.stop()
	c.work.Wait()
	c.http.CloseIdleConnections()
	return nil
}
