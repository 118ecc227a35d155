package noise

import (
	"context"
	"math"

	"quell/internal/message"
	"quell/volume"
)

// Kind is a source of evidence.
type Kind string

// The kinds.
const (
	FinestDetail Kind = "finest detail"       // differences of neighbouring voxels, at the resolution that was acquired
	EvenWindows  Kind = "homogeneous windows" // what a fit leaves in even parts, with its colour
	OverTime     Kind = "volumes over time"   // differences of the volumes of a 4-D series
	Stated       Kind = "stated"              // by a person, or in a region that was given
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
	leastHalf = 0.05 // below a low end
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
	return message.New(message.NoiseUnknown, "The noise lies between %.3g and %.3g. Automatic values follow the low end, which removes less and harms nothing. An ROI in even tissue, a mask or two repeats would narrow it.", f.Low, f.High)
}

// combine turns the figure of the finest detail, which d measured, into an interval by what the homogeneous windows of the
// foreground show. Neither needs the other's assumption: detail takes noise as white, windows take them as even. The
// error is the context's.
func (e *Estimate) combine(ctx context.Context, v *volume.Volume, d measurement, w evenWindows) error {
	was := e.Sigma
	fine := e.finest(d, w)
	e.Negligible = e.Negligible && !e.ModelKnown // a background that shows its distribution holds noise
	switch {
	case e.Sigma == 0 && e.Confidence != None:
		e.span(0, 0)
	case w.homogeneous() && (e.MayBeTexture() || w.usual() > (1+evenAgrees)*fine.High):
		if err := e.fromWindows(ctx, v, w, fine); err != nil {
			return err
		}
	case e.Confidence == None:
		return nil
	default:
		e.fromDetail(fine, w)
	}
	if e.Negligible && e.Sigma > 0 { // what texture may add is no noise
		e.Confidence = Low
		e.spanByWord()
	}
	e.spanSlices(was)
	return nil
}

// finest is the evidence of the finest detail.
func (e *Estimate) finest(d measurement, w evenWindows) Evidence {
	x := Evidence{Kind: FinestDetail, Sigma: e.Sigma, Windows: e.Windows}
	base := min(e.Sigma, max(e.untextured(d), leastUntextured*e.Sigma))
	switch e.Confidence {
	case High:
		x.Low, x.High = base*(1-leastHalf), e.Sigma*(1+sureHalf)
	case Fair:
		x.Low, x.High = base*(1-fairHalf), e.Sigma*(1+fairHalf)
	case Low:
		x.Low, x.High = base*(1-leastHalf), max(e.Sigma*(1+sureHalf), e.atMost, w.most())
		x.Sigma = base
		if least := w.least(); least > base { // neighbours share the noise
			x.Low = least * (1 - leastHalf)
			x.Sigma = max(math.Sqrt(least*w.usual()), least)
		}
	}
	return x
}

// fromDetail takes the figure of the finest detail. Windows that hold more widen the interval: what they hold may be noise that
// neighbours share.
func (e *Estimate) fromDetail(fine Evidence, w evenWindows) {
	e.Sigma = fine.Sigma
	low, high := fine.Low, fine.High
	e.Evidence = []Evidence{fine}
	switch {
	case w.found():
		usual := w.usual()
		e.Evidence = append(e.Evidence, Evidence{EvenWindows, usual, w.least(), w.most(), w.count})
		if usual > (1+evenAgrees)*high {
			high = usual
		}
	case e.Confidence == High: // no other kind of evidence agrees
		low, high = min(low, e.Sigma*(1-fairHalf)), max(high, e.Sigma*(1+fairHalf))
	}
	was := e.Confidence
	e.span(low, high)
	if e.Why.IsZero() && e.Confidence != High && was == High {
		e.Why = fewVoxels
		if w.found() {
			e.Why = message.New(message.NoiseTexture, "texture may be part of the figure, or the noise is slightly correlated")
		}
	}
}

// fromWindows takes the figure of homogeneous windows; that of the finest detail stays the best value if both agree.
func (e *Estimate) fromWindows(ctx context.Context, v *volume.Volume, w evenWindows, fine Evidence) error {
	c, err := w.correlation(ctx, v)
	if err != nil {
		return err
	}
	freedom, gain := max(c.freedom(evenWide), evenWide*evenWide/mostCoverage), min(surfaceGain(c, evenWide), mostEvenGain)
	at := func(i int) float64 { return gain * w.wide[0][i] / rootMeanSquare(freedom, evenQuantiles[i]) }
	x := Evidence{EvenWindows, at(evenMiddle), at(evenLowest) * (1 - evenMargin), at(evenUpper) * (1 + evenMargin), w.count}
	agree := e.Confidence != None && math.Abs(e.Sigma/x.Sigma-1) <= evenAgrees
	e.Negligible = false
	e.Evidence = []Evidence{x}
	if e.Confidence != None {
		e.Evidence = []Evidence{fine, x}
	}
	switch {
	case agree && e.Confidence != Low:
		e.span(fine.Low, fine.High)
		return nil
	case c.Effective() > 1+leastColour:
		e.Correlation = c
	}
	e.Method, e.Acquired = methodWindows, nil
	e.Figure = Figure{Sigma: x.Sigma, Windows: x.Windows}
	e.span(x.Low, x.High)
	if e.Confidence != High {
		e.Why = message.New(message.NoiseVaries, "the noise differs from place to place")
	}
	return nil
}

// correlation returns the correlation of what fits leave in the homogeneous windows. The error is the context's.
func (w evenWindows) correlation(ctx context.Context, v *volume.Volume) (*Correlation, error) {
	wide, err := fitSlices(ctx, v, w.limits, correlationSide)
	if err != nil {
		return nil, err
	}
	return correlate(v, wide[0], w.wide[0][evenMiddle], sharing{rho: [3]float64{1}}), nil
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
