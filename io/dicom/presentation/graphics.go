package presentation

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// annotation states the marks, slice by slice, and their layer (PS3.3 C.10.5, C.10.7).
func (m *modules) annotation(e *object.Elements) {
	var items [][]byte
	for z := range m.Sources {
		var graphics, texts [][]byte
		for _, mark := range m.Marks {
			if mark.Slice == z {
				graphics = append(graphics, m.graphic(mark))
				if mark.Text != "" {
					texts = append(texts, m.caption(mark))
				}
			}
		}
		if graphics == nil {
			continue
		}
		var item object.Elements
		item.Sequence(part10.TagReferencedImageSequence, m.of[z].reference(m.State, z))
		item.Text(part10.TagGraphicLayer, layer)
		if texts != nil {
			item.Sequence(part10.TagTextObjectSequence, texts...)
		}
		item.Sequence(part10.TagGraphicObjectSequence, graphics...)
		items = append(items, item.Item())
	}
	if items == nil {
		return
	}
	e.Sequence(part10.TagGraphicAnnotationSequence, items...)
	var described object.Elements
	described.Text(part10.TagGraphicLayer, layer)
	described.Text(part10.TagGraphicLayerOrder, "1")
	described.Text(part10.TagGraphicLayerDescription, "Marks and what was measured in them")
	e.Sequence(part10.TagGraphicLayerSequence, described.Item())
}

// graphic draws the line of a mark.
func (m *modules) graphic(mark Mark) []byte {
	kind, points := "POLYLINE", m.onImage(mark)
	if axes, ok := m.axes(mark); ok {
		kind, points = "ELLIPSE", axes
	}
	var e object.Elements
	e.Text(part10.TagGraphicAnnotationUnits, "PIXEL")
	e.Put(part10.TagGraphicDimensions, "US", binary.LittleEndian.AppendUint16(nil, 2))
	e.Put(part10.TagNumberOfGraphicPoints, "US", binary.LittleEndian.AppendUint16(nil, uint16(len(points))))
	e.Put(part10.TagGraphicData, "FL", floats(points...))
	e.Text(part10.TagGraphicType, kind)
	e.Text(part10.TagGraphicFilled, "N")
	return e.Item()
}

// caption writes the text of a mark at the bottom left corner that the mark has on the screen, since
// Quell shows it below.
func (m *modules) caption(mark Mark) []byte {
	stored := m.stored()
	corner := [2]float64{math.Inf(1), math.Inf(-1)}
	for _, p := range m.onImage(mark) {
		shown := stored.To(m.View, [2]float64{p[0] - 0.5, p[1] - 0.5})
		corner = [2]float64{min(corner[0], shown[0]), max(corner[1], shown[1])}
	}
	at := m.View.To(stored, corner)
	at = [2]float64{at[0] + 0.5, at[1] + 0.5}
	const most = 1024 // of ST
	var e object.Elements
	e.Text(part10.TagAnchorPointAnnotationUnits, "PIXEL")
	e.Text(part10.TagUnformattedTextValue, part10.Clip(part10.ASCII(inASCII.Replace(mark.Text)), most))
	e.Put(part10.TagAnchorPoint, "FL", floats(at))
	e.Text(part10.TagAnchorPointVisibility, "N")
	return e.Item()
}

// inASCII spells what texts of figures hold besides ASCII.
var inASCII = strings.NewReplacer("±", "+/-", "–", "-", "²", "2", "→", "->")

// onImage returns the points of a mark in the units PIXEL, in which the first pixel covers 0 to 1
// and points must lie on the image (C.10.5). A line is cut off at the edge of the image; of closed
// lines each point is moved to the edge.
func (m *modules) onImage(mark Mark) [][2]float64 {
	size := m.stored().Size
	points := slices.Clone(mark.Points)
	for i := range points {
		points[i][0] += 0.5
		points[i][1] += 0.5
	}
	if len(points) == 2 && !mark.Closed {
		a, b := points[0], points[1]
		from, to := 0.0, 1.0 // of the way from a to b
		for c := range a {
			if d := b[c] - a[c]; d != 0 {
				enter, leave := -a[c]/d, (float64(size[c])-a[c])/d
				from, to = max(from, min(enter, leave)), min(to, max(enter, leave))
			}
		}
		if from < to {
			for c := range a {
				points[0][c], points[1][c] = a[c]+from*(b[c]-a[c]), a[c]+to*(b[c]-a[c])
			}
		}
	}
	for i := range points {
		for c := range points[i] {
			points[i][c] = min(max(points[i][c], 0), float64(size[c]))
		}
	}
	if mark.Closed {
		points = append(points, points[0])
	}
	return points
}

// axes returns the ends of the major axis of an ellipse, then of its minor one, in the units PIXEL;
// ok is false for another mark and for an ellipse that is not wholly on the image.
func (m *modules) axes(mark Mark) (ends [][2]float64, ok bool) {
	if mark.Ellipse == nil {
		return nil, false
	}
	size := m.stored().Size
	var lo, hi, middle [2]float64
	for c := range lo {
		a, b := mark.Ellipse[0][c]+0.5, mark.Ellipse[1][c]+0.5
		lo[c], hi[c], middle[c] = min(a, b), max(a, b), (a+b)/2
		if lo[c] < 0 || hi[c] > float64(size[c]) || lo[c] == hi[c] {
			return nil, false
		}
	}
	across := [][2]float64{{lo[0], middle[1]}, {hi[0], middle[1]}}
	down := [][2]float64{{middle[0], lo[1]}, {middle[0], hi[1]}}
	if hi[0]-lo[0] >= hi[1]-lo[1] {
		return append(across, down...), true
	}
	return append(down, across...), true
}

// floats writes points as FL.
func floats(points ...[2]float64) (b []byte) {
	for _, p := range points {
		for _, x := range p {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
	}
	return b
}
