package dicom

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/volume"
)

// seriesOf returns slices at the heights z; change may alter the i-th.
func seriesOf(z []float64, change func(i int, f *fake)) map[string]*fake {
	out := map[string]*fake{}
	for i, at := range z {
		f := newFake(fmt.Sprint(i), at, 100*i).with(tagInstanceNumber, fmt.Sprint(i+1))
		if change != nil {
			change(i, f)
		}
		out[fmt.Sprintf("%03d", i)] = f
	}
	return out
}

// heights returns n heights from a first one on, step mm apart.
func heights(n int, first, step float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = first + step*float64(i)
	}
	return out
}

// TestVolumesShiftedIntoEachOther has two volumes in a series whose slices never
// meet: no position is doubled, and they are two all the same.
func TestVolumesShiftedIntoEachOther(t *testing.T) {
	second := func(tag tagID, values ...string) func(int, *fake) {
		return func(i int, f *fake) { f.with(tag, values[i/6]) }
	}
	for name, c := range map[string]struct {
		shift  float64
		change func(int, *fake)
		parts  []string
	}{
		"acquisitions":      {0.4, second(tagAcquisitionNumber, "1", "2"), []string{"acquisition 1", "acquisition 2"}},
		"echoes, 0.02 mm":   {0.02, second(tagEchoNumbers, "1", "2"), []string{"echo 1", "echo 2"}},
		"kernels":           {0.4, second(tagConvolutionKernel, "SOFT", "BONE"), []string{"kernel SOFT", "kernel BONE"}},
		"kernels, half way": {1.25, second(tagConvolutionKernel, "SOFT", "BONE"), []string{"kernel SOFT", "kernel BONE"}},
		"voltages":          {0, second(tagKVP, "140", "80"), []string{"tube voltage 80", "tube voltage 140"}},
		// Odd and even slices of one volume, as they were acquired in two passes.
		"passes": {1.25, second(tagAcquisitionNumber, "1", "2"), []string{""}},
	} {
		c0 := scan(t, filesOf(seriesOf(append(heights(6, 0, 2.5), heights(6, c.shift, 2.5)...), c.change)))
		var parts []string
		for _, e := range c0.Entries {
			parts = append(parts, e.Part)
			for _, f := range e.Findings {
				if f.Kind != "volumes" {
					t.Errorf("%s, %q: %v", name, e.Part, f)
				}
			}
			if want := 12 / len(c.parts); e.Slices != want {
				t.Errorf("%s, %q: %d slices, want %d", name, e.Part, e.Slices, want)
			}
		}
		if !slices.Equal(parts, c.parts) {
			t.Errorf("%s: parts %q, want %q", name, parts, c.parts)
		}
	}
}

// TestKernelsBehindEachOther keeps slices of two kernels in one volume where they
// follow each other, and advises against a filter across them.
func TestKernelsBehindEachOther(t *testing.T) {
	c := scan(t, filesOf(seriesOf(heights(8, 0, 2), func(i int, f *fake) { f.with(tagConvolutionKernel, []string{"SOFT", "BONE"}[i/4]) })))
	if len(c.Entries) != 1 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	if f := finding(t, c.Entries[0].Findings, "mixed"); !f.Slicewise || f.Text != "The slices differ in kernel (BONE, SOFT). Filter slice by slice (2-D)." {
		t.Errorf("%v", f)
	}
}

// TestOneUIDForAllSlices has a writer that gives every slice the same SOP Instance
// UID: they are different images, and none is dropped.
func TestOneUIDForAllSlices(t *testing.T) {
	c := scan(t, filesOf(seriesOf(heights(5, 0, 2), func(_ int, f *fake) { f.with(tagSOPInstanceUID, "1.2.3.4") })))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 5 {
		t.Fatalf("entries %+v", c.Entries)
	}
	if f := finding(t, c.Entries[0].Findings, "identity"); f.Severity != volume.Warning || len(f.Files) != 4 {
		t.Errorf("%v", f)
	}
}

