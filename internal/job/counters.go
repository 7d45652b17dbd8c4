package job

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"focus/rollout"
	"focus/search"
)

// Counters are a run's figures so far. They are safe for concurrent use.
type Counters struct {
	turns, tokens, promptTokens atomic.Int64
	toolCalls, retries          atomic.Int64
	dropped, inFlight           atomic.Int64

	mu       sync.Mutex
	finished int
	failed   int
	scored   int
	rewards  float64
	solved   int
	taskTurn int
	stops    map[rollout.StopReason]int
	failures map[string]int
	visible  map[string]int

	valued, unvalued int
	valueFailures    map[string]int
}

func newCounters() *Counters {
	return &Counters{stops: map[rollout.StopReason]int{}, failures: map[string]int{}, visible: map[string]int{}, valueFailures: map[string]int{}}
}

// step counts what one step of a rollout added.
func (c *Counters) step(added []*rollout.Turn) {
	for _, t := range added {
		c.turns.Add(1)
		c.tokens.Add(int64(t.Context.Len() - t.PrefixLen))
		c.promptTokens.Add(int64(t.PrefixLen))
		if t.Transition == nil {
			continue
		}
		c.toolCalls.Add(int64(t.Transition.ToolCalls))
		if f := t.Transition.Failure; f != nil {
			c.mu.Lock()
			c.visible[f.Cause]++
			c.mu.Unlock()
		}
	}
}

// failure counts one failed try by its cause.
func (c *Counters) failure(cause string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures[cause]++
}

// estimates counts what a value model was asked for and did not give.
func (c *Counters) estimates(values []*float64, why map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range values {
		if v == nil {
			c.unvalued++
		} else {
			c.valued++
		}
	}
	for cause, n := range why {
		c.valueFailures[cause] += n
	}
}

// rollout counts a result that ended a rollout.
func (c *Counters) rollout(r search.Result) {
	s := r.End().State
	if !s.Done() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished++
	c.stops[s.Reason()]++
	c.taskTurn += s.TurnsTaken()
	if r.Failure != nil {
		c.failed++
	}
	if v, ok := s.Reward(); ok {
		c.scored++
		c.rewards += v
		if v > 0 {
			c.solved++
		}
	}
}

// Progress is a moment of a run.
type Progress struct {
	// Elapsed in seconds.
	Elapsed float64 `json:"elapsed_s"`
	// Tasks and Rollouts are how many there will be, 0 when that is not known.
	Tasks    int `json:"tasks"`
	Rollouts int `json:"rollouts_expected"`
	// Finished counts the rollouts that ended, Failed those of them that the
	// infrastructure failed.
	Finished int   `json:"rollouts"`
	Failed   int   `json:"rollouts_failed"`
	InFlight int64 `json:"in_flight"`
	// Scored rollouts have a reward; Solved have one above 0.
	Scored int     `json:"scored"`
	Solved int     `json:"solved"`
	Reward float64 `json:"reward_sum"`
	// Turns are generates, fold turns included; TaskTurns those of finished
	// rollouts that worked on the task.
	Turns        int64 `json:"turns"`
	TaskTurns    int   `json:"task_turns_finished"`
	Tokens       int64 `json:"generated_tokens"`
	PromptTokens int64 `json:"prompt_tokens"`
	ToolCalls    int64 `json:"tool_calls"`
	Retries      int64 `json:"retries"`
	// Rewrites are prompts where the chat template rendered the history in
	// another way than it was sampled.
	Rewrites int64 `json:"history_rewrites"`
	// Dropped groups were cut short by a second stop and are not written.
	Dropped int64                      `json:"groups_dropped"`
	Stops   map[rollout.StopReason]int `json:"stops"`
	// Failures counts failed tries by cause, Visible the failures that the
	// policy was told of.
	Failures map[string]int `json:"failures"`
	Visible  map[string]int `json:"failures_shown_to_policy"`
	// Valued checkpoints have the value model's number; Unvalued ones miss it,
	// for the causes in ValueFailures.
	Valued        int            `json:"checkpoints_valued"`
	Unvalued      int            `json:"checkpoints_without_value"`
	ValueFailures map[string]int `json:"value_failures,omitempty"`
}

func (c *Counters) snapshot(started time.Time) Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Progress{
		Elapsed:  time.Since(started).Seconds(),
		Finished: c.finished, Failed: c.failed, InFlight: c.inFlight.Load(),
		Scored: c.scored, Solved: c.solved, Reward: c.rewards,
		Turns: c.turns.Load(), TaskTurns: c.taskTurn, Tokens: c.tokens.Load(), PromptTokens: c.promptTokens.Load(),
		ToolCalls: c.toolCalls.Load(), Retries: c.retries.Load(), Dropped: c.dropped.Load(),
		Stops: maps.Clone(c.stops), Failures: maps.Clone(c.failures), Visible: maps.Clone(c.visible),
		Valued: c.valued, Unvalued: c.unvalued, ValueFailures: maps.Clone(c.valueFailures),
	}
}
