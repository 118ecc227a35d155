package codec

import "testing"

// golombCode appends a code of limited length (T.87 A.5.3) to a scan without bytes of 0xFF.
func golombCode(w *bitWriter, m, k, limit, qbpp int) {
	zeros, value, n := m>>k, m&(1<<k-1), k
	if most := limit - qbpp - 1; zeros >= most {
		zeros, value, n = most, m-1, qbpp
	}
	for range zeros {
		w.put(0, 1)
	}
	w.put(1, 1)
	w.put(uint32(value), n)
}

// lsBitsOf returns one code, followed by zeros.
func lsBitsOf(m, k, limit, qbpp int) lsBits {
	var w bitWriter
	golombCode(&w, m, k, limit, qbpp)
	w.put(0, 9)
	out := w.end()
	out[len(out)-1] = 0
	return lsBits{data: append(out, make([]byte, 8)...)}
}

// eightBits returns the state of a lossless scan of 8 bits.
func eightBits(t *testing.T, near int) *lsScan {
	t.Helper()
	f := lsFrame{precision: 8, cols: 4, near: near}
	if err := f.setDefaults(); err != nil {
		t.Fatal(err)
	}
	return newLSScan(&f, nil)
}

// TestScanParameters compares with the formulas of T.87 A.2.1.
func TestScanParameters(t *testing.T) {
	for _, c := range []struct {
		precision, maxVal, near    int
		levels, qbpp, limit, start int
	}{
		{8, 255, 0, 256, 8, 32, 4}, {12, 4095, 0, 4096, 12, 48, 64}, {16, 65535, 0, 65536, 16, 64, 1024},
		{8, 128, 0, 129, 8, 32, 2}, {8, 127, 0, 128, 7, 30, 2}, {2, 3, 0, 4, 2, 20, 2}, {8, 255, 3, 38, 6, 32, 2}, {16, 65535, 255, 130, 8, 64, 2},
		{7, 95, 0, 96, 7, 30, 2}, {8, 159, 0, 160, 8, 32, 3},
	} {
		f := lsFrame{precision: c.precision, cols: 3, near: c.near, preset: lsPreset{maxVal: c.maxVal}}
		if err := f.setDefaults(); err != nil {
			t.Fatal(err)
		}
		s := newLSScan(&f, nil)
		if s.levels != c.levels || s.qbpp != c.qbpp || s.limit != c.limit || s.step != 2*c.near+1 || len(s.quantised) != 2*c.maxVal+1 || len(s.previous) != 5 || len(s.current) != 5 {
			t.Errorf("%+v: levels %d, qbpp %d, limit %d, step %d", c, s.levels, s.qbpp, s.limit, s.step)
		}
		start := lsContext{a: c.start, n: 1}
		if s.contexts[0] != start || s.contexts[lsContexts-1] != start || s.runs != [2]lsContext{start, start} {
			t.Errorf("%+v: contexts begin with %+v", c, s.contexts[0])
		}
		s.contexts[7], s.runs[1], s.runIndex, s.previous[2], s.current[2] = lsContext{}, lsContext{}, 5, 9, 9
		if s.reset(); s.contexts[7] != start || s.runs[1] != start || s.runIndex != 0 || s.previous[2] != 0 || s.current[2] != 0 {
			t.Errorf("%+v: not reset", c)
		}
	}
}

// TestRegularMode encodes errors by A.5.2 and decodes them, on both sides of the bias at which
// their codes are exchanged, and compares the statistics with A.6.
func TestRegularMode(t *testing.T) {
	for _, ctx := range []lsContext{{a: 4, b: 0, n: 5}, {a: 4, b: -2, n: 5}, {a: 4, b: -3, n: 5}, {a: 4, b: -3, n: 6}, {a: 4, b: -4, n: 5}, {a: 9, b: -4, n: 5}, {a: 70, b: -30, c: -3, n: 63},
		{a: 70, b: -63, c: -128, n: 64}, {a: 70, b: 5, c: 127, n: 64}, {a: 70, b: 5, c: 3, n: 64}, {a: 1, b: -1, n: 2}} {
		for e := -6; e <= 6; e++ {
			for _, q := range []int{17, -17} {
				s := eightBits(t, 0)
				s.contexts[17] = ctx
				k := 0
				for ctx.n<<k < ctx.a {
					k++
				}
				m := 2 * e // MErrval
				switch exchanged := k == 0 && 2*ctx.b <= -ctx.n; {
				case exchanged && e >= 0:
					m = 2*e + 1
				case exchanged:
					m = -2 * (e + 1)
				case e < 0:
					m = -2*e - 1
				}
				s.bits = lsBitsOf(m, k, s.limit, s.qbpp)
				sign := 1
				if q < 0 {
					sign = -1
				}
				// a = 100, b = 110, c = 105: the prediction is 105, corrected by the bias.
				p := min(max(105+sign*ctx.c, 0), 255)
				want := (p + sign*e + 256) % 256
				if got := s.regular(q, 100, 110, 105); got != want {
					t.Errorf("%+v, context %d, error %d: %d, want %d", ctx, q, e, got, want)
				}
				next := ctx
				next.b += e
				next.a += max(e, -e)
				if next.n == 64 {
					next.a, next.b, next.n = next.a>>1, next.b>>1, next.n>>1
				}
				next.n++
				if next.b <= -next.n {
					if next.b += next.n; next.c > -128 {
						next.c--
					}
					if next.b <= -next.n {
						next.b = -next.n + 1
					}
				} else if next.b > 0 {
					if next.b -= next.n; next.c < 127 {
						next.c++
					}
					if next.b > 0 {
						next.b = 0
					}
				}
				if s.contexts[17] != next {
					t.Errorf("%+v, error %d: then %+v, want %+v", ctx, e, s.contexts[17], next)
				}
			}
		}
	}
}

