package search

// queue is a selector of picks that were chosen before. One that the gate's
// width has no room for is dropped.
type queue struct {
	view  *View
	picks []Pick
}

// add puts a pick at the end, a number of times.
func (q *queue) add(p Pick, times int) {
	for range times {
		q.picks = append(q.picks, p)
	}
}

func (q *queue) Next() (Pick, bool) {
	for len(q.picks) > 0 {
		next := q.picks[0]
		q.picks = q.picks[1:]
		if q.view.Room(q.view.Tree().Node(next.From)) {
			return next, true
		}
	}
	return Pick{}, false
}

func (*queue) Applied(Expansion, []*Node) {}
