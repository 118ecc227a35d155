package parametric_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/object"
	"quell/io/dicom/parametric"
	"quell/io/dicom/part10"
	"quell/volume"
)

// exampleMap is a map of two slices of 3 x 2 voxels of a CT, and its values.
func exampleMap(t *testing.T) (m parametric.Map, values [][]float32) {
	t.Helper()
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	header, p, err := part10.ReadHeader(s.Sources[0].FS, s.Sources[0].Name, func(t part10.Tag) bool { return slices.Contains(parametric.Tags, t) })
	if err != nil {
		t.Fatal(err)
	}
	p.Release()
	m = parametric.Map{
		Quantity: parametric.Removed, Unit: "HU", Header: header, Grid: volume.NewGeometry([3]int{3, 2, 2}, [3]float64{0.5, 0.75, 2}),
		Positions: []volume.Vec{{1, 2, 3}, {1, 2, 5.5}}, Description: "made by a test", Window: volume.Window{Width: 40},
		Result: object.Images{SeriesUID: "1.2.3", Slices: []object.Reference{{Class: "1.2", UID: "1.2.3.1"}, {Class: "1.2", UID: "1.2.3.2"}}},
		Source: object.Images{SeriesUID: "1.2.4", Slices: []object.Reference{{Class: "1.2", UID: "1.2.4.1", Frame: 1}, {Class: "1.2", UID: "1.2.4.1", Frame: 2}}},
		Number: 1, Sum: []byte("sum"), Version: "1", Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	return m, [][]float32{{1, -2, 3.5, 0, 1e-7, -1e7}, {6, 5, 4, 3, 2, 1}}
}

func write(t *testing.T, m parametric.Map, values [][]float32, valid []bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b, func(z int) ([]float32, []bool, error) { return values[z], valid, nil }); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// items returns the elements of the items of a sequence on a way of sequences from the top, of the first item of each
// but the last.
func items(t *testing.T, file []byte, way ...part10.Tag) (out []part10.SequenceItem) {
	t.Helper()
	p, err := dicomtest.Tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	elements := p.Elements
	for i, tag := range way {
		out = nil
		for _, e := range elements {
			if e.Tag != tag {
				continue
			}
			if err := part10.EachItem(file, e, object.Encoding, func(item part10.SequenceItem) error {
				item.Elements = slices.Clone(item.Elements)
				out = append(out, item)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if len(out) == 0 {
			t.Fatalf("no items of %v", way[:i+1])
		}
		elements = out[0].Elements
	}
	return out
}

// text returns the value of an element of an item.
func text(file []byte, item part10.SequenceItem, tag part10.Tag) string {
	for _, e := range item.Elements {
		if e.Tag == tag {
			return string(bytes.TrimRight(file[e.Value:e.End], part10.ValuePadding))
		}
	}
	return ""
}

// TestMap: values, places and references are the volume's, and unit and meaning are coded.
func TestMap(t *testing.T) {
	m, values := exampleMap(t)
	file := write(t, m, values, nil)
	for i, want := range slices.Concat(values...) {
		at := len(file) - 4*12 + 4*i
		if got := math.Float32frombits(binary.LittleEndian.Uint32(file[at:])); got != want {
			t.Errorf("value %d is %g, not %g", i, got, want)
		}
	}
	const per = part10.TagPerFrameFunctionalGroupsSequence
	frames := items(t, file, per)
	if len(frames) != 2 {
		t.Fatalf("%d frames", len(frames))
	}
	for z, want := range []string{`1\2\3`, `1\2\5.5`} {
		for _, e := range frames[z].Elements {
			if e.Tag != part10.TagPlanePositionSequence {
				continue
			}
			if got := string(file[e.Start:e.End]); !bytes.Contains([]byte(got), []byte(want)) {
				t.Errorf("frame %d is at %q, not %s", z, got, want)
			}
		}
	}
	images := items(t, file, per, part10.TagDerivationImageSequence, part10.TagSourceImageSequence)
	if len(images) != 2 || text(file, images[0], part10.TagReferencedSOPInstanceUID) != "1.2.4.1" || text(file, images[0], part10.TagReferencedFrameNumber) != "1" || text(file, images[1], part10.TagReferencedSOPInstanceUID) != "1.2.3.1" {
		t.Errorf("%d images of the first frame", len(images))
	}
	const shared = part10.TagSharedFunctionalGroupsSequence
	unit := items(t, file, shared, part10.TagRealWorldValueMappingSequence, part10.TagMeasurementUnitsCodeSequence)[0]
	what := items(t, file, shared, part10.TagRealWorldValueMappingSequence, part10.TagQuantityDefinitionSequence, part10.TagConceptCodeSequence)[0]
	if text(file, unit, part10.TagCodeValue) != "[hnsf'U]" || text(file, what, part10.TagCodeValue) != "112031" {
		t.Errorf("unit %q of %q", text(file, unit, part10.TagCodeValue), text(file, what, part10.TagCodeValue))
	}
	if spacing := text(file, items(t, file, shared, part10.TagPixelMeasuresSequence)[0], part10.TagPixelSpacing); spacing != `0.75\0.5` {
		t.Errorf("spacing %s", spacing)
	}
	series := items(t, file, part10.TagReferencedSeriesSequence)
	if len(series) != 2 || text(file, series[0], part10.TagSeriesInstanceUID) != "1.2.4" || len(items(t, file, part10.TagReferencedSeriesSequence, part10.TagReferencedInstanceSequence)) != 1 {
		t.Errorf("%d series", len(series))
	}
}

// TestPadding: voxels without a value hold the padding that the map states.
func TestPadding(t *testing.T) {
	m, values := exampleMap(t)
	m.Masked = true
	file := write(t, m, values, []bool{true, false, true, true, true, true})
	if got := math.Float32frombits(binary.LittleEndian.Uint32(file[len(file)-4*11:])); got != parametric.Padding {
		t.Errorf("a voxel without a value holds %g", got)
	}
	if got := dicomtest.ElementBytes(t, file)[part10.TagFloatPixelPaddingValue]; len(got) != 12 || math.Float32frombits(binary.LittleEndian.Uint32(got[8:])) != parametric.Padding {
		t.Errorf("padding % x", got)
	}
	if values[0][1] != -2 {
		t.Error("the values were changed")
	}
}

// TestUIDs: they follow from the result, the quantity and the values, and not from the date.
func TestUIDs(t *testing.T) {
	m, _ := exampleMap(t)
	again, other, sigma := m, m, m
	again.Now, other.Sum, sigma.Quantity = again.Now.Add(time.Hour), []byte("other"), parametric.Sigma
	if m.UID() != again.UID() || m.UID() == other.UID() || m.SeriesUID() != other.SeriesUID() || m.UID() == sigma.UID() || m.SeriesUID() == sigma.SeriesUID() {
		t.Error("UIDs do not tell maps apart")
	}
}

func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*parametric.Map){
		"places": func(m *parametric.Map) { m.Positions = m.Positions[:1] },
		"images": func(m *parametric.Map) { m.Result.Slices = nil },
		"source": func(m *parametric.Map) { m.Source.Slices = m.Source.Slices[:1] },
		"wide":   func(m *parametric.Map) { m.Grid.Dims[0] = 1 << 16 },
		"large":  func(m *parametric.Map) { m.Grid.Dims = [3]int{1 << 15, 1 << 15, 2} },
	} {
		m, values := exampleMap(t)
		change(&m)
		var b bytes.Buffer
		if err := m.Write(&b, func(z int) ([]float32, []bool, error) { return values[z], nil, nil }); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, b.Len())
		}
	}
	m, _ := exampleMap(t)
	if err := m.Write(&bytes.Buffer{}, func(int) ([]float32, []bool, error) { return make([]float32, 5), nil, nil }); err == nil {
		t.Error("5 values for 6 voxels")
	}
}

func TestUnits(t *testing.T) {
	for unit, want := range map[string]string{"HU": "[hnsf'U]", "BQML": "Bq/ml", "GML": "g/ml", "": "1"} {
		if got := object.UnitOf(unit); got.Value != want || got.Scheme != "UCUM" {
			t.Errorf("%q: %v", unit, got)
		}
	}
}
