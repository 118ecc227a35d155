// Package readers plans and scores reader studies with a choice between two images, one of which has a signal
// (two-alternative forced choice). Chance is right in half of the trials.
//
// All functions are safe for concurrent use.
package readers

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"quell/measure"
)

// Trial is one choice. Cases are counted from 0; the same pair of cases is shown in both modalities, in trials of its own.
type Trial struct {
	Filtered bool `json:"filtered"` // the modality: as it is, or filtered
	Present  int  `json:"present"`  // the case with the signal
	Absent   int  `json:"absent"`   // the case without
	Left     bool `json:"left"`     // the signal is on the left
}

// Plan returns the trials of n cases: half of them have the signal, each is shown once in either modality. The order, the
// pairs and the sides are drawn by the seed.
func Plan(n int, seed uint64) []Trial {
	random := rand.New(rand.NewPCG(seed, 2))
	cases := random.Perm(n)
	var trials []Trial
	for k := range n / 2 {
		for _, filtered := range []bool{false, true} {
			trials = append(trials, Trial{filtered, cases[2*k], cases[2*k+1], random.IntN(2) == 0})
		}
	}
	random.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
	return trials
}

// Answer is the choice of one reader in one trial.
type Answer struct {
	Study  string
	Reader string
	Trial  int // in the plan, from 0
	Left   bool
}

// Share is a share of the trials with an interval of 95 %.
type Share struct {
	Right int     `json:"right"`
	Of    int     `json:"of"`
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Index Index   `json:"d_prime"`
}

// Index is d' of a choice between two, sqrt(2) times the normal quantile of the share of right answers (Green and Swets,
// Signal detection theory and psychophysics, 1966): the ends follow from the share. It is infinite where all answers
// are right, or none.
type Index struct {
	Value measure.Float `json:"value"`
	Lo    measure.Float `json:"lo"`
	Hi    measure.Float `json:"hi"`
}

func indexOf(share float64) measure.Float { return measure.Float(2 * math.Erfinv(2*share-1)) }

// z is the quantile of intervals of 95 %.
const z = 1.959963984540054

// ShareOf returns right of n with the interval of Wilson (1927), which holds for few trials and for shares near 1. n is at
// least 1.
func ShareOf(right, n int) Share {
	p, m := float64(right)/float64(n), float64(n)
	middle := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	lo, hi := max(middle-half, 0), min(middle+half, 1)
	return Share{right, n, p, lo, hi, Index{indexOf(p), indexOf(lo), indexOf(hi)}}
}

