package structured

import (
	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// Volume is what was measured of a volume before and after a filter.
type Volume struct {
	Name           string        // in the report, such as "Volume 2 of 5"
	Source, Result object.Images // Source may be empty
	Unit           string        // of its voxels, as in parametric.Map
	Recipe         string        // of the filter
	// Noise is the standard deviation of the noise in the source, and Confidence its confidence in a word.
	Noise      Figure
	Confidence string
	// Before and After are the standard deviation in the same even squares of source and result.
	Before, After Figure
	Squares       int
	// Shares are the figures by which the result is judged, Object is the diameter in mm of the object whose contrast is
	// meant, and Verdict what they amount to.
	Shares  []Share
	Object  float64
	Verdict Judgement
}

// Share is a figure from 0 to 1 with the ends of its 95 % interval, under a code of Quell's.
type Share struct {
	Code, Meaning    string
	Value, Low, High float64
}

// Figure is a number, or why there is none.
type Figure struct {
	Value   float64
	Unknown string // "" if there is a value
}

// Judgement is a verdict in a word of Quell, and its reason. It is absent without a word.
type Judgement struct{ Verdict, Why string }

// groups returns what the report says of the volume: of its source, and of its result.
func (v Volume) groups() []group {
	source := group{tracking: v.Name + ", input", seriesUID: v.Source.SeriesUID}
	source.numbers = append(source.numbers, number{Figure: v.Noise, name: noise, unit: object.UnitOf(v.Unit), derivation: standardDeviation, method: estimated}, v.inSquares(v.Before))
	source.add(noiseConfidence, Judgement{Verdict: v.Confidence})
	result := group{tracking: v.Name + ", result", seriesUID: v.Result.SeriesUID, recipe: v.Recipe}
	result.numbers = append(result.numbers, v.inSquares(v.After))
	for _, s := range v.Shares {
		result.numbers = append(result.numbers, v.share(s))
	}
	result.add(verdict, v.Verdict)
	return []group{source, result}
}

// add adds a finding if there is one.
func (g *group) add(name part10.Code, j Judgement) {
	if j.Verdict != "" {
		g.findings = append(g.findings, finding{name, j})
	}
}

// inSquares is the noise in even squares.
func (v Volume) inSquares(f Figure) number {
	n := number{Figure: f, name: noise, unit: object.UnitOf(v.Unit), derivation: standardDeviation, method: evenSquares}
	if f.Unknown == "" {
		n.properties = []number{{Figure: Figure{Value: float64(v.Squares)}, name: squareCount, unit: squares}}
	}
	return n
}

// share is a share in percent.
func (v Volume) share(s Share) number {
	name := part10.Code{Value: s.Code, Scheme: object.Scheme, Meaning: s.Meaning}
	n := number{Figure: Figure{Value: 100 * s.Value}, name: name, unit: percent, method: inTissue}
	property := func(name, unit part10.Code, value float64) {
		n.properties = append(n.properties, number{Figure: Figure{Value: value}, name: name, unit: unit})
	}
	property(lowerEnd, percent, 100*s.Low)
	property(upperEnd, percent, 100*s.High)
	if s.Code == contrastKept.Value && v.Object > 0 {
		property(diameter, millimeter, v.Object)
	}
	return n
}
