package blind

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Choice is one trial of a two-alternative forced choice: the same place twice, once with a lesion. The reader says which side has it.
type Choice struct {
	Case     int        `json:"case"`     // from 0
	Modality int        `json:"modality"` // 0: original, 1: result
	Right    bool       `json:"right,omitempty"`
	Answer   Preference `json:"answer,omitempty"` // Left or Right
}

// Correct reports whether the answer is the side with the lesion.
func (c Choice) Correct() bool { return (c.Answer == Right) == c.Right }

// Reading is what one reader is shown, and answered so far. Kept as JSON it can be continued: the next trial is the first without an answer.
type Reading struct {
	Seed   uint64   `json:"seed"`
	Reader int      `json:"reader"` // from 1
	Trials []Choice `json:"trials"`
}

// NewReading draws the trials of a reader: every case once in every modality, in an order and with sides by seed and reader. The
// lesion is on the right in half of the trials, of an odd number in one less.
func NewReading(seed uint64, reader, cases, modalities int) *Reading {
	r := rand.New(rand.NewPCG(seed, uint64(reader)))
	out := &Reading{Seed: seed, Reader: reader, Trials: make([]Choice, cases*modalities)}
	for k, at := range r.Perm(len(out.Trials)) {
		out.Trials[at] = Choice{Case: k / modalities, Modality: k % modalities}
	}
	for _, at := range r.Perm(len(out.Trials))[:len(out.Trials)/2] {
		out.Trials[at].Right = true
	}
	return out
}

// Current returns the number of the trial at hand from 0; false if all are answered.
func (r *Reading) Current() (at int, ok bool) {
	at = slices.IndexFunc(r.Trials, func(c Choice) bool { return c.Answer == None })
	return at, at >= 0
}

// Answer takes a side for the trial at hand. Other answers are no choice and do nothing.
func (r *Reading) Answer(a Preference) {
	if at, ok := r.Current(); ok && (a == Left || a == Right) {
		r.Trials[at].Answer = a
	}
}

// Correct is the share of right answers, with its 95 % interval by Wilson.
type Correct struct {
	Right, Of int
	Share     float64 // NaN without an answer
	Lo, Hi    float64
}

// CorrectOf returns the share of right answers of readers in a modality. The interval is for the same readers and other
// cases: answers to one case count as far as they differ, as the scatter of the cases says. At most it counts every answer as one of its
// own, at least every case. It says nothing of other readers.
func CorrectOf(all []*Reading, modality int) Correct {
	right, of := map[int]float64{}, map[int]float64{}
	c := Correct{Share: math.NaN(), Lo: 0, Hi: 1}
	for _, r := range all {
		for _, t := range r.Trials {
			if t.Modality != modality || t.Answer == None {
				continue
			}
			of[t.Case]++
			c.Of++
			if t.Correct() {
				right[t.Case]++
				c.Right++
			}
		}
	}
	if c.Of == 0 {
		return c
	}
	n, cases := float64(c.Of), float64(len(of))
	c.Share = float64(c.Right) / n
	squares := 0.0
	for _, k := range slices.Sorted(maps.Keys(of)) {
		d := right[k] - c.Share*of[k]
		squares += d * d
	}
	worth := cases
	if variance := squares / (n * n) * cases / max(cases-1, 1); variance > 0 {
		worth = min(max(c.Share*(1-c.Share)/variance, cases), n)
	}
	const z = 1.959963984540054
	middle := (c.Share + z*z/(2*worth)) / (1 + z*z/worth)
	half := z / (1 + z*z/worth) * math.Sqrt(c.Share*(1-c.Share)/worth+z*z/(4*worth*worth))
	c.Lo, c.Hi = max(middle-half, 0), min(middle+half, 1)
	return c
}

// The cases without a lesion in a file for iMRMC: their score, and how many there are.
const (
	threshold      = 0.5
	thresholdCases = 2
)

// IMRMC returns the answers as the input of FDA's iMRMC, in its form for binary data: a right answer is a score of 1 of a case with a
// lesion, a wrong one 0, and two made-up cases without a lesion score 0.5 with every reader. The area under the curve that iMRMC
// returns is the share of right answers.
func IMRMC(all []*Reading, title string) string {
	cases, modalities := map[int]float64{}, map[int]float64{}
	for _, r := range all {
		for _, t := range r.Trials {
			if t.Answer != None {
				cases[t.Case]++
				modalities[t.Modality]++
			}
		}
	}
	numbers := slices.Sorted(maps.Keys(cases))
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nTwo-alternative forced choice: score 1 right, 0 wrong; the cases without a lesion are a threshold of 0.5.\n", strings.ReplaceAll(title, "\n", " "))
	fmt.Fprintf(&b, "N0: %d\nN1: %d\nNR: %d\nNM: %d\n\nBEGIN DATA:\n", thresholdCases, len(numbers), len(all), len(modalities))
	for k := range thresholdCases {
		fmt.Fprintf(&b, "-1,%d,0,0\n", k+1)
	}
	for _, k := range numbers {
		fmt.Fprintf(&b, "-1,%d,0,1\n", k+1+thresholdCases)
	}
	for _, r := range all {
		for _, m := range slices.Sorted(maps.Keys(modalities)) {
			for k := range thresholdCases {
				fmt.Fprintf(&b, "%d,%d,%d,%g\n", r.Reader, k+1, m+1, threshold)
			}
		}
		for _, t := range r.Trials {
			if t.Answer == None {
				continue
			}
			score := 0
			if t.Correct() {
				score = 1
			}
			fmt.Fprintf(&b, "%d,%d,%d,%d\n", r.Reader, t.Case+1+thresholdCases, t.Modality+1, score)
		}
	}
	return b.String()
}
