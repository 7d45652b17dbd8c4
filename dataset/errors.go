package dataset

import (
	"errors"
	"fmt"

	"focus/rollout"
)

// What a row can be refused for. Each is also the name of a check in a report.
var (
	// ErrPrefix: a sampled token stands after other tokens than those it was
	// sampled under.
	ErrPrefix = errors.New("prefix differs from the one sampled under")
	// ErrTrainTwice: a sampled token has loss in two rows.
	ErrTrainTwice = errors.New("sampled token would train twice")
	// ErrLength: lists of a row that must be equally long are not.
	ErrLength = errors.New("lengths differ")
	// ErrMask: a mask is not 0 or 1, has loss on what was not sampled, on part
	// of a turn or on a row that is not valid, or prompt_len is wrong.
	ErrMask = errors.New("mask is wrong")
	// ErrLogprob: a logprob is not finite, above 0, or set where nothing was
	// sampled.
	ErrLogprob = errors.New("logprob is wrong")
	// ErrCredit: an advantage or weight is not finite, or set where nothing was
	// sampled.
	ErrCredit = errors.New("credit is wrong")
	// ErrSpan: the spans do not partition the row, or disagree with its masks,
	// turns or branch.
	ErrSpan = errors.New("spans are wrong")
	// ErrReward: a reward breaks the null rules or is not finite.
	ErrReward = errors.New("reward is wrong")
	// ErrIdentity: ids, row numbers or what the rows of a rollout share is
	// wrong.
	ErrIdentity = errors.New("identity is wrong")
	// ErrTree: nodes do not form a tree, or a branch does not follow it.
	ErrTree = errors.New("tree is wrong")
	// ErrText: text is not UTF-8, or JSON does not parse.
	ErrText = errors.New("text is wrong")
)

// NoTurn is the turn of a refusal that is about a whole row or tree.
const NoTurn = -1

// RefusedError is a row the writer will not write.
type RefusedError struct {
	Tree    rollout.TreeID
	Rollout rollout.RolloutID
	// Row is the row within the rollout, -1 when the refusal is about a node.
	Row int
	// Turn is the turn within the row, or [NoTurn].
	Turn   int
	Detail string
	// Err is one of the sentinels above.
	Err error
}

func (e *RefusedError) Error() string {
	where := fmt.Sprintf("tree %s", e.Tree)
	if e.Rollout != "" {
		where += fmt.Sprintf(", rollout %s, row %d", e.Rollout, e.Row)
	}
	if e.Turn != NoTurn {
		where += fmt.Sprintf(", turn %d", e.Turn)
	}
	return fmt.Sprintf("%s: %v: %s", where, e.Err, e.Detail)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// Decisions a caller makes about a directory.
var (
	// ErrHoldsRun: the directory already has a manifest.
	ErrHoldsRun = errors.New("directory holds a run")
	// ErrNoRun: the directory has no manifest.
	ErrNoRun = errors.New("directory holds no run")
	// ErrDamaged: a file that the manifest lists is missing or not what it
	// lists.
	ErrDamaged = errors.New("file is not what the manifest lists")
)
