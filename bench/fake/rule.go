package fake

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Rule says which completions suffer which fault. Its conditions must all hold;
// one that is zero always does. Rules of [ResetBefore] are looked at first,
// because they act first.
type Rule struct {
	Fault Fault
	// From and To bound the numbers it applies to: [From, To).
	From, To int64
	// Every k-th request, those whose number is k-1 more than a multiple of k.
	Every int64
	// Share of the requests, by hash of their number, from 0 to 1.
	Share float64
	// Attempts names the first so many requests with the same prompt and seed:
	// the next one gets through, whatever is in flight.
	Attempts int
	// Match decides by the request; it may not keep it.
	Match func(*Request) bool

	// Delay comes before the fault.
	Delay time.Duration
	// RetryAfter is the header of a 429 or 503.
	RetryAfter string
}

// Validate reports every problem at once.
func (r Rule) Validate() error {
	var errs []error
	if r.Fault.Sentence() == "" {
		errs = append(errs, fmt.Errorf("unknown fault %q", r.Fault))
	}
	if r.Fault == ResetBefore && (r.Match != nil || r.Attempts > 0) {
		errs = append(errs, fmt.Errorf("%s cannot depend on a request that is not read", r.Fault))
	}
	if r.From < 0 || r.To < 0 || r.Every < 0 || r.Attempts < 0 || r.Delay < 0 || r.Share < 0 || r.Share > 1 {
		errs = append(errs, fmt.Errorf("%s: from, to, every, attempts, delay must not be negative, share must be in [0, 1]", r.Fault))
	}
	return errors.Join(errs...)
}

// ParseRule reads a rule as a flag has it: the fault, then conditions, such as
// "http_429,every=10,retry_after=2" or "slow,share=0.01,delay=3s".
func ParseRule(text string) (Rule, error) {
	name, rest, _ := strings.Cut(text, ",")
	r := Rule{Fault: Fault(name)}
	for _, part := range strings.Split(rest, ",") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		var err error
		switch key {
		case "from":
			r.From, err = strconv.ParseInt(value, 10, 64)
		case "to":
			r.To, err = strconv.ParseInt(value, 10, 64)
		case "every":
			r.Every, err = strconv.ParseInt(value, 10, 64)
		case "share":
			r.Share, err = strconv.ParseFloat(value, 64)
		case "attempts":
			r.Attempts, err = strconv.Atoi(value)
		case "delay":
			r.Delay, err = time.ParseDuration(value)
		case "retry_after":
			r.RetryAfter = value
		default:
			err = errors.New("unknown condition")
		}
		if err != nil {
			return r, fmt.Errorf("rule %q: %s: %w", text, key, err)
		}
	}
	if err := r.Validate(); err != nil {
		return r, fmt.Errorf("rule %q: %w", text, err)
	}
	return r, nil
}

// numbered checks the conditions that need only the number.
func (r *Rule) numbered(number int64, seed uint64) bool {
	if number < r.From || r.To > 0 && number >= r.To {
		return false
	}
	if r.Every > 1 && (number+1)%r.Every != 0 {
		return false
	}
	if r.Share > 0 {
		return float64(scramble(seed^scramble(uint64(number)+1))>>11)/(1<<53) < r.Share
	}
	return true
}

// ledger counts the requests with the same prompt and seed, for one rule.
type ledger struct {
	mu   sync.Mutex
	seen map[uint64]int
}

// first reports whether key came less than n times before.
func (l *ledger) first(key uint64, n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[uint64]int{}
	}
	l.seen[key]++
	return l.seen[key] <= n
}
