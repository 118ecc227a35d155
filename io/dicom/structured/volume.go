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
	// Kept is the share of its contrast that the smallest safe lesion keeps, 1 for all; Lesion is that, nil if Kept is
	// unknown.
	Kept   Figure
	Lesion *Lesion
	// Verdict is on the result; of its parts, Error is on the error, and Visibility on virtual lesions.
	Verdict, Error, Visibility Judgement
}

// Figure is a number, or why there is none.
type Figure struct {
	Value   float64
	Unknown string // "" if there is a value
}

// Judgement is a verdict in a word of Quell, and its reason. It is absent without a word.
type Judgement struct{ Verdict, Why string }

// Lesion is a virtual lesion.
type Lesion struct {
	Size             float64 // diameter, mm
	Contrast, Sigmas float64 // in the unit of the volume; and in standard deviations of the noise, 0 if it was not given so
	Low, High        float64 // ends of the 95 % interval of the share that it keeps
}

// groups returns what the report says of the volume: of its source, and of its result.
func (v Volume) groups() []group {
	source := group{tracking: v.Name + ", input", seriesUID: v.Source.SeriesUID}
	source.numbers = append(source.numbers, number{Figure: v.Noise, name: noise, unit: object.UnitOf(v.Unit), derivation: standardDeviation, method: estimated}, v.inSquares(v.Before))
	source.add(noiseConfidence, Judgement{Verdict: v.Confidence})
	result := group{tracking: v.Name + ", result", seriesUID: v.Result.SeriesUID, recipe: v.Recipe}
	result.numbers = append(result.numbers, v.inSquares(v.After), v.kept())
	result.add(verdict, v.Verdict)
	result.add(verdictError, v.Error)
	result.add(verdictVisibility, v.Visibility)
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

// kept is the contrast kept, in percent.
func (v Volume) kept() number {
	n := number{Figure: v.Kept, name: contrastKept, unit: percent, method: virtual}
	n.Value *= 100
	l := v.Lesion
	if l == nil {
		return n
	}
	property := func(name, unit part10.Code, value float64) {
		n.properties = append(n.properties, number{Figure: Figure{Value: value}, name: name, unit: unit})
	}
	property(lowerEnd, percent, 100*l.Low)
	property(upperEnd, percent, 100*l.High)
	property(diameter, millimeter, l.Size)
	property(lesionContrast, object.UnitOf(v.Unit), l.Contrast)
	if l.Sigmas != 0 {
		property(lesionContrast, sigmas, l.Sigmas)
	}
	return n
}
