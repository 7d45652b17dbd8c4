package tinylm

import "math"

// Every product below is wrapped in a conversion, float32(a*b): the language then forbids fusing it with the
// addition, so that a blocked loop and its remainder round alike on every architecture.

// matmul sets y[t][r] = Σ_k w[r][k]·x[t][k] for tokens rows of x and rows rows of w, each n long; y has stride ys.
// Every element is summed in ascending k by one accumulator, whatever the shapes: a token's result does not depend
// on which tokens it shares the call with. Two tokens by three rows a pass is what the compiler keeps in registers.
func matmul(y []float32, ys int, w, x []float32, n, rows, tokens int) {
	panel := max(24, panelFloats/n/24*24) // rows that stay in the first-level cache while all tokens pass over them
	for first := 0; first < rows; first += panel {
		last := min(rows, first+panel)
		wp := w[first*n : last*n]
		t := 0
		for ; t+2 <= tokens; t += 2 {
			matmul2(y[t*ys+first:t*ys+last], y[(t+1)*ys+first:(t+1)*ys+last], wp, x[t*n:(t+1)*n], x[(t+1)*n:(t+2)*n])
		}
		if t < tokens {
			matmul1(y[t*ys+first:t*ys+last], wp, x[t*n:(t+1)*n])
		}
	}
}

// panelFloats is half of a common first-level data cache of 32 KiB.
const panelFloats = 4096

func matmul2(y0, y1, w, x0, x1 []float32) {
	n := len(x0)
	x1 = x1[:n]
	r := 0
	for ; r+3 <= len(y0); r += 3 {
		w0, w1, w2 := w[r*n:][:n], w[(r+1)*n:][:n], w[(r+2)*n:][:n]
		var a0, a1, a2, b0, b1, b2 float32
		k := 0
		for ; k < n-1; k += 2 {
			u, v := x0[k], x1[k]
			p, q, s := w0[k], w1[k], w2[k]
			a0 += float32(p * u)
			a1 += float32(q * u)
			a2 += float32(s * u)
			b0 += float32(p * v)
			b1 += float32(q * v)
			b2 += float32(s * v)
			u, v = x0[k+1], x1[k+1]
			p, q, s = w0[k+1], w1[k+1], w2[k+1]
			a0 += float32(p * u)
			a1 += float32(q * u)
			a2 += float32(s * u)
			b0 += float32(p * v)
			b1 += float32(q * v)
			b2 += float32(s * v)
		}
		if k < n {
			u, v := x0[k], x1[k]
			a0, a1, a2 = a0+float32(w0[k]*u), a1+float32(w1[k]*u), a2+float32(w2[k]*u)
			b0, b1, b2 = b0+float32(w0[k]*v), b1+float32(w1[k]*v), b2+float32(w2[k]*v)
		}
		o0, o1 := y0[r:r+3], y1[r:r+3]
		o0[0], o0[1], o0[2] = a0, a1, a2
		o1[0], o1[1], o1[2] = b0, b1, b2
	}
	for ; r < len(y0); r++ {
		wr := w[r*n:][:n]
		var a, b float32
		for k, p := range wr {
			a += float32(p * x0[k])
			b += float32(p * x1[k])
		}
		y0[r], y1[r] = a, b
	}
}

func matmul1(y, w, x []float32) {
	n := len(x)
	r := 0
	for ; r+8 <= len(y); r += 8 {
		w0, w1, w2, w3 := w[r*n:][:n], w[(r+1)*n:][:n], w[(r+2)*n:][:n], w[(r+3)*n:][:n]
		w4, w5, w6, w7 := w[(r+4)*n:][:n], w[(r+5)*n:][:n], w[(r+6)*n:][:n], w[(r+7)*n:][:n]
		var a0, a1, a2, a3, a4, a5, a6, a7 float32
		for k, u := range x {
			a0 += float32(w0[k] * u)
			a1 += float32(w1[k] * u)
			a2 += float32(w2[k] * u)
			a3 += float32(w3[k] * u)
			a4 += float32(w4[k] * u)
			a5 += float32(w5[k] * u)
			a6 += float32(w6[k] * u)
			a7 += float32(w7[k] * u)
		}
		o := y[r : r+8]
		o[0], o[1], o[2], o[3] = a0, a1, a2, a3
		o[4], o[5], o[6], o[7] = a4, a5, a6, a7
	}
	for ; r < len(y); r++ {
		y[r] = dot(w[r*n:], x)
	}
}

