package fake

import "focus/rollout"

// law is the fake model: a hash of all ids so far.
type law struct {
	h     uint64
	vocab uint64
	eos   rollout.TokenID
}

// see takes one more id into account.
func (l *law) see(id rollout.TokenID) {
	l.h = (l.h ^ uint64(uint32(id))) * 0x9e3779b97f4a7c15
	l.h ^= l.h >> 29
}

// next draws the id that follows. noise is 0 for greedy; one in mean is the end.
func (l *law) next(noise, mean uint64) rollout.TokenID {
	d := scramble(l.h ^ scramble(noise))
	if d%mean == 0 {
		return l.eos
	}
	id := rollout.TokenID(d / mean % (l.vocab - 1))
	if id >= l.eos {
		id++
	}
	return id
}

// logprob of id after all that was seen: below 0, at least -4.
func (l *law) logprob(id rollout.TokenID) float32 {
	d := scramble(l.h ^ uint64(uint32(id))<<17)
	return -float32(d>>54+1) / 256
}

// scramble spreads every bit of x over the result (the finalizer of
// SplitMix64, https://prng.di.unimi.it/splitmix64.c).
func scramble(x uint64) uint64 {
	if x == 0 {
		return 0
	}
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
