package noise

import (
	"math"

	"quell/internal/message"
)

// Kind is a source of evidence.
type Kind string

// The kinds.
const (
	FinestDetail     Kind = "finest detail"         // differences of neighbouring voxels, at the resolution that was acquired
	EvenWindows      Kind = "homogeneous windows"   // what a fit leaves in even parts, with its colour
	SliceDifferences Kind = "differences of slices" // in homogeneous windows of neighbouring ones
	OverTime         Kind = "volumes over time"     // differences of the volumes of a 4-D series
	Stated           Kind = "stated"                // by a person, or in a region that was given
)

// Evidence is what one source shows of the noise.
type Evidence struct {
	Kind    Kind    `json:"kind"`
	Sigma   float64 `json:"sigma"`
	Low     float64 `json:"sigma_low"`
	High    float64 `json:"sigma_high"`
	Windows int     `json:"windows"` // of the foreground that it rests on
}

// The widths of an interval, relative to the best value: up to which it is high and fair, and the half widths that a single
// source has, by its own confidence.
const (
	highWidth = 0.1
	fairWidth = 0.2
	sureHalf  = 0.06
	fairHalf  = 0.17
	lowHalf   = 0.3
	leastHalf = 0.05  // below a low end
	sharpened = 1.025 // by which differences read noise too high, by the correlation in windows, above which it counts
)

// span sets the interval, which holds Sigma, and the word that follows from its width.
func (f *Figure) span(low, high float64) {
	f.Low, f.High = min(low, f.Sigma), max(high, f.Sigma)
	switch wide := f.width(); {
	case wide <= highWidth+1e-9:
		f.Confidence = High
	case wide <= fairWidth+1e-9:
		f.Confidence = Fair
	default:
		f.Confidence = Low
	}
}

// width is the larger of the relative distances of Sigma from the ends of the interval; 0 without one.
func (f Figure) width() float64 {
	switch {
	case f.High == 0:
		return 0
	case f.Sigma == 0:
		return math.Inf(1)
	}
	return max(f.High/f.Sigma-1, 1-f.Low/f.Sigma)
}

// spanByWord sets the interval of a figure that has a word alone.
func (f *Figure) spanByWord() {
	half := map[Confidence]float64{High: sureHalf, Fair: fairHalf, Low: lowHalf}[f.Confidence]
	f.Low, f.High = f.Sigma*(1-half), f.Sigma*(1+half)
}

// Acting returns the sigma that automatic values follow: the best one if the interval is narrow, and else its low end, which
// removes less and harms nothing.
func (f Figure) Acting() float64 {
	if f.Rough() {
		return min(f.Low, f.Sigma)
	}
	return f.Sigma
}

// Rough reports whether the interval is too wide for its best value to be acted on.
func (f Figure) Rough() bool { return f.width() > fairWidth+1e-9 }

// Advice says in a sentence that automatic values follow the low end of the interval, and what would narrow it; it is empty
// if they follow the best value.
func (f Figure) Advice() message.Message {
	if f.Confidence == None || !f.Rough() {
		return message.Message{}
	}
	return message.New(message.NoiseUnknown, "The noise lies between %.3g and %.3g. Automatic values follow the low end, which removes less and harms nothing. An ROI in homogeneous tissue, a mask or two repeat acquisitions would narrow it.", f.Low, f.High)
}

