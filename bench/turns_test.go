package bench

import (
	"strings"
	"testing"
	"time"
)

// turnRow is a row with the times of its turns.
func turnRow(name, base string, times ...float64) RowReport {
	series := name[strings.Index(name, ", ")+2:]
	return RowReport{Name: name, Series: series, Base: base, Status: Measured,
		Result: RowResult{Voxels: 1, Figures: map[string]float64{Time: median(times)}, Turns: times}}
}

// A finding holds if it does in every turn, does not if in none, holds in part if for some
// rows, and is not judged if turns disagree or the machine is busy.
func TestJudge(t *testing.T) {
	claim := Claim{Text: "Twice as fast.", Check: speedups("fast", 2), Parts: eachSpeedup("fast", 2)}
	for name, c := range map[string]struct {
		one, two []float64 // times of the fast row, of a base that takes 10 in each turn
		want     string
	}{
		"always":             {[]float64{5, 5, 4.9}, nil, "holds"},
		"never":              {[]float64{6, 6.1, 6}, nil, "does not hold"},
		"at the border":      {[]float64{5.2, 5.3, 5.2}, nil, "not judged"}, // 0.95 of 2 is at 5.263
		"one of two":         {[]float64{5, 5, 4.9}, []float64{6, 6.1, 6}, "holds in part, for 1 of 2"},
		"one and a border":   {[]float64{5, 5, 4.9}, []float64{5.2, 5.3, 5.2}, "holds in part, for 1 of 2"},
		"none and a border":  {[]float64{6, 6, 6}, []float64{5.2, 5.3, 5.2}, "does not hold"},
		"just not too busy":  {[]float64{4, 4.9, 4.4}, nil, "holds"},
		"busy":               {[]float64{2, 4.9, 3}, []float64{2, 4.9, 3}, "not judged"},
		"busy but unchanged": {[]float64{5}, nil, "holds"},
	} {
		x := ExperimentReport{Keys: []string{Time, Speedup}, Rows: []RowReport{turnRow("a, base", "", 10, 10, 10), turnRow("a, fast", "a, base", c.one...)}}
		if c.two != nil {
			x.Rows = append(x.Rows, turnRow("b, fast", "a, base", c.two...))
		}
		for i := range x.Rows {
			x.speedup(&x.Rows[i])
		}
		if got := x.judge(claim); got.Verdict() != c.want {
			t.Errorf("%s: %q, want %q: %+v", name, got.Verdict(), c.want, got)
		}
	}
	// A finding about images does not depend on times.
	image := Claim{Text: "Same.", Check: func(Rows) (bool, string, bool) { return true, "0", true }}
	busy := ExperimentReport{Rows: []RowReport{turnRow("a, x", "", 1, 5, 2)}}
	if got := busy.judge(image); got.Verdict() != "holds" {
		t.Errorf("%+v", got)
	}
	missing := Claim{Text: "Unknown.", Check: func(Rows) (bool, string, bool) { return true, "x", false }}
	if got := busy.judge(missing); got.Verdict() != "not measured" || got.Sentence() != "Unknown. Not measured." {
		t.Errorf("%+v", got)
	}
}

// Rows of an experiment with findings take turns; their time is the median.
func TestTakeTurns(t *testing.T) {
	e := three()[0]
	e.Claims = []Claim{{Text: "A finding.", Check: func(Rows) (bool, string, bool) { return true, "", true }}}
	d := newDevice()
	d.step = 10 * time.Millisecond
	report := onDevice(t, d, true, e)
	for _, r := range report.Experiments[0].Rows {
		if len(r.Result.Turns) != turns || r.Result.Figures[Time] != median(r.Result.Turns) {
			t.Errorf("%s: %+v", r.Name, r.Result)
		}
	}
	// The device takes more each run: turns rise, and rows alternate.
	a, b := report.Experiments[0].Rows[0].Result.Turns, report.Experiments[0].Rows[1].Result.Turns
	if !(a[1] < b[1] && b[1] < a[2]) {
		t.Errorf("turns %v and %v", a, b)
	}
	// A long row takes one turn.
	for _, r := range onDevice(t, newDevice(), true, e).Experiments[0].Rows {
		if long := r.Result.Figures[Time] > longestTurn.Seconds(); long == (len(r.Result.Turns) > 1) {
			t.Errorf("%s: %+v", r.Name, r.Result)
		}
	}
	e.Claims = nil
	if r := onDevice(t, newDevice(), true, e).Experiments[0].Rows[0].Result; r.Turns != nil {
		t.Errorf("turns without a finding: %v", r.Turns)
	}
}