// TestSeriesOfTwoStudies has one series UID in two studies, as copies with another
// patient's name have.
func TestSeriesOfTwoStudies(t *testing.T) {
	c := scan(t, filesOf(seriesOf(append(heights(3, 0, 2), heights(4, 100, 2)...), func(i int, f *fake) {
		f.with(tagStudyInstanceUID, []string{"1.2.3.1", "1.2.3.8"}[min(i/3, 1)])
	})))
	if len(c.Entries) != 2 || c.Entries[0].Slices+c.Entries[1].Slices != 7 {
		t.Fatalf("entries %+v", c.Entries)
	}
	for _, e := range c.Entries {
		finding(t, e.Findings, "study")
		if want := fmt.Sprintf("study %d of 2", e.Slices-2); e.Part != want || len(e.Findings) != 1 {
			t.Errorf("part %q, want %q; findings %v", e.Part, want, e.Findings)
		}
	}
}

// TestStacks keeps slabs that a file names apart, though they have one direction
// and no position is doubled.
func TestStacks(t *testing.T) {
	var frames []fakeFrame
	for i := range 6 {
		frames = append(frames, fakeFrame{z: float64(2*i + 50*(i/3)), bValue: -1, stack: fmt.Sprint(1 + i/3)})
	}
	c := scan(t, filesOf(map[string]*fake{"x": newEnhanced(explicitLE, false, frames...)}))
	if len(c.Entries) != 2 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	for i, e := range c.Entries {
		if e.Part != fmt.Sprintf("stack %d", i+1) || e.Slices != 3 || e.Geometry.Spacing[2] != 2 {
			t.Errorf("entry %d: part %q, %d slices, spacing %v", i, e.Part, e.Slices, e.Geometry.Spacing)
		}
		if got, want := load(t, c, i).Volume.Data[0], float32(300*i); got != want {
			t.Errorf("entry %d begins with %g, want %g", i, got, want)
		}
	}
}

// TestStations has two images of a body at every height, side by side, whose
// instance numbers tell nothing.
func TestStations(t *testing.T) {
	c := scan(t, filesOf(seriesOf(slices.Repeat(heights(4, 0, 5), 2), func(i int, f *fake) {
		f.with(tagImagePositionPatient, fmt.Sprintf(`0\%d\%d`, 300*(i/4), 5*(i%4))).with(tagInstanceNumber, fmt.Sprint(i%3))
	})))
	if len(c.Entries) != 2 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	for i, e := range c.Entries {
		if e.Part != fmt.Sprintf("station %d", i+1) || e.Slices != 4 || e.Geometry.Affine.Column(3) != (volume.Vec{0, 300 * float64(i), 0}) {
			t.Errorf("entry %d: %q, %d slices at %v", i, e.Part, e.Slices, e.Geometry.Affine.Column(3))
		}
	}
}

// TestBrokenOffVolume has one slice left of a first echo: it must not stand among
// those of the second.
func TestBrokenOffVolume(t *testing.T) {
	c := scan(t, filesOf(seriesOf(append([]float64{4}, heights(6, 0, 2)...), func(i int, f *fake) {
		f.with(tagEchoNumbers, fmt.Sprint(min(i+1, 2)))
	})))
	if e := c.Entries[c.Default]; len(c.Entries) != 2 || e.Part != "echo 2" || e.Slices != 6 {
		t.Fatalf("entries %+v", c.Entries)
	}
	if got := load(t, c, c.Default).Volume.Plane(2)[0]; got != 2*300-1000 {
		t.Errorf("the slice at 4 mm begins with %g, not with that of echo 2", got)
	}
}