// combine turns the figure of the finest detail, which d measured, into an interval by what the homogeneous windows of the
// foreground show. Neither needs the other's assumption: detail takes noise as white, windows take the evenest of them as
// even. Detail stays the best value if the windows may hold it; else they are.
func (e *Estimate) combine(w evenWindows) {
	was := e.Sigma
	even, of, found := w.evidence()
	if found && even.Windows >= manyWindows && e.Confidence == High && e.Method == methodDifferences {
		if gain := of.correlation.gainOf(sixth); gain > sharpened { // as after homodyne reconstruction
			e.Sigma /= gain
		}
	}
	fine := e.finest()
	e.Negligible = e.Negligible && !e.ModelKnown // a background that shows its distribution holds noise
	switch {
	case e.Sigma == 0 && e.Confidence != None:
		e.span(0, 0)
	case e.Confidence == None && !found:
		return
	case !found:
		e.fromDetail(fine, nil, 0)
	case found && w.homogeneous() && (e.MayBeTexture() || even.Sigma > (1+evenAgrees)*fine.High):
		e.fromWindows(w.places(), w.orders[0], fine)
	case e.Negligible && of.anatomy() > evenMargin || e.Confidence != None && !w.overlap && even.allows(e.Sigma):
		e.fromDetail(fine, &even, of.anatomy())
	default:
		e.fromWindows(even, of, fine)
	}
	if e.Negligible && e.Sigma > 0 { // what texture may add is no noise
		e.Confidence = Low
		e.spanByWord()
	}
	e.spanSlices(was)
}

// allows reports whether the noise may be sigma.
func (x Evidence) allows(sigma float64) bool {
	return sigma >= min(x.Low, x.Sigma*(1-evenAgrees)) && sigma <= max(x.High, x.Sigma*(1+evenAgrees))
}

// finest is the evidence of the finest detail.
func (e *Estimate) finest() Evidence {
	half := map[Confidence]float64{High: sureHalf, Fair: fairHalf, Low: lowHalf}[e.Confidence]
	x := Evidence{Kind: FinestDetail, Sigma: e.Sigma, Low: e.Sigma * (1 - half), High: e.Sigma * (1 + half), Windows: e.Windows}
	x.High = max(x.High, e.atMost)
	return x
}

// fromDetail takes the figure of the finest detail, and the part of its interval that the windows allow. If detail was sure and
// the windows hold more or less, the interval reaches to them: neighbours may share noise.
func (e *Estimate) fromDetail(fine Evidence, even *Evidence, anatomy float64) {
	low, high, was := fine.Low, fine.High, e.Confidence
	e.Evidence = []Evidence{fine}
	switch even {
	case nil:
		if was == High { // no other kind of evidence agrees
			low, high = e.Sigma*(1-fairHalf), e.Sigma*(1+fairHalf)
		}
	default:
		e.Evidence = append(e.Evidence, *even)
		switch {
		case was == Low:
			low, high = max(low, even.Low), min(high, even.High)
		case was == Fair && e.Method == methodDifferences && even.Sigma > (1+evenAgrees)*e.Sigma: // texture is part of the one, or neighbours share noise
			e.Sigma = math.Sqrt(even.Sigma * e.Sigma)
			low, high = e.Sigma*(1-fairHalf), e.Sigma*(1+fairHalf)
		case e.Method == methodBackground && even.Sigma > (1+fairWidth)*e.Sigma: // anatomy is part of the one, or the object has more noise
			e.Sigma, high = math.Sqrt(even.Sigma*e.Sigma), even.High
		case math.Abs(even.Sigma/e.Sigma-1) > leastHalf+anatomy/2:
			low, high = min(low, max(even.Low, e.Sigma*(1-fairWidth))), max(high, min(even.High, e.Sigma*(1+fairWidth)))
		}
	}
	e.span(low, high)
	if e.Why.IsZero() && e.Confidence != High && was == High {
		e.Why = fewVoxels
		if even != nil {
			e.Why = message.New(message.NoiseTexture, "texture may be part of the figure, or the noise is slightly correlated")
		}
	}
}

// fromWindows takes the figure of homogeneous windows; that of the finest detail stays the best value if both agree.
func (e *Estimate) fromWindows(x Evidence, of evenOrder, fine Evidence) {
	agree := (e.Confidence == High || e.Confidence == Fair) && math.Abs(e.Sigma/x.Sigma-1) <= evenAgrees
	e.Evidence = []Evidence{x}
	if e.Confidence != None {
		e.Evidence = []Evidence{fine, x}
	}
	e.Negligible = false
	if agree {
		e.span(fine.Low, fine.High)
		return
	}
	if e.Correlation = nil; of.correlation.Effective() > 1+leastColour {
		e.Correlation = of.correlation
	}
	e.Method, e.Acquired = methodWindows, nil
	e.Figure = Figure{Sigma: x.Sigma, Windows: x.Windows}
	if e.span(x.Low, x.High); e.Confidence != High {
		e.Why = message.New(message.NoiseVaries, "the noise differs from place to place")
		switch {
		case of.smooth():
			e.Why = filteredBefore
		case of.anatomy() > evenMargin:
			e.Why = message.New(message.NoiseTexture, "texture or structure may be part of the figure")
		}
	}
}