func dot(w, x []float32) float32 {
	w = w[:len(x)]
	var sum float32
	for k, u := range x {
		sum += float32(w[k] * u)
	}
	return sum
}

// mix adds Σ_j p[j]·v[j] to out, in ascending j, where v holds len(p) rows as long as out.
func mix(out, p, v []float32) {
	n := len(out)
	j := 0
	for ; j+4 <= len(p); j += 4 {
		v0, v1, v2, v3 := v[j*n:][:n], v[(j+1)*n:][:n], v[(j+2)*n:][:n], v[(j+3)*n:][:n]
		p0, p1, p2, p3 := p[j], p[j+1], p[j+2], p[j+3]
		for d, o := range out {
			o += float32(p0 * v0[d])
			o += float32(p1 * v1[d])
			o += float32(p2 * v2[d])
			o += float32(p3 * v3[d])
			out[d] = o
		}
	}
	for ; j < len(p); j++ {
		vj, pj := v[j*n:][:n], p[j]
		for d := range out {
			out[d] += float32(pj * vj[d])
		}
	}
}

// rmsNorm sets y = x / rms(x) · gain for rows of x as long as gain.
func rmsNorm(y, x, gain []float32, eps float64) {
	n := len(gain)
	for ; len(x) >= n; x, y = x[n:], y[n:] {
		scale := float32(1 / math.Sqrt(float64(dot(x[:n], x[:n]))/float64(n)+eps))
		for i, g := range gain {
			y[i] = float32(x[i]*scale) * g
		}
	}
}

// softmax turns scores into exp(s - max) in place and returns their sum.
func softmax(s []float32) float32 {
	top := s[0]
	for _, v := range s[1:] {
		top = max(top, v)
	}
	var sum float32
	for i, v := range s {
		e := exp32(v - top)
		s[i] = e
		sum += e
	}
	return sum
}

// gate sets y[i] = silu(a[i])·b[i], silu(z) = z/(1+e^-z).
func gate(y, a, b []float32) {
	a, b = a[:len(y)], b[:len(y)]
	for i, z := range a {
		y[i] = float32(z/(1+exp32(-z))) * b[i]
	}
}

// exp32 is e^x within 2 units in the last place: x = n·ln2 + r with |r| ≤ ln2/2, e^r by its Taylor polynomial
// of degree 7. Below e^-86.6, near the smallest normal float32, it is 0. Plain Go, so that it is the same everywhere.
func exp32(x float32) float32 {
	const (
		log2e = 1.44269504088896341
		ln2Hi = 0.693359375 // few enough bits that n·ln2Hi is exact
		ln2Lo = -2.12194440e-4
	)
	if x > 88.72 {
		return float32(math.Inf(1))
	}
	if !(x > -86.6) { // also NaN, which stays one
		if x != x {
			return x
		}
		return 0
	}
	shift := float32(0.5)
	if x < 0 {
		shift = -0.5
	}
	n := int32(float32(x*log2e) + shift)
	f := float32(n)
	r := x - float32(f*ln2Hi)
	r -= float32(f * ln2Lo)
	p := float32(1.0 / 5040)
	p = float32(p*r) + 1.0/720
	p = float32(p*r) + 1.0/120
	p = float32(p*r) + 1.0/24
	p = float32(p*r) + 1.0/6
	p = float32(p*r) + 0.5
	p = float32(p*r) + 1
	p = float32(p*r) + 1
	return p * math.Float32frombits(uint32(n+126)<<23) * 2 // in two steps: 2^128 alone would overflow
}
