package codec

import (
	"errors"
	"math/bits"
)

// lsContext holds the statistics of one context (T.87 A.2.1): the sum of error
// magnitudes a, the sum of errors b, the bias correction c and the count n. In run
// interruption contexts b counts the negative errors.
type lsContext struct {
	a, b, c, n int
}

// runOrder is the base-2 logarithm of the length of a run segment (A.2.1, J).
var runOrder = [32]int{
	0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
	4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15,
}

// lsContexts is the number of contexts of regular mode, 81*q1 + 9*q2 + q3 >= 0.
const lsContexts = 4*81 + 4*9 + 4 + 1

// lsScan is the state of a scan of one component.
type lsScan struct {
	bits              lsBits
	cols              int
	near, step        int // step between levels: 2*near + 1
	levels            int // RANGE
	maxVal, halve     int // statistics are halved at count halve (RESET)
	qbpp, limit       int
	quantised         []int8 // region of a local gradient, at index gradient + maxVal
	contexts          [lsContexts]lsContext
	runs              [2]lsContext // of run interruption, by type
	runIndex          int
	previous, current []int // rows with one additional pixel on each side
}

func newLSScan(f *lsFrame, data []byte) *lsScan {
	p := f.preset
	s := &lsScan{bits: lsBits{data: data}, cols: f.cols, near: f.near, step: 2*f.near + 1, maxVal: p.maxVal, halve: p.reset}
	s.levels = (p.maxVal+2*f.near)/s.step + 1
	s.qbpp = bits.Len(uint(s.levels - 1))
	bpp := max(2, bits.Len(uint(p.maxVal)))
	s.limit = 2 * (bpp + max(8, bpp))
	s.quantised = make([]int8, 2*p.maxVal+1)
	for i := range s.quantised {
		s.quantised[i] = quantiseGradient(i-p.maxVal, f.near, p)
	}
	s.previous, s.current = make([]int, f.cols+2), make([]int, f.cols+2)
	s.reset()
	return s
}

// reset sets the state at the start of the image and after a restart marker (A.2.1).
func (s *lsScan) reset() {
	start := lsContext{a: max(2, (s.levels+32)/64), n: 1}
	for i := range s.contexts {
		s.contexts[i] = start
	}
	s.runs = [2]lsContext{start, start}
	s.runIndex = 0
	clear(s.previous)
	clear(s.current)
}

// quantiseGradient returns the region of a local gradient, -4 to 4 (A.3.3).
func quantiseGradient(d, near int, p lsPreset) int8 {
	m := max(d, -d)
	var q int8
	switch {
	case m >= p.t3:
		q = 4
	case m >= p.t2:
		q = 3
	case m >= p.t1:
		q = 2
	case m > near:
		q = 1
	}
	if d < 0 {
		return -q
	}
	return q
}

// decode decodes all rows into out. There is a restart marker after each interval of
// rows.
func (s *lsScan) decode(out []uint16, interval int) error {
	for y := 0; len(out) > 0; y++ {
		if interval > 0 && y > 0 && y%interval == 0 {
			if err := s.bits.restart(y/interval - 1); err != nil {
				return err
			}
			s.reset()
		}
		// Pixels outside the image (A.2.1): to the right of the previous row its last
		// pixel, to the left of this row the first pixel of the previous one.
		s.previous[s.cols+1] = s.previous[s.cols]
		s.current[0] = s.previous[1]
		if err := s.row(); err != nil {
			return err
		}
		if s.bits.ended() {
			return errTruncated
		}
		for x, v := range s.current[1 : s.cols+1] {
			out[x] = uint16(v)
		}
		out = out[s.cols:]
		s.previous, s.current = s.current, s.previous
	}
	return nil
}

// row decodes one row: pixel by pixel, or in runs if all local gradients are 0.
func (s *lsScan) row() error {
	above, row := s.previous, s.current
	for x := 1; x <= s.cols; {
		a, b, c, d := row[x-1], above[x], above[x-1], above[x+1]
		q := 81*int(s.quantised[d-b+s.maxVal]) + 9*int(s.quantised[b-c+s.maxVal]) + int(s.quantised[c-a+s.maxVal])
		if q != 0 {
			row[x] = s.regular(q, a, b, c)
			x++
			continue
		}
		n, endOfRow, err := s.runLength(s.cols + 1 - x)
		if err != nil {
			return err
		}
		for range n {
			row[x] = a
			x++
		}
		if !endOfRow {
			row[x] = s.interruption(a, above[x])
			x++
		}
	}
	return nil
}

