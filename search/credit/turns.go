package credit

// Turns is the credit of a line's turns as edge rows have it: for training that
// sees each sampled token once, in whichever line. branch is the nodes of the
// line; roots have no turns and may be left out. Both lists have one number per
// turn. A turn that no row passes (masked, a probe's, dropped) has weight 0.
//
// Weights are ω_e times the number of rows, so that a rollout that shares
// nothing weighs 1 under leaf-mean.
func (c *Credit) Turns(branch []int) (advantages, weights []float64) {
	advantages, weights = []float64{}, []float64{}
	for _, n := range branch {
		a, w := 0.0, c.Nodes[n].Omega*float64(len(c.Rows))
		if c.Nodes[n].Advantage != nil {
			a = *c.Nodes[n].Advantage
		}
		for range c.forest[n].Turns {
			advantages, weights = append(advantages, a), append(weights, w)
		}
	}
	return advantages, weights
}

// RowTurns is the credit of a row's turns as leaf rows have it: for training on
// every row whole, shared tokens as often as they are shared. The factor on the
// weights is that of [Credit.Turns].
func (c *Credit) RowTurns(row int) (advantages, weights []float64) {
	advantages, weights = []float64{}, []float64{}
	r := c.Rows[row]
	for i, n := range r.Branch {
		for range c.forest[n].Turns {
			advantages = append(advantages, r.Advantages[i])
			weights = append(weights, r.Omega*float64(len(c.Rows)))
		}
	}
	return advantages, weights
}

// Stats is what sharing did to a prompt.
type Stats struct {
	// EffectiveLeaves is (Σ_ℓ ω_ℓ)² / Σ_ℓ ω_ℓ²: the independent rollouts that
	// the rows weigh like; 0 without rows.
	EffectiveLeaves float64
	// UniqueTokens and RowTokens are the sampled tokens of all rows, shared ones
	// counted once or as often as they are shared. The first by the second is
	// the tree token ratio.
	UniqueTokens, RowTokens int
}

// Stats counts rows and tokens.
func (c *Credit) Stats() Stats {
	var s Stats
	var omegas, squares []float64
	for _, r := range c.Rows {
		omegas, squares = append(omegas, r.Omega), append(squares, r.Omega*r.Omega)
		for _, n := range r.Branch {
			s.RowTokens += c.forest[n].Tokens
		}
	}
	for i, n := range c.Nodes {
		if n.Advantage != nil {
			s.UniqueTokens += c.forest[i].Tokens
		}
	}
	if total := sum(omegas); total > 0 {
		s.EffectiveLeaves = total * total / sum(squares)
	}
	return s
}
