package readers_test

import (
	"math"
	"strings"
	"testing"

	"quell/measure/readers"
)

// Every case is shown once in either modality, half of them with the signal; the same seed gives the same plan.
func TestPlan(t *testing.T) {
	trials := readers.Plan(41, 3)
	if len(trials) != 40 {
		t.Fatalf("%d trials of 41 cases, want 40", len(trials))
	}
	seen, left := map[[2]int]int{}, 0
	for i, trial := range trials {
		if trial != readers.Plan(41, 3)[i] {
			t.Fatal("the same seed gives another plan")
		}
		m := 0
		if trial.Filtered {
			m = 1
		}
		seen[[2]int{m, trial.Present}]++
		seen[[2]int{m, trial.Absent}]++
		if trial.Left {
			left++
		}
	}
	if len(seen) != 80 || left < 10 || left > 30 {
		t.Errorf("%d of 80 cases, %d of 40 on the left", len(seen), left)
	}
	for c, n := range seen {
		if n != 1 || seen[[2]int{1 - c[0], c[1]}] != 1 {
			t.Errorf("case %v is shown %d times", c, n)
		}
	}
	if len(readers.Plan(1, 1)) != 0 {
		t.Error("one case makes no pair")
	}
}

// The interval of Wilson, by the values that are published for it.
func TestShareOf(t *testing.T) {
	for _, c := range []struct {
		right, of int
		lo, hi    float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {29, 29, 0.8830, 1}} { // Newcombe 1998, Table I
		if s := readers.ShareOf(c.right, c.of); math.Abs(s.Lo-c.lo) > 5e-5 || math.Abs(s.Hi-c.hi) > 5e-5 || s.Value != float64(c.right)/float64(c.of) {
			t.Errorf("%d of %d: %+v, want %g to %g", c.right, c.of, s, c.lo, c.hi)
		}
	}
}

// answer answers a trial, right or wrong.
func answer(trials []readers.Trial, reader string, k int, right bool) readers.Answer {
	return readers.Answer{Study: "s", Reader: reader, Trial: k, Left: trials[k].Left == right}
}

func TestScores(t *testing.T) {
	trials := readers.Plan(40, 1)
	plans := map[string][]readers.Trial{"s": trials}
	var answers []readers.Answer
	for k, trial := range trials {
		answers = append(answers, answer(trials, "a", k, trial.Filtered))
		answers = append(answers, answer(trials, "b", k, false), answer(trials, "b", k, true)) // the last counts
	}
	answers = append(answers, readers.Answer{Study: "s", Reader: "a", Trial: 40}, readers.Answer{Study: "other", Reader: "c"}, readers.Answer{Study: "s", Reader: "a", Trial: -1})
	scores := readers.Scores(plans, answers)
	if len(scores) != 2 || scores[0].Reader != "a" {
		t.Fatalf("%+v", scores)
	}
	a, b := scores[0], scores[1]
	if a.AsItIs.Right != 0 || a.Filtered.Right != 20 || a.Filtered.Of != 20 || a.Difference.Value != 1 || a.Difference.Pairs != 20 || !(a.Difference.Lo > 0.7) || a.Difference.Hi > 1 {
		t.Errorf("a: %+v %+v %+v", a.AsItIs, a.Filtered, a.Difference)
	}
	if b.AsItIs.Value != 1 || b.Filtered.Value != 1 || b.Difference.Value != 0 || !(b.Difference.Lo < 0 && b.Difference.Hi > 0) {
		t.Errorf("b: %+v %+v %+v", b.AsItIs, b.Filtered, b.Difference)
	}
	for _, s := range readers.Scores(plans, answers[:1]) {
		if (s.AsItIs == nil) == (s.Filtered == nil) || s.Difference != nil {
			t.Errorf("one answer: %+v", s)
		}
	}
}

// What iMRMC reads: counts, one row of truth for each case, and two rows for each answer. The area under the curve of
// the scores is the share of right answers.
func TestWriteIMRMC(t *testing.T) {
	trials := readers.Plan(8, 1)
	plans := map[string][]readers.Trial{"s": trials}
	var answers []readers.Answer
	right := 0
	for k, trial := range trials {
		ok := k%4 != 0
		if ok && trial.Filtered {
			right++
		}
		answers = append(answers, answer(trials, "a b", k, ok))
	}
	var text strings.Builder
	if err := readers.WriteIMRMC(&text, "title", plans, answers); err != nil {
		t.Fatal(err)
	}
	head, data, _ := strings.Cut(text.String(), "BEGIN DATA:\n")
	if head != "title\n\nN0: 4\nN1: 4\nNR: 1\nNM: 2\n\n" {
		t.Errorf("%q", head)
	}
	rows := strings.Fields(data)
	if len(rows) != 8+16 {
		t.Fatalf("%d rows: %s", len(rows), data)
	}
	truth := map[string]string{}
	scores := map[string][]string{}
	for _, row := range rows {
		f := strings.Split(row, ",")
		if f[0] == "-1" {
			truth[f[1]] = f[3]
		} else if f[2] == "2" {
			scores[truth[f[1]]] = append(scores[truth[f[1]]], f[3])
		}
	}
	auc := 0.
	for _, with := range scores["1"] {
		for _, without := range scores["0"] {
			switch {
			case with > without:
				auc += 1. / 16
			case with == without:
				auc += 0.5 / 16
			}
		}
	}
	if want := float64(right) / 4; math.Abs(auc-want) > 1e-12 {
		t.Errorf("the area is %g, the share %g", auc, want)
	}
}

// Of R: sqrt(2) * qnorm(p).
func TestIndexOfAShare(t *testing.T) {
	for _, c := range []struct {
		right, of int
		want      float64
	}{{50, 100, 0}, {76, 100, 0.998863}, {95, 100, 2.32617}, {24, 100, -0.998863}} {
		if i := readers.ShareOf(c.right, c.of).Index; math.Abs(float64(i.Value)-c.want) > 1e-5 || !(i.Lo < i.Value && i.Value < i.Hi) {
			t.Errorf("%d of %d: %+v, want %g", c.right, c.of, i, c.want)
		}
	}
	if i := readers.ShareOf(20, 20).Index; i.Value.Finite() || i.Hi.Finite() || !(i.Lo > 1 && i.Lo < 2) {
		t.Errorf("all right: %+v", i)
	}
}
