// Package blind is a blind comparison of two images by a reader: which side each is on and
// which slices are shown is drawn at random, the reader prefers left, right or neither, and
// the preference is tested. It has no widgets and imports gonum's distributions,
// internal/clean and the standard library.
package blind

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"quell/internal/clean"
)

// Preference is the preference of a reader.
type Preference int

// The answers.
const (
	None Preference = iota // not answered yet
	Left
	Right
	Equal
)

// String returns the answer in lower case.
func (a Preference) String() string { return [...]string{"", "left", "right", "equal"}[a] }

// Trial is one pair of pictures.
type Trial struct {
	Slice   int           `json:"slice"`             // its index
	Swapped bool          `json:"swapped,omitempty"` // image A is on the right
	Answer  Preference    `json:"answer,omitempty"`
	Took    time.Duration `json:"took,omitempty"` // until the answer
}

// Test is a series of trials, answered in their order. Its methods are for one goroutine.
type Test struct {
	Seed   uint64    `json:"seed"`
	Trials []Trial   `json:"trials"`
	shown  time.Time // the trial at hand
}

// New returns a test of n trials, drawn by a seed from slices, at least one. Image A is on the
// right in half of the trials, of an odd number in one more or one less; every slice is shown
// once before any is shown again. The first trial is shown now.
func New(seed uint64, n int, slices []int, now time.Time) *Test {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	t := &Test{Seed: seed, Trials: make([]Trial, n), shown: now}
	half := n / 2
	if n%2 == 1 && r.IntN(2) == 1 {
		half++
	}
	for k, at := range r.Perm(n) {
		t.Trials[at].Swapped = k < half
	}
	var order []int
	for k := range t.Trials {
		if k%len(slices) == 0 {
			order = r.Perm(len(slices))
		}
		t.Trials[k].Slice = slices[order[k%len(slices)]]
	}
	return t
}

// Current returns the trial at hand and its number from 1; false if all are answered.
func (t *Test) Current() (trial Trial, number int, ok bool) {
	at := len(t.Answered())
	if at == len(t.Trials) {
		return Trial{}, at, false
	}
	return t.Trials[at], at + 1, true
}

// Answer takes the answer to the trial at hand; it does nothing if all are answered.
func (t *Test) Answer(a Preference, now time.Time) {
	if at := len(t.Answered()); at < len(t.Trials) && a != None {
		t.Trials[at].Answer, t.Trials[at].Took, t.shown = a, now.Sub(t.shown), now
	}
}

// Answered returns the trials that are answered.
func (t *Test) Answered() []Trial {
	for at, trial := range t.Trials {
		if trial.Answer == None {
			return t.Trials[:at]
		}
	}
	return t.Trials
}

// prefers says which image an answer prefers: "A", "B" or "neither".
func (t Trial) prefers() string {
	switch {
	case t.Answer == Equal:
		return "neither"
	case (t.Answer == Right) == t.Swapped:
		return "A"
	}
	return "B"
}

// Tally counts preferences.
type Tally struct{ A, B, Equal int }

// Tally counts the answers.
func (t *Test) Tally() (c Tally) {
	for _, trial := range t.Answered() {
		switch trial.prefers() {
		case "A":
			c.A++
		case "B":
			c.B++
		default:
			c.Equal++
		}
	}
	return c
}

// Share returns the share of the decided trials that prefer B, NaN without any.
func (c Tally) Share() float64 { return float64(c.B) / float64(c.A+c.B) }

// P returns the probability that as many or more decided trials would prefer one image if
// neither is better: the exact two-sided binomial test, without ties. It is 1 without a
// decided trial.
func (c Tally) P() float64 {
	n, least := c.A+c.B, min(c.A, c.B)
	sum := 0.0
	for k := range least + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		d, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(a - b - d - float64(n)*math.Ln2)
	}
	return min(2*sum, 1)
}

// Interval returns the 95 % confidence interval of Share by Clopper and Pearson.
func (c Tally) Interval() (lo, hi float64) {
	lo, hi = 0, 1
	a, b := float64(c.A), float64(c.B)
	if c.B > 0 {
		lo = distuv.Beta{Alpha: b, Beta: a + 1}.Quantile(0.025)
	}
	if c.A > 0 {
		hi = distuv.Beta{Alpha: b + 1, Beta: a}.Quantile(0.975)
	}
	return lo, hi
}

// Details are what the table of a test says of every trial besides.
type Details struct {
	A, B    string // what the images are
	Plane   string
	Window  string
	Version string
	First   int // added to the slices of the trials, of a pair that holds one slice alone
}

// CSV returns a table of the answers, a row for each trial.
func (t *Test) CSV(i Details) string {
	var out strings.Builder
	w := clean.NewCSV(&out)
	w.Row("trial", "plane", "slice", "left", "right", "answer", "prefers", "seconds", "seed", "trials", "A", "B", "window", "quell")
	for k, trial := range t.Answered() {
		left, right := "A", "B"
		if trial.Swapped {
			left, right = "B", "A"
		}
		w.Row(
			strconv.Itoa(k+1), i.Plane, strconv.Itoa(i.First+trial.Slice+1), left, right, trial.Answer.String(), trial.prefers(),
			fmt.Sprintf("%.1f", trial.Took.Seconds()), strconv.FormatUint(t.Seed, 10), strconv.Itoa(len(t.Trials)), i.A, i.B, i.Window, i.Version,
		)
	}
	_ = w.Flush() // to memory
	return out.String()
}
