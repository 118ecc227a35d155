package lesions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/measure/detect"
)

// Verdict says whether a recipe spares what was visible.
type Verdict string

// The verdicts on visibility.
const (
	Spared  Verdict = "spared"  // every object that was visible before keeps its contrast and its d'
	Over    Verdict = "over"    // an object that was visible before does not
	Unclear Verdict = "unclear" // the interval of a figure holds its bound
	Unknown Verdict = "unknown" // no lesion of the panel was visible before
)

// The bounds of the verdict.
const (
	// VisibleFrom is the d' of the observer with the eye from which a lesion counts as visible.
	VisibleFrom = 3
	// LeastKept is the least contrast that a visible lesion must keep.
	LeastKept = 0.85
	// LeastRatio is the least d' after over before that a visible lesion must have, by either observer.
	LeastRatio = 0.9
)

// Visibility is the second part of a verdict, beside the error.
type Visibility struct {
	Verdict Verdict         `json:"verdict"`
	Why     message.Message `json:"why"`
	// Worst is the row that decides; nil with Unknown.
	Worst *Row `json:"worst,omitempty"`
}

// Visible reports whether the lesion was visible before, at the places or in the noise alone. What is left of anatomy
// at the places hides a lesion there, and need not hide one elsewhere.
func (r Row) Visible() bool { return max(r.Eye.Before.Value, r.InNoise) >= VisibleFrom }

// Verdict judges a lesion whether it was visible or not. A figure is below its bound if its whole interval is.
func (r Row) Verdict() Verdict {
	verdict := Spared
	for _, f := range r.bounded() {
		switch {
		case f.Hi < f.Bound:
			return Over
		case f.Lo < f.Bound && f.Value < f.Bound:
			verdict = Unclear
		}
	}
	return verdict
}

// Bounded is a figure of a lesion that has a least value.
type Bounded struct {
	detect.Interval
	Bound    float64 // the least value
	Contrast bool    // it is the contrast kept; else d' after over before, by one of the observers
}

// bounded are the figures that have a least value.
func (r Row) bounded() []Bounded {
	return []Bounded{{r.Kept, LeastKept, true}, {r.Eye.Ratio, LeastRatio, false}, {r.Channels.Ratio, LeastRatio, false}}
}

// margin is a figure over its bound.
func (b Bounded) margin() float64 { return b.Value / b.Bound }

// Least returns the figure that is the least over its bound, which decides.
func (r Row) Least() (f Bounded) {
	for i, b := range r.bounded() {
		if i == 0 || b.margin() < f.margin() {
			f = b
		}
	}
	return f
}

// Visibility judges the panel by the worst lesion that was visible before.
func (p Panel) Visibility() Visibility {
	worse := func(a, than *Row) bool {
		return Visibility{Verdict: a.Verdict(), Worst: a}.WorseThan(Visibility{Verdict: than.Verdict(), Worst: than})
	}
	var worst *Row
	for i := range p.Rows {
		r := &p.Rows[i]
		if !r.Visible() {
			continue
		}
		if worst == nil || worse(r, worst) {
			worst = r
		}
	}
	if worst == nil {
		return Visibility{Verdict: Unknown, Why: message.New(message.VerdictNone, "No virtual lesion of this panel is visible in the noise before filtering.")}
	}
	v := Visibility{Verdict: worst.Verdict(), Worst: worst}
	size, contrast := message.Figure(fmt.Sprintf("%.3g", worst.Size)), p.contrast(*worst)
	kept := 100 * worst.Kept.Value
	ratio := 100 * min(worst.Eye.Ratio.Value, worst.Channels.Ratio.Value)
	switch v.Verdict {
	case Over:
		v.Why = message.New(message.VisibilityLost, "A lesion of %s mm at %s, which is visible before, keeps %.0f %% of its contrast and %.0f %% of its d'.", size, contrast, kept, ratio)
	case Unclear:
		v.Why = message.New(message.VisibilityLost, "A lesion of %s mm at %s, which is visible before, may lose too much: it keeps about %.0f %% of its contrast and %.0f %% of its d'.", size, contrast, kept, ratio)
	default:
		v.Why = message.New(message.VisibilityKept, "Every virtual lesion that is visible before keeps its contrast; the worst, of %s mm at %s, keeps %.0f %%.", size, contrast, kept)
	}
	return v
}

// gravity orders verdicts, the worst last.
var gravity = []Verdict{Unknown, Spared, Unclear, Over}

// WorseThan reports whether a verdict is worse than another on the same recipe, from other slices.
func (v Visibility) WorseThan(o Visibility) bool {
	a, b := slices.Index(gravity, v.Verdict), slices.Index(gravity, o.Verdict)
	return a > b || a == b && v.Worst != nil && o.Worst != nil && v.Worst.Least().margin() < o.Worst.Least().margin()
}

// contrast returns the contrast of a row with its unit.
func (p Panel) contrast(r Row) message.Figure {
	switch {
	case r.Sigmas != 0:
		return message.Figure(fmt.Sprintf("%.3g sigma", r.Sigmas))
	case p.Unit != "":
		return message.Figure(fmt.Sprintf("%.3g %s", r.Contrast, p.Unit))
	}
	return message.Figure(fmt.Sprintf("%.3g", r.Contrast))
}

// Sentences says for every shape and contrast how much lesions of each size keep, the largest first.
func (p Panel) Sentences() (all []message.Message) {
	type group struct {
		shape    Shape
		contrast message.Figure
	}
	rows := map[group][]Row{}
	var order []group
	for _, r := range p.Rows {
		k := group{r.Shape, p.contrast(r)}
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], r)
	}
	for _, k := range order {
		of := rows[k]
		slices.SortStableFunc(of, func(a, b Row) int { return cmp.Compare(b.Size, a.Size) })
		all = append(all, sentence(of, k.contrast))
	}
	return all
}

// sentence says what the rows of one shape and contrast keep.
func sentence(of []Row, contrast message.Figure) message.Message {
	size := func(r Row) message.Figure { return message.Figure(fmt.Sprintf("%.3g", r.Size)) }
	kept := 100 * of[0].Kept.Value
	first := message.Text("Discs of %s mm at %s keep %.0f %%", size(of[0]), contrast, kept)
	if of[0].Shape == Gaussian {
		first = message.Text("Gaussians of %s mm at %s keep %.0f %%", size(of[0]), contrast, kept)
	}
	parts := []message.Message{first}
	for _, r := range of[1:] {
		parts = append(parts, message.Text("of %s mm, %.0f %%", size(r), 100*r.Kept.Value))
	}
	return message.Join("; ", parts...).Sentence()
}

// String returns the sentences as one text.
func (p Panel) String() string {
	var texts []string
	for _, s := range p.Sentences() {
		texts = append(texts, s.String())
	}
	return strings.Join(texts, " ")
}
