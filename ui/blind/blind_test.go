package blind

import (
	"encoding/csv"
	"math"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 23, 1, 0, 0, 0, time.UTC)

func TestTrialsAreBalancedAndDrawnByTheSeed(t *testing.T) {
	slices := []int{3, 4, 5, 6, 7, 8, 9}
	firsts, orders := 0, map[[3]int]bool{}
	for seed := range uint64(200) {
		test := New(seed, 20, slices, start)
		swapped, shown := 0, map[int]int{}
		for _, trial := range test.Trials {
			if trial.Swapped {
				swapped++
			}
			shown[trial.Slice]++
		}
		if swapped != 10 || len(test.Trials) != 20 {
			t.Fatalf("seed %d: A is on the right in %d of %d", seed, swapped, len(test.Trials))
		}
		for _, s := range slices {
			if shown[s] < 2 || shown[s] > 3 {
				t.Errorf("seed %d: slice %d is shown %d times", seed, s, shown[s])
			}
		}
		if test.Trials[0].Swapped {
			firsts++
		}
		orders[[3]int{test.Trials[0].Slice, test.Trials[1].Slice, test.Trials[2].Slice}] = true
		again := New(seed, 20, slices, start)
		for k := range again.Trials {
			if again.Trials[k] != test.Trials[k] {
				t.Fatalf("seed %d gives two orders", seed)
			}
		}
	}
	if firsts < 70 || firsts > 130 || len(orders) < 80 {
		t.Errorf("A is on the right first in %d of 200; %d orders of slices", firsts, len(orders))
	}
	more := 0
	for seed := range uint64(200) {
		swapped := 0
		for _, trial := range New(seed, 5, slices, start).Trials {
			if trial.Swapped {
				swapped++
			}
		}
		if swapped != 2 && swapped != 3 {
			t.Fatalf("A is on the right in %d of 5", swapped)
		}
		more += swapped - 2
	}
	if more < 70 || more > 130 {
		t.Errorf("of 5 trials A is on the right in 3 for %d of 200 seeds", more)
	}
}

func TestAnswersAreCounted(t *testing.T) {
	test := New(1, 6, []int{2}, start)
	test.Answer(None, start)
	want := Tally{}
	for k := range 6 {
		trial, number, ok := test.Current()
		if !ok || number != k+1 || trial.Slice != 2 || len(test.Answered()) != k {
			t.Fatalf("trial %d: %+v, number %d", k, trial, number)
		}
		a := []Preference{Left, Right, Equal}[k%3]
		switch {
		case a == Equal:
			want.Equal++
		case a == Left && !trial.Swapped, a == Right && trial.Swapped:
			want.A++
		default:
			want.B++
		}
		test.Answer(a, start.Add(time.Duration(k+1)*1500*time.Millisecond))
	}
	if _, _, ok := test.Current(); ok || test.Tally() != want || want.Equal != 2 {
		t.Errorf("%+v, want %+v", test.Tally(), want)
	}
	test.Answer(Left, start)
	if test.Tally() != want {
		t.Error("an answer after the end counts")
	}
	rows, err := csv.NewReader(strings.NewReader(test.CSV(Details{A: "original", B: "nlm, h=3", Plane: "axial", Window: "80/40", Version: "1.2"}))).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for k, row := range rows[1:] {
		trial := test.Trials[k]
		sides := map[bool][2]string{false: {"A", "B"}, true: {"B", "A"}}[trial.Swapped]
		prefers := map[Preference]string{Left: sides[0], Right: sides[1], Equal: "neither"}[trial.Answer]
		want := []string{string(rune('1' + k)), "axial", "3", sides[0], sides[1], trial.Answer.String(), prefers, "1.5", "1", "6", "original", "nlm, h=3", "80/40", "1.2"}
		if strings.Join(row, "|") != strings.Join(want, "|") || len(row) != len(rows[0]) {
			t.Errorf("row %q, want %q", row, want)
		}
	}
}

// Of R's binom.test(c(B, A)).
func TestPreferenceIsTested(t *testing.T) {
	for _, c := range []struct {
		tally     Tally
		p, lo, hi float64
	}{
		{Tally{A: 5, B: 15}, 0.04138947, 0.5089541, 0.9134285},
		{Tally{A: 15, B: 5, Equal: 7}, 0.04138947, 0.0865715, 0.4910459},
		{Tally{A: 10, B: 10}, 1, 0.2719578, 0.7280422},
		{Tally{A: 0, B: 6}, 0.03125, 0.5407419, 1},
		{Tally{A: 6, B: 0}, 0.03125, 0, 0.4592581},
		{Tally{A: 1, B: 2}, 1, 0.0942993, 0.9915962},
		{Tally{Equal: 4}, 1, 0, 1},
	} {
		lo, hi := c.tally.Interval()
		if p := c.tally.P(); math.Abs(p-c.p) > 1e-7 || math.Abs(lo-c.lo) > 1e-6 || math.Abs(hi-c.hi) > 1e-6 {
			t.Errorf("%+v: p %.8f, %.7f to %.7f; want %.8f, %.7f to %.7f", c.tally, p, lo, hi, c.p, c.lo, c.hi)
		}
	}
	if s := (Tally{A: 5, B: 15, Equal: 3}).Share(); s != 0.75 {
		t.Errorf("share %g", s)
	}
	if s := (Tally{Equal: 3}).Share(); !math.IsNaN(s) {
		t.Errorf("share of no decided trial: %g", s)
	}
}