// TestRunInterruption encodes errors by A.7.2 and decodes them, on both sides of the count of
// negative errors at which their codes are exchanged.
func TestRunInterruption(t *testing.T) {
	for _, ctx := range []lsContext{{a: 2, b: 0, n: 4}, {a: 2, b: 1, n: 4}, {a: 2, b: 2, n: 4}, {a: 2, b: 3, n: 4}, {a: 2, b: 2, n: 5}, {a: 2, b: 1, n: 3}, {a: 30, b: 1, n: 4}, {a: 30, b: 4, n: 4}, {a: 90, b: 40, n: 64}} {
		for _, v := range []struct{ a, b, kind, sign int }{{100, 100, 1, 1}, {100, 110, 0, 1}, {110, 100, 0, -1}} {
			for e := -6; e <= 6; e++ {
				for runIndex := range 3 {
					if v.kind == 1 && e == 0 {
						continue // it would not have ended the run
					}
					s := eightBits(t, 0)
					s.runIndex, s.runs[v.kind] = 4*runIndex, ctx
					k := 0
					for ctx.n<<k < ctx.a+v.kind*(ctx.n>>1) {
						k++
					}
					exchanged := 0 // map
					if k == 0 && e > 0 && 2*ctx.b < ctx.n || e < 0 && (2*ctx.b >= ctx.n || k != 0) {
						exchanged = 1
					}
					m := 2*max(e, -e) - v.kind - exchanged
					s.bits = lsBitsOf(m, k, s.limit-runOrder[4*runIndex]-1, s.qbpp)
					p := v.b
					if v.kind == 1 {
						p = v.a
					}
					if got, want := s.interruption(v.a, v.b), p+v.sign*e; got != want {
						t.Errorf("%+v, %+v, error %d: %d, want %d", ctx, v, e, got, want)
					}
					next := ctx
					if e < 0 {
						next.b++
					}
					next.a += (m + 1 - v.kind) >> 1
					if next.n == 64 {
						next.a, next.b, next.n = next.a>>1, next.b>>1, next.n>>1
					}
					if next.n++; s.runs[v.kind] != next || s.runIndex != max(4*runIndex-1, 0) {
						t.Errorf("%+v, error %d: then %+v and run %d, want %+v", ctx, e, s.runs[v.kind], s.runIndex, next)
					}
				}
			}
		}
	}
}

// TestReconstruction returns values to their range, modulo the levels.
func TestReconstruction(t *testing.T) {
	lossless, near := eightBits(t, 0), eightBits(t, 3)
	for _, c := range []struct {
		s       *lsScan
		v, want int
	}{
		{lossless, 0, 0}, {lossless, -1, 255}, {lossless, 255, 255}, {lossless, 256, 0}, {lossless, -256, 0}, {lossless, 300, 44},
		{near, -3, 0}, {near, -4, 38*7 - 4 - 0}, {near, 258, 255}, {near, 259, 0}, {near, 270, 4}, {near, 7, 7},
	} {
		want := c.want
		if want > 255 {
			want = 255
		}
		if got := c.s.reconstruct(c.v); got != want {
			t.Errorf("near %d, %d: %d, want %d", c.s.near, c.v, got, want)
		}
	}
}

// TestPredictor is the edge-detecting one of A.4.1.
func TestPredictor(t *testing.T) {
	for _, c := range []struct{ a, b, c, want int }{
		{100, 110, 120, 100}, {100, 110, 110, 100}, {100, 110, 109, 101}, {100, 110, 105, 105}, {100, 110, 101, 109}, {100, 110, 100, 110}, {100, 110, 90, 110},
		{110, 100, 120, 100}, {110, 100, 90, 110}, {110, 100, 104, 106},
	} {
		s := eightBits(t, 0)
		s.bits = lsBitsOf(0, golombOrder(1, 4), s.limit, s.qbpp)
		if got := s.regular(17, c.a, c.b, c.c); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for _, c := range []struct{ n, a, want int }{{1, 1, 0}, {1, 2, 1}, {2, 2, 0}, {3, 4, 1}, {1, 1024, 10}, {1, 1025, 11}, {1, 1 << 30, 24}} {
		if got := golombOrder(c.n, c.a); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	p := lsPreset{maxVal: 255, t1: 3, t2: 7, t3: 21}
	for d, want := range map[int]int8{0: 0, 1: 1, 2: 1, 3: 2, 6: 2, 7: 3, 20: 3, 21: 4, 255: 4} {
		if quantiseGradient(d, 0, p) != want || quantiseGradient(-d, 0, p) != -want {
			t.Errorf("gradient %d: %d and %d", d, quantiseGradient(d, 0, p), quantiseGradient(-d, 0, p))
		}
	}
	if quantiseGradient(2, 2, p) != 0 || quantiseGradient(-2, 2, p) != 0 {
		t.Error("a gradient within NEAR counts")
	}
}
