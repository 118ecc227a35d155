package structured

import (
	"math"
	"strconv"

	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// group is what was measured of one series of a volume, and found about it.
type group struct {
	tracking  string // names it, and is the same in every report on that result
	seriesUID string // of the images that were measured; "" for files that are no DICOM
	recipe    string // of the filter; "" if it is not about a result
	numbers   []number
	findings  []finding
}

// number is a measurement.
type number struct {
	Figure
	name, unit part10.Code
	// derivation is the statistic over the values, and method how it was found; the zero value for neither.
	derivation, method part10.Code
	properties         []number // about it, such as its interval
}

// finding is an evaluation in a code.
type finding struct {
	name part10.Code
	Judgement
}

// item returns the container of the group (TID 1501). about is the series UID of the result.
func (g group) item(about, version string) []byte {
	in := [][]byte{
		text(observed, trackingIdentifier, g.tracking),
		uid(observed, trackingUID, part10.HashUID([]byte("measurement group"), []byte(about), []byte(g.tracking))),
	}
	if g.seriesUID != "" {
		in = append(in, uid(observed, seriesUID, g.seriesUID))
	}
	in = append(in, algorithm(version, g.recipe)...)
	for _, n := range g.numbers {
		in = append(in, n.item(contains))
	}
	for _, f := range g.findings {
		in = append(in, f.item())
	}
	return container(contains, measurementGroup, "1501", in...).Item()
}

// algorithm identifies the program (TID 4019).
func algorithm(version, recipe string) [][]byte {
	in := [][]byte{text(modifies, algorithmName, "quell"), text(modifies, algorithmVersion, version)}
	if recipe != "" {
		in = append(in, text(modifies, algorithmParameters, recipe))
	}
	return in
}

// item returns the number (TID 300). One that is unknown, or not finite, has no value and says so in a code and in
// words.
func (n number) item(r relation) []byte {
	var in [][]byte
	if n.method != (part10.Code{}) {
		in = append(in, code(modifies, measurementMethod, n.method))
	}
	if n.derivation != (part10.Code{}) {
		in = append(in, code(modifies, derivation, n.derivation))
	}
	known := n.Unknown == "" && !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0)
	if n.Unknown != "" {
		in = append(in, text(properties, comment, n.Unknown))
	}
	for _, p := range n.properties {
		in = append(in, p.item(properties))
	}
	e := item(r, "NUM", n.name, in...)
	if !known {
		e.Sequence(part10.TagMeasuredValueSequence)
		e.Code(part10.TagNumericValueQualifierCodeSequence, valueUnknown)
		return e.Item()
	}
	var value object.Elements
	// Six digits are more than anything here is known to, and the same on every engine.
	value.Text(part10.TagNumericValue, strconv.FormatFloat(n.Value, 'g', 6, 64))
	value.Code(part10.TagMeasurementUnitsCodeSequence, n.unit)
	e.Sequence(part10.TagMeasuredValueSequence, value.Item())
	return e.Item()
}

func (f finding) item() []byte {
	if f.Why == "" {
		return code(contains, f.name, valueOf(f.Verdict))
	}
	return code(contains, f.name, valueOf(f.Verdict), text(properties, comment, f.Why))
}