// TestMagnitudeComesFirst: who does not choose gets the magnitude, whatever the
// order of the names.
func TestMagnitudeComesFirst(t *testing.T) {
	c := scan(t, filesOf(seriesOf(slices.Repeat(heights(3, 0, 2), 3), func(i int, f *fake) {
		f.with(tagImageType, `ORIGINAL\PRIMARY\`+[]string{`I_FFE\I`, `P_FFE\P`, `M_FFE\M`}[i/3]+`\FFE`)
	})))
	var parts []string
	for _, e := range c.Entries {
		parts = append(parts, e.Part)
	}
	if want := []string{`image type M_FFE\M`, `image type I_FFE\I`, `image type P_FFE\P`}; !slices.Equal(parts, want) || c.Default != 0 {
		t.Errorf("parts %q, default %d", parts, c.Default)
	}
}

// TestSpacingFindings tells rounded positions, a change of spacing and gaps from
// each other, and says which of them are to be filtered slice by slice.
func TestSpacingFindings(t *testing.T) {
	rounded := heights(20, 0, 0.625)
	for i, z := range rounded {
		rounded[i] = math.Round(10*z) / 10
	}
	for name, c := range map[string]struct {
		z         []float64
		kind      string
		severity  volume.Severity
		slicewise bool
		text      string
	}{
		"rounded to 0.1 mm":  {rounded, "spacing", volume.Note, false, "up to 0.05 mm off an even spacing of 0.63 mm"},
		"5 mm, then 10 mm":   {append(heights(8, 0, 5), heights(8, 45, 10)...), "spacing", volume.Warning, true, "from 5.00 to 10.00 mm"},
		"two slices missing": {append(heights(8, 0, 5), heights(8, 50, 5)...), "gap", volume.Warning, true, "2 slices are missing"},
	} {
		e := scan(t, filesOf(seriesOf(c.z, nil))).Entries[0]
		f := finding(t, e.Findings, c.kind)
		if f.Severity != c.severity || f.Slicewise != c.slicewise || !strings.Contains(f.Text, c.text) || len(e.Findings) != 1 {
			t.Errorf("%s: %v", name, e.Findings)
		}
	}
}

// TestFineSlices reads slices of a microscope: 0.008 mm apart they are not one.
func TestFineSlices(t *testing.T) {
	c := scan(t, filesOf(seriesOf(heights(4, 0, 0.008), func(_ int, f *fake) { f.with(tagPixelSpacing, `0.008\0.008`) })))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 4 || math.Abs(c.Entries[0].Geometry.Spacing[2]-0.008) > 1e-9 {
		t.Errorf("entries %+v", c.Entries)
	}
}

// TestPlaneFallbacks takes the spacing of a scanned film, and directions that are
// not of unit length.
func TestPlaneFallbacks(t *testing.T) {
	c := scan(t, filesOf(seriesOf(heights(3, 0, 2), func(_ int, f *fake) {
		f.with(tagPixelSpacing, nil).with(tagNominalScannedPixelSpacing, `0.4\0.3`).with(tagImageOrientationPatient, `0\2\0\0\0\-2`).
			with(tagImagePositionPatient, strings.Join([]string{strings.Split(f.values[tagImagePositionPatient].(string), `\`)[2], "0", "0"}, `\`))
	})))
	want := volume.Affine{{0, 0, -2, 4}, {0.3, 0, 0, 0}, {0, -0.4, 0, 0}}
	if e := c.Entries[0]; len(c.Entries) != 1 || e.Geometry.Affine != want || len(e.Findings) != 0 {
		t.Errorf("entry %+v", e)
	}
}

// TestPixelsWithoutSpacing keeps the shape of pixels whose size is not given.
func TestPixelsWithoutSpacing(t *testing.T) {
	e := scan(t, filesOf(seriesOf(heights(2, 0, 3), func(_ int, f *fake) { f.with(tagPixelSpacing, nil).with(tagPixelAspectRatio, `6\5`) }))).Entries[0]
	if e.Geometry.Spacing != [3]float64{1, 1.2, 3} {
		t.Errorf("spacing %v", e.Geometry.Spacing)
	}
	finding(t, e.Findings, "spacing")
}

// TestTurnedSlices lists the steps of a turning projection once.
func TestTurnedSlices(t *testing.T) {
	c := scan(t, filesOf(seriesOf(heights(6, 0, 0), func(i int, f *fake) {
		sin, cos := math.Sincos(0.3 * float64(i))
		f.with(tagImageOrientationPatient, fmt.Sprintf(`%.6f\%.6f\0\0\0\-1`, cos, sin)).with(tagInstanceNumber, fmt.Sprint(9-i))
	})))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 6 {
		t.Fatalf("entries %+v", c.Entries)
	}
	if f := finding(t, c.Entries[0].Findings, "orientation"); f.Severity != volume.Warning || !f.Slicewise {
		t.Errorf("%v", f)
	}
	if got := load(t, c, 0).Volume.Data[0]; got != 2*500-1000 {
		t.Errorf("the first slice begins with %g, not with that of instance 4", got)
	}
}

// TestWhatOneVolumeMixes reports slices of two frames of reference, values that a
// table would translate, and slices whose values mean the opposite of others'.
func TestWhatOneVolumeMixes(t *testing.T) {
	e := scan(t, filesOf(seriesOf(heights(4, 0, 2), func(i int, f *fake) {
		f.with(tagFrameOfReferenceUID, fmt.Sprintf("1.2.3.%d", i/2)).
			with(tagModalityLUTSequence, rawElement(appendSequence(nil, explicitLE, tagModalityLUTSequence))).
			with(tagPhotometricInterpretation, fmt.Sprintf("MONOCHROME%d", 1+i%2))
	}))).Entries[0]
	for _, kind := range []string{"frame-of-reference", "modality-lut", "mixed"} {
		if f := finding(t, e.Findings, kind); f.Severity != volume.Warning {
			t.Errorf("%v", f)
		}
	}
	if e.Slices != 4 {
		t.Errorf("%d slices", e.Slices)
	}
}

// TestPaddingBeyondStoredBits masks padding that twelve bits cannot hold, and
// leaves data alone whose twelve bits are the same.
func TestPaddingBeyondStoredBits(t *testing.T) {
	f := newFake("1", 0, 0).with(tagBitsStored, 12).with(tagHighBit, 11).with(tagPixelRepresentation, 0).with(tagPixelPaddingValue, 0xF830)
	for i, v := range []uint16{0xF830, 0x0830} {
		binary.LittleEndian.PutUint16(f.pixels[10*i:], v)
	}
	v := load(t, scan(t, filesOf(map[string]*fake{"x": f})), 0).Volume
	if v.Mask == nil || v.Mask[0] || slices.Contains(v.Mask[1:], false) {
		t.Errorf("mask %v", v.Mask)
	}
	if v.Data[5] != 2*0x830-1000 {
		t.Errorf("a value beside: %g", v.Data[5])
	}
}

// TestManyVolumes lists the thousands of volumes of a long time series, and refuses
// thousands of planes, in a time that does not grow with their square.
func TestManyVolumes(t *testing.T) {
	slicesAt := func(n int, angle func(i int) float64) (hs []*header) {
		for i := range n {
			sin, cos := math.Sincos(angle(i))
			h := &header{name: "x", frame: i, placed: true, row: volume.Vec{cos, sin}, col: volume.Vec{0, 0, 1}, spacing: [2]float64{1, 1}}
			h.format.rows, h.format.cols = 4, 4
			h.position = h.normal().Scale(float64(i % 2))
			h.splits[slices.IndexFunc(splitters[:], func(s splitter) bool { return s.name == "temporal position" })] = fmt.Sprint(i / 2)
			hs = append(hs, h)
		}
		return hs
	}
	const n = 20000
	entries := formEntries(slicesAt(n, func(int) float64 { return 0 }))
	if len(entries) != n/2 || entries[n/2-1].Part != "temporal position 9999" {
		t.Fatalf("%d entries", len(entries))
	}
	want := "The series holds 10000 volumes of this grid; this is one, the others are: temporal position 0; temporal position 1; temporal position 3; temporal position 4; and 9995 more; each is filtered by itself."
	if f := finding(t, entries[2].Findings, "volumes"); f.Text != want {
		t.Errorf("%q", f.Text)
	}
	entries = formEntries(slicesAt(n, func(i int) float64 { return 2.5e-3 * float64(i/2) / math.Pi * 2 }))
	if len(entries) != 1 || entries[0].Err == nil {
		t.Fatalf("%d entries, %v", len(entries), entries[0].Err)
	}
	wantError(t, entries[0].Err, "lie in more than 1000 planes")
}
