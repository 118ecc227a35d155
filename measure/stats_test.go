package measure

import (
	"math"
	"slices"
	"testing"
)

func TestPick(t *testing.T) {
	values := []float32{1, 2, 3, 4}
	mask := []bool{true, false, true, true}
	for _, c := range []struct {
		mask   []bool
		pixels []int
		want   []float32
	}{
		{nil, nil, values},
		{mask, nil, []float32{1, 3, 4}},
		{nil, []int{3, 1}, []float32{4, 2}},
		{mask, []int{1, 2}, []float32{3}},
		{nil, []int{}, nil},
	} {
		if got := Pick(values, c.mask, c.pixels); !slices.Equal(got, c.want) {
			t.Errorf("%v %v: %v, want %v", c.mask, c.pixels, got, c.want)
		}
	}
}

func TestStats(t *testing.T) {
	s := StatsOf([]float32{10102, 10103, 10104, 10202, 10203, 10204})
	if s.N != 6 || s.Mean != 10153 || s.Min != 10102 || s.Max != 10204 || !near(float64(s.SD), math.Sqrt(3000.8), 1e-12) {
		t.Errorf("%+v", s)
	}
	if s = StatsOf([]float32{-3, -5, -4}); s.Mean != -4 || s.SD != 1 || s.Min != -5 || s.Max != -3 {
		t.Errorf("%+v", s)
	}
	if s = StatsOf([]float32{7}); s.N != 1 || s.Mean != 7 || s.SD.Finite() || s.SNR().Finite() {
		t.Errorf("of one value: %+v", s)
	}
	if s = StatsOf(nil); s.N != 0 || s.Mean.Finite() || s.SD.Finite() || s.Min.Finite() || s.Max.Finite() || s.SNR().Finite() {
		t.Errorf("of none: %+v", s)
	}
}

func TestSNRAndCNR(t *testing.T) {
	a, b := Stats{N: 9, Mean: 50, SD: 4}, Stats{N: 9, Mean: 30, SD: 3}
	if got := a.SNR(); got != 12.5 {
		t.Errorf("SNR %g, want 12.5", float64(got))
	}
	want := 20 / math.Sqrt(12.5)
	if got, back := CNR(a, b), CNR(b, a); !near(float64(got), want, 1e-12) || got != back {
		t.Errorf("CNR %g and %g, want %g", float64(got), float64(back), want)
	}
	if (Stats{N: 9, Mean: -50, SD: 4}).SNR().Finite() || (Stats{N: 9, SD: 4}).SNR().Finite() {
		t.Error("a signal that is not above 0 has an SNR")
	}
	flat := Stats{N: 9, Mean: 1}
	one := StatsOf([]float32{1})
	if flat.SNR().Finite() || CNR(flat, flat).Finite() || CNR(a, one).Finite() || CNR(a, StatsOf(nil)).Finite() {
		t.Error("a ratio without noise is finite")
	}
	if got := CNR(a, flat); !near(float64(got), 49/math.Sqrt(8), 1e-12) {
		t.Errorf("CNR with a constant region %g", float64(got))
	}
}

func TestHistogram(t *testing.T) {
	values := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	h, err := HistogramOf(values, 2, 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	// [2,4) [4,6) [6,8]
	if h.Below != 2 || h.Above != 1 || !slices.Equal(h.Counts, []int{2, 2, 3}) {
		t.Errorf("%+v", h)
	}
	if h, err = HistogramOf(values, 0, 0, 3); err != nil || h.Lo != 0 || h.Hi != 9 || h.Below+h.Above != 0 {
		t.Errorf("own range: %+v, %v", h, err)
	}
	if h, err = HistogramOf([]float32{5, 5}, 0, 0, 4); err != nil || h.Lo != 5 || h.Hi != 6 || h.Counts[0] != 2 {
		t.Errorf("constant: %+v, %v", h, err)
	}
	if h, err = HistogramOf(nil, 3, 3, 2); err != nil || h.Lo != 3 || h.Hi != 4 || h.Counts[0]+h.Counts[1]+h.Below+h.Above != 0 {
		t.Errorf("of nothing: %+v, %v; want an empty one from 3 to 4", h, err)
	}
	for _, c := range []struct {
		lo, hi float64
		bins   int
	}{{0, 1, 0}, {1, 0, 4}, {math.NaN(), 1, 4}, {0, math.Inf(1), 4}, {math.Inf(-1), 1, 4}} {
		if h, err := HistogramOf(values, c.lo, c.hi, c.bins); err == nil || h.Counts != nil {
			t.Errorf("%+v was counted", c)
		}
	}
}
