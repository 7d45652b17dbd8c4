package rollout

import "iter"

// PieceKind says what a stretch of a region is.
type PieceKind string

const (
	// PieceBase is what the first turn of a region was sent.
	PieceBase PieceKind = "base"
	// PieceGenerated was sampled.
	PieceGenerated PieceKind = "generated"
	// PieceObservation came from the world or the template.
	PieceObservation PieceKind = "observation"
)

// Piece is a stretch of one kind. Turn is the turn that sampled it, or that was
// sent it.
type Piece struct {
	Kind PieceKind
	IDs  []TokenID
	Turn *Turn
}

// Region is a maximal run of turns whose prefixes chain: one training sequence.
type Region struct {
	Tag   Tag
	Turns []*Turn
}

// Tokens is the whole sequence: prefix and sampled ids of the last turn.
func (r Region) Tokens() Tokens { return r.Turns[len(r.Turns)-1].Context }

// Pieces walks base, generated, observation, generated, … Their concatenation
// is Tokens. Empty stretches are left out.
func (r Region) Pieces() iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		at, kind := 0, PieceBase
		for _, t := range r.Turns {
			if t.PrefixLen > at {
				given := t.Context.Truncate(t.PrefixLen).From(at)
				if !yield(Piece{Kind: kind, IDs: given, Turn: t}) {
					return
				}
			}
			if ids := t.Sampled(); len(ids) > 0 {
				if !yield(Piece{Kind: PieceGenerated, IDs: ids, Turn: t}) {
					return
				}
			}
			at, kind = t.Context.Len(), PieceObservation
		}
	}
}

// Regions packs turns into the fewest regions: a turn joins the one before it
// when it has the same tag and its prefix begins with all that came before; a
// tag change or a rewritten history starts a new one.
func Regions(turns iter.Seq[*Turn]) []Region {
	var out []Region
	for t := range turns {
		if n := len(out); n > 0 && out[n-1].Tag == t.Tag && t.Prefix().HasPrefix(out[n-1].Tokens()) {
			out[n-1].Turns = append(out[n-1].Turns, t)
			continue
		}
		out = append(out, Region{Tag: t.Tag, Turns: []*Turn{t}})
	}
	return out
}