// places is the evidence of windows that are homogeneous, in which the noise differs from place to place.
func (w evenWindows) places() Evidence {
	at := func(i int) float64 { return w.wide[i] / w.orders[0].correlation.reads(evenWide, evenQuantiles[i]) }
	return Evidence{EvenWindows, at(evenMiddle), at(evenLowest) * (1 - evenMargin), at(evenUpper) * (1 + evenMargin), w.count}
}

// spanSlices gives the figures of the slices, which followed a figure of the volume, its change and its interval.
func (e *Estimate) spanSlices(was float64) {
	for z := range e.PerSlice {
		f := &e.PerSlice[z]
		switch {
		case e.Method == methodWindows:
			*f = e.Figure
		case f.Confidence == None:
			continue
		case was > 0:
			f.Sigma *= e.Sigma / was
		}
		f.spanByWord()
		f.limit(e.Figure)
		if e.Rough() {
			f.Low, f.High = f.Sigma*e.Low/e.Sigma, f.Sigma*e.High/e.Sigma
		}
	}
}

// mostRough is the ratio of the ends of an interval above which it gives no ground to judge a result by.
const mostRough = 2

// Unknown says that the noise is known too roughly to judge by, for which reason, and what it is at most; most is 0
// if nothing is known of it. All that judges by the noise asks for it, and says Sentence. Automatic values follow
// [Figure.Acting] nevertheless.
func (f Figure) Unknown() (most float64, why message.Message, ok bool) {
	switch {
	case f.Confidence == None:
		return 0, f.Why, true
	case f.High > mostRough*f.Low && f.Sigma > 0:
		return f.High, f.Why, true
	}
	return 0, message.Message{}, false
}

// Sentence says of noise that is unknown what it is at most, why, and what a person can do; it is empty if the
// noise is known.
func (f Figure) Sentence() message.Message {
	most, why, unknown := f.Unknown()
	switch {
	case !unknown:
		return message.Message{}
	case most > 0:
		return message.New(message.NoiseUnknown, "Noise known roughly, between %.3g and %.3g: %s. What helps: a mask of homogeneous tissue, the strength as a number, an ROI or two repeat acquisitions.", f.Low, most, why)
	}
	return message.New(message.NoiseUnknown, "Noise unknown: %s. What helps: a mask of homogeneous tissue, the strength as a number, an ROI or two repeat acquisitions.", why)
}

// Given returns an estimate with the sigma that a person has measured in an even region of
// n voxels, or if n is 0 states, for all slices; what is known of model and correlation stays. Its
// standard error of 1 / sqrt(2 n) sets the confidence.
func (e Estimate) Given(sigma float64, n int) Estimate {
	e.Figure = Figure{Sigma: sigma, Confidence: High}
	if n > 0 {
		e.Windows, e.Why = 1, message.New(message.NoiseMeasured, "It was measured in a region of %d voxels.", n)
	}
	if n > 0 && n < manyGiven {
		e.Confidence, e.few = Fair, true
	}
	half := highWidth / 2
	if n > 0 {
		half = math.Sqrt(2 / float64(n)) // two standard errors
	}
	e.Low, e.High = sigma*(1-min(half, 1)), sigma*(1+half)
	e.Evidence = []Evidence{{Stated, sigma, e.Low, e.High, e.Windows}}
	e.Negligible, e.PerSlice = false, nil
	return e
}

// manyGiven is from how many voxels on sigma lies within 5 %, which is two standard errors.
const manyGiven = 800