// regular decodes a pixel in regular mode (A.4 to A.6) from the pixels a to the left, b
// above and c above left. q is the context with the sign of the gradients.
func (s *lsScan) regular(q, a, b, c int) int {
	sign := 1
	if q < 0 {
		q, sign = -q, -1
	}
	ctx := &s.contexts[q]
	p := a + b - c // the edge-detecting predictor
	if lo, hi := min(a, b), max(a, b); c >= hi {
		p = lo
	} else if c <= lo {
		p = hi
	}
	p = min(max(p+sign*ctx.c, 0), s.maxVal)

	k := golombOrder(ctx.n, ctx.a)
	m := s.bits.golomb(k, s.limit, s.qbpp)
	e := m>>1 ^ -(m & 1) // 0, -1, 1, -2, ...
	if s.near == 0 && k == 0 && 2*ctx.b <= -ctx.n {
		e = ^e // -1, 0, -2, 1, ...
	}
	s.update(ctx, e)
	return s.reconstruct(p + sign*e*s.step)
}

// golombOrder returns the smallest k for which n * 2^k >= a (A.5.1).
func golombOrder(n, a int) int {
	k := 0
	for n<<k < a && k < 24 {
		k++
	}
	return k
}

// update adds error e to the statistics of a context and updates its bias (A.6).
func (s *lsScan) update(ctx *lsContext, e int) {
	ctx.b += e * s.step
	ctx.a += max(e, -e)
	if ctx.n == s.halve {
		ctx.a >>= 1
		ctx.b >>= 1
		ctx.n >>= 1
	}
	ctx.n++
	if ctx.b <= -ctx.n {
		ctx.b = max(ctx.b+ctx.n, 1-ctx.n)
		ctx.c = max(ctx.c-1, -128)
	} else if ctx.b > 0 {
		ctx.b = min(ctx.b-ctx.n, 0)
		ctx.c = min(ctx.c+1, 127)
	}
}

// reconstruct returns a pixel to its range (A.4.5, A.5.2).
func (s *lsScan) reconstruct(v int) int {
	if v < -s.near {
		v += s.levels * s.step
	} else if v > s.maxVal+s.near {
		v -= s.levels * s.step
	}
	return min(max(v, 0), s.maxVal)
}

// runLength decodes the length of a run (A.7.1); there are at most rest pixels in the
// row. endOfRow is true if the run ends with the row.
func (s *lsScan) runLength(rest int) (n int, endOfRow bool, err error) {
	for s.bits.take(1) == 1 {
		segment := 1 << runOrder[s.runIndex]
		if n+segment <= rest && s.runIndex < 31 {
			s.runIndex++
		}
		if n = min(n+segment, rest); n == rest {
			return n, true, nil
		}
	}
	n += s.bits.take(runOrder[s.runIndex])
	if n >= rest {
		if s.bits.ended() {
			return 0, false, errTruncated
		}
		return 0, false, errors.New("a run is longer than its row")
	}
	return n, false, nil
}

// interruption decodes the pixel after a run (A.7.2) from the pixels a to the left and b
// above.
func (s *lsScan) interruption(a, b int) int {
	kind, p, sign := 0, b, 1
	if max(a-b, b-a) <= s.near {
		kind, p = 1, a
	} else if a > b {
		sign = -1
	}
	ctx := &s.runs[kind]
	k := golombOrder(ctx.n, ctx.a+kind*(ctx.n>>1))
	m := s.bits.golomb(k, s.limit-runOrder[s.runIndex]-1, s.qbpp)
	if s.runIndex > 0 {
		s.runIndex--
	}
	// m = 2*|e| - kind - flip. flip is chosen so that the more frequent sign has the
	// shorter code.
	flip := (m + kind) & 1
	e := (m + kind + flip) >> 1
	if (k != 0 || 2*ctx.b >= ctx.n) == (flip == 1) {
		e = -e
	}
	if e < 0 {
		ctx.b++
	}
	ctx.a += (m + 1 - kind) >> 1
	if ctx.n == s.halve {
		ctx.a >>= 1
		ctx.b >>= 1
		ctx.n >>= 1
	}
	ctx.n++
	return s.reconstruct(p + sign*e*s.step)
}
