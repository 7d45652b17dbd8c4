package credit

import "math"

// Whiten makes the advantages of a batch of prompts A ← (A − μ)/(σ + eps), with
// μ and σ over the sampled tokens of all rows, each weighed by its row weight
// ω_ℓ·(rows of the prompt); σ² divides by the sum of weights less ddof. Under
// leaf-mean every token weighs 1, as in TreePO (arXiv 2508.17445). A batch
// without spread becomes 0. A prompt without spread does not stay 0: drop it
// before.
//
// It returns new credits; those it was given are not changed.
func Whiten(batch []*Credit, ddof int, eps float64) []*Credit {
	var as, ws []float64
	for _, c := range batch {
		for _, r := range c.Rows {
			for i, n := range r.Branch {
				as = append(as, r.Advantages[i])
				ws = append(ws, r.Omega*float64(len(c.Rows)*c.forest[n].Tokens))
			}
		}
	}
	mid, scale := whitener(as, ws, ddof, eps)
	out := make([]*Credit, len(batch))
	for i, c := range batch {
		moved := *c
		moved.Nodes, moved.Rows = append([]NodeCredit(nil), c.Nodes...), append([]Row(nil), c.Rows...)
		for j := range moved.Rows {
			r := &moved.Rows[j]
			r.Advantages = append([]float64(nil), r.Advantages...)
			for k := range r.Advantages {
				r.Advantages[k] = (r.Advantages[k] - mid) * scale
			}
		}
		moved.join()
		out[i] = &moved
	}
	return out
}

func whitener(as, ws []float64, ddof int, eps float64) (mid, scale float64) {
	mass := sum(ws)
	if mass <= float64(ddof) {
		return 0, 0
	}
	mid = mean(as, ws)
	squares := make([]float64, len(as))
	for i, a := range as {
		squares[i] = ws[i] * (a - mid) * (a - mid)
	}
	std := math.Sqrt(sum(squares) / (mass - float64(ddof)))
	if std == 0 {
		return mid, 0
	}
	return mid, 1 / (std + eps)
}