// Difference is filtered less as it is, of shares of right answers, with an interval of 95 % over the pairs of cases that
// were answered in both modalities.
type Difference struct {
	Pairs int     `json:"pairs"`
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// differenceOf returns the difference of n pairs, of which gained are right only filtered, and lost only as they are. The
// interval is of Agresti and Min (2005): half a pair is added to either, which few pairs need.
func differenceOf(gained, lost, n int) Difference {
	b, c, m := float64(gained)+0.5, float64(lost)+0.5, float64(n)+2
	middle := (b - c) / m
	half := z * math.Sqrt((b+c)-(b-c)*(b-c)/m) / m
	return Difference{n, float64(gained-lost) / float64(n), max(middle-half, -1), min(middle+half, 1)}
}

// Score is what one reader saw.
type Score struct {
	Reader     string      `json:"reader"`
	AsItIs     *Share      `json:"as_it_is,omitempty"` // nil: no answer
	Filtered   *Share      `json:"filtered,omitempty"`
	Difference *Difference `json:"difference,omitempty"`
}

// Scores returns the scores of every reader, in the order in which they first answer. plans are the trials of the studies
// by name. If a trial was answered twice the last answer counts. An answer to a trial that no plan has is left out.
func Scores(plans map[string][]Trial, answers []Answer) []Score {
	var out []Score
	for _, r := range byReader(plans, answers) {
		out = append(out, r.score(plans))
	}
	return out
}

// at is a trial of a study.
type at struct {
	study string
	trial int
}

// reader is the answers of one reader, and their order.
type reader struct {
	name  string
	order []at
	left  map[at]bool
}

func byReader(plans map[string][]Trial, answers []Answer) (all []*reader) {
	known := map[string]*reader{}
	for _, a := range answers {
		if a.Trial < 0 || a.Trial >= len(plans[a.Study]) {
			continue
		}
		r := known[a.Reader]
		if r == nil {
			r = &reader{name: a.Reader, left: map[at]bool{}}
			known[a.Reader], all = r, append(all, r)
		}
		k := at{a.Study, a.Trial}
		if _, again := r.left[k]; !again {
			r.order = append(r.order, k)
		}
		r.left[k] = a.Left
	}
	return all
}

func (r *reader) score(plans map[string][]Trial) Score {
	type pair struct {
		study   string
		present int
	}
	var right, of [2]int
	pairs := map[pair][2]int{} // by modality: 1 right, -1 wrong
	for _, k := range r.order {
		t := plans[k.study][k.trial]
		m, p := modality(t), pair{k.study, t.Present}
		both := pairs[p]
		of[m]++
		both[m] = -1
		if r.left[k] == t.Left {
			right[m]++
			both[m] = 1
		}
		pairs[p] = both
	}
	s := Score{Reader: r.name}
	for m, to := range []**Share{&s.AsItIs, &s.Filtered} {
		if of[m] > 0 {
			share := ShareOf(right[m], of[m])
			*to = &share
		}
	}
	gained, lost, n := 0, 0, 0
	for _, both := range pairs {
		if both[0] == 0 || both[1] == 0 {
			continue
		}
		n++
		switch {
		case both[1] > both[0]:
			gained++
		case both[1] < both[0]:
			lost++
		}
	}
	if n > 0 {
		d := differenceOf(gained, lost, n)
		s.Difference = &d
	}
	return s
}

// modality is 0 for a trial of images as they are, 1 for one of filtered images.
func modality(t Trial) int {
	if t.Filtered {
		return 1
	}
	return 0
}

// WriteIMRMC writes answers in the form that iMRMC of the FDA reads, which tells how the readers' own spread adds to that of
// the cases. Modality 1 is the images as they are, 2 the filtered ones. The image that was chosen has the score 1, the
// other 0: the area under the curve is then the share of right answers. Readers and cases are numbered in the order in
// which they first appear.
func WriteIMRMC(w io.Writer, title string, plans map[string][]Trial, answers []Answer) error {
	type scored struct {
		study string
		index int
	}
	type row struct {
		reader, modality, score int
		of                      scored
	}
	var rows []row
	var cases [2][]scored // without and with the signal
	readers := byReader(plans, answers)
	for n, r := range readers {
		for _, k := range r.order {
			t := plans[k.study][k.trial]
			for signal, index := range []int{t.Absent, t.Present} {
				of := scored{k.study, index}
				if !slices.Contains(cases[signal], of) {
					cases[signal] = append(cases[signal], of)
				}
				score := 0
				if (r.left[k] == t.Left) == (signal == 1) {
					score = 1
				}
				rows = append(rows, row{n + 1, modality(t) + 1, score, of})
			}
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n\nN0: %d\nN1: %d\nNR: %d\nNM: 2\n\nBEGIN DATA:\n", title, len(cases[0]), len(cases[1]), len(readers))
	name := map[scored]int{}
	for signal, all := range cases {
		for _, of := range all {
			name[of] = len(name) + 1
			fmt.Fprintf(b, "-1,%d,0,%d\n", name[of], signal)
		}
	}
	for _, r := range rows {
		fmt.Fprintf(b, "%d,%d,%d,%d\n", r.reader, name[r.of], r.modality, r.score)
	}
	return b.Flush()
}
