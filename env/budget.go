package env

// The counters of a [RoundBudget].
const (
	CallsRemaining = "calls_remaining"
	CallsMax       = "calls_max"
)

// RoundBudget is how many tool calls a round allows: what a context manager's
// counter trigger watches, and refills when it folds. The zero budget is no
// budget.
type RoundBudget struct {
	Remaining int `json:"calls_remaining"`
	Max       int `json:"calls_max"`
}

// NewRoundBudget allows calls per round; 0 is no budget.
func NewRoundBudget(calls int) RoundBudget { return RoundBudget{calls, calls} }

// Limited reports whether there is a budget at all.
func (b RoundBudget) Limited() bool { return b.Max > 0 }

// Charge takes one call. It reports false, and takes nothing, when the round's
// calls are spent.
func (b RoundBudget) Charge() (RoundBudget, bool) {
	if !b.Limited() {
		return b, true
	}
	if b.Remaining <= 0 {
		return b, false
	}
	b.Remaining--
	return b, true
}

// Counter is the value of a counter; false when there is none of that name.
func (b RoundBudget) Counter(name string) (int, bool) {
	switch {
	case !b.Limited():
		return 0, false
	case name == CallsRemaining:
		return b.Remaining, true
	case name == CallsMax:
		return b.Max, true
	}
	return 0, false
}

// WithCounter sets a counter and gives a RoundBudget; an unknown name changes
// nothing.
func (b RoundBudget) WithCounter(name string, value int) any {
	switch {
	case !b.Limited():
	case name == CallsRemaining:
		b.Remaining = value
	case name == CallsMax:
		b.Max = value
	}
	return b
}
