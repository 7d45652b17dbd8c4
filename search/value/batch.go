package value

import (
	"context"
	"time"
)

// own collects asks into batches and sends each when it is due and a slot is
// free. Until then more may join, up to the size of a batch.
func (c *Client) own() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var batch []*ask
	ripe := false // the first of batch has waited long enough
	for {
		asks, slots := c.asks, chan<- struct{}(nil)
		full := len(batch) == c.cfg.Batch
		if full {
			asks = nil
		}
		if full || ripe && len(batch) > 0 {
			slots = c.slots
		}
		select {
		case a := <-asks:
			batch = append(batch, a)
			if len(batch) == 1 {
				ripe = c.cfg.Wait == 0
				timer.Reset(c.cfg.Wait)
			}
		case <-timer.C:
			ripe = true
		case slots <- struct{}{}:
			due := c.fill(batch)
			batch, ripe = nil, false
			c.work.Go(func() {
				defer func() { <-c.slots }()
				c.send(due)
			})
		case <-c.ctx.Done():
			for _, a := range batch {
				a.fail(bad(CauseClosed, "the client is closed"))
			}
			return
		}
	}
}

// fill adds the asks that wait already.
func (c *Client) fill(batch []*ask) []*ask {
	for len(batch) < c.cfg.Batch {
		select {
		case a := <-c.asks:
			batch = append(batch, a)
		default:
			return batch
		}
	}
	return batch
}

// send makes one request and answers every ask in it.
func (c *Client) send(batch []*ask) {
	ctx, cancel := context.WithTimeout(c.ctx, c.cfg.Timeout)
	defer cancel()
	states := make([]state, len(batch))
	for i, a := range batch {
		states[i] = a.state
	}
	scores, failed := c.post(ctx, states)
	for i, a := range batch {
		if failed != nil {
			a.fail(failed)
			continue
		}
		a.answer <- scores[i]
	}
}
