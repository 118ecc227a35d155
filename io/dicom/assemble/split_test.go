package assemble_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"quell/io/dicom/assemble"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// TestSplits splits one series into its volumes by each of the attributes.
func TestSplits(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(i int, f *dicomtest.Fake)
		entries int
		slices  int // of the default entry
		part    string
		kind    series.Kind
	}{
		"echoes":  {func(i int, f *dicomtest.Fake) { f.With(part10.TagEchoNumbers, fmt.Sprint(i+1)) }, 2, 4, "echo 1", "volumes"},
		"times":   {func(i int, f *dicomtest.Fake) { f.With(part10.TagTemporalPositionIdentifier, fmt.Sprint(i)) }, 2, 4, "temporal position 0", "volumes"},
		"repeats": {func(i int, f *dicomtest.Fake) { f.With(part10.TagInstanceNumber, fmt.Sprint(i)) }, 2, 4, "repeat 1 of 2", "volumes"},
		"phase":   {func(i int, f *dicomtest.Fake) { f.With(part10.TagImageType, `ORIGINAL\PRIMARY\`+"MP"[i:i+1]) }, 2, 4, "image type M", "volumes"},
		"localizer": {func(i int, f *dicomtest.Fake) {
			f.With(part10.TagImageType, `ORIGINAL\PRIMARY\`+[]string{"AXIAL", "LOCALIZER"}[i])
		}, 2, 4, "axial 4 x 3", "localizer"},
		"planes": {func(i int, f *dicomtest.Fake) {
			if i == 1 {
				f.With(part10.TagImageOrientationPatient, `0\1\0\0\0\-1`)
			}
		}, 2, 4, "axial 4 x 3", "orientation"},
		"spacings": {func(i int, f *dicomtest.Fake) { f.With(part10.TagPixelSpacing, []string{`1\1`, `2\2`}[i]) }, 2, 4, "axial 4 x 3, pixels of 1 x 1 mm", "size"},
	} {
		fakes := map[string]*dicomtest.Fake{}
		for z := range 4 {
			for i := range 2 {
				f := dicomtest.NewFake(fmt.Sprint(z, ".", i), float64(z), 0).With(part10.TagImagePositionPatient, fmt.Sprintf(`%d\0\%d`, z, z))
				f.With(part10.TagSOPInstanceUID, fmt.Sprintf("1.2.3.%d.%d", z, i))
				c.change(i, f)
				fakes[fmt.Sprint(z, i)] = f
			}
		}
		cat := dicomtest.Scan(t, dicomtest.FilesOf(fakes))
		if len(cat.Entries) != c.entries {
			t.Errorf("%s: %d entries, want %d", name, len(cat.Entries), c.entries)
			continue
		}
		e := cat.Entries[cat.Default]
		if e.Slices != c.slices || e.Part != c.part {
			t.Errorf("%s: default has %d slices, part %q", name, e.Slices, e.Part)
		}
		dicomtest.Finding(t, e.Findings, c.kind)
		total := 0
		for _, e := range cat.Entries {
			total += e.Slices
		}
		if total != len(fakes) {
			t.Errorf("%s: %d of %d files are in an entry", name, total, len(fakes))
		}
	}
}

// seriesOf returns slices at the heights z; change may alter the i-th.
func seriesOf(z []float64, change func(i int, f *dicomtest.Fake)) map[string]*dicomtest.Fake {
	out := map[string]*dicomtest.Fake{}
	for i, at := range z {
		f := dicomtest.NewFake(fmt.Sprint(i), at, 100*i).With(part10.TagInstanceNumber, fmt.Sprint(i+1))
		if change != nil {
			change(i, f)
		}
		out[fmt.Sprintf("%03d", i)] = f
	}
	return out
}

// TestInterleavedVolumes has two volumes in a series with slices that lie between each
// other.
func TestInterleavedVolumes(t *testing.T) {
	second := func(tag part10.Tag, values ...string) func(int, *dicomtest.Fake) {
		return func(i int, f *dicomtest.Fake) { f.With(tag, values[i/6]) }
	}
	for name, c := range map[string]struct {
		shift  float64
		change func(int, *dicomtest.Fake)
		parts  []string
	}{
		"acquisitions":      {0.4, second(part10.TagAcquisitionNumber, "1", "2"), []string{"acquisition 1", "acquisition 2"}},
		"echoes, 0.02 mm":   {0.02, second(part10.TagEchoNumbers, "1", "2"), []string{"echo 1", "echo 2"}},
		"kernels":           {0.4, second(part10.TagConvolutionKernel, "SOFT", "BONE"), []string{"kernel SOFT", "kernel BONE"}},
		"kernels, half way": {1.25, second(part10.TagConvolutionKernel, "SOFT", "BONE"), []string{"kernel SOFT", "kernel BONE"}},
		"voltages":          {0, second(part10.TagKVP, "140", "80"), []string{"tube voltage 80", "tube voltage 140"}},
		// Odd and even slices of one volume, as they were acquired in two passes.
		"passes": {1.25, second(part10.TagAcquisitionNumber, "1", "2"), []string{""}},
	} {
		c0 := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(append(heights(6, 0, 2.5), heights(6, c.shift, 2.5)...), c.change)))
		var parts []string
		for _, e := range c0.Entries {
			parts = append(parts, e.Part)
			for _, f := range e.Findings {
				if f.Kind != series.Volumes && (f.Kind != series.Moved || c.shift != 0.02) {
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

// TestConsecutiveKernels keeps slices of two kernels in one volume if they follow each other, and advises against
// a filter across them.
func TestConsecutiveKernels(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(heights(8, 0, 2), func(i int, f *dicomtest.Fake) { f.With(part10.TagConvolutionKernel, []string{"SOFT", "BONE"}[i/4]) })))
	if len(c.Entries) != 1 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	if f := dicomtest.Finding(t, c.Entries[0].Findings, "mixed"); !f.Slicewise || f.Text.String() != "The slices differ in kernel (BONE, SOFT). Filter slice by slice (2-D)." {
		t.Errorf("%v", f)
	}
}

// TestStacks keeps stacks that a file names apart, although they have one direction and no position is
// duplicated.
func TestStacks(t *testing.T) {
	var frames []dicomtest.FakeFrame
	for i := range 6 {
		frames = append(frames, dicomtest.FakeFrame{Z: float64(2*i + 50*(i/3)), BValue: -1, Stack: fmt.Sprint(1 + i/3)})
	}
	c := dicomtest.Scan(t, dicomtest.FilesOf(map[string]*dicomtest.Fake{"x": dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...)}))
	if len(c.Entries) != 2 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	for i, e := range c.Entries {
		if e.Part != fmt.Sprintf("stack %d", i+1) || e.Slices != 3 || e.Geometry.Spacing[2] != 2 {
			t.Errorf("entry %d: part %q, %d slices, spacing %v", i, e.Part, e.Slices, e.Geometry.Spacing)
		}
		if got, want := dicomtest.Load(t, c, i).Volume.Data[0], float32(300*i); got != want {
			t.Errorf("entry %d begins with %g, want %g", i, got, want)
		}
	}
}

// TestStations has two images of a body at every height, side by side, without useful instance numbers.
func TestStations(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(slices.Repeat(heights(4, 0, 5), 2), func(i int, f *dicomtest.Fake) {
		f.With(part10.TagImagePositionPatient, fmt.Sprintf(`0\%d\%d`, 300*(i/4), 5*(i%4))).With(part10.TagInstanceNumber, fmt.Sprint(i%3))
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

// TestAbortedVolume has one slice of an aborted first echo: it is not mixed with slices of the
// second.
func TestAbortedVolume(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(append([]float64{4}, heights(6, 0, 2)...), func(i int, f *dicomtest.Fake) {
		f.With(part10.TagEchoNumbers, fmt.Sprint(min(i+1, 2)))
	})))
	if e := c.Entries[c.Default]; len(c.Entries) != 2 || e.Part != "echo 2" || e.Slices != 6 {
		t.Fatalf("entries %+v", c.Entries)
	}
	if got := dicomtest.Load(t, c, c.Default).Volume.Plane(2)[0]; got != 2*300-1000 {
		t.Errorf("the slice at 4 mm begins with %g, not with that of echo 2", got)
	}
}

// TestMagnitudeComesFirst makes the magnitude the default, whatever the order of files.
func TestMagnitudeComesFirst(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(slices.Repeat(heights(3, 0, 2), 3), func(i int, f *dicomtest.Fake) {
		f.With(part10.TagImageType, `ORIGINAL\PRIMARY\`+[]string{`I_FFE\I`, `P_FFE\P`, `M_FFE\M`}[i/3]+`\FFE`)
	})))
	var parts []string
	for _, e := range c.Entries {
		parts = append(parts, e.Part)
	}
	if want := []string{`image type M_FFE\M`, `image type I_FFE\I`, `image type P_FFE\P`}; !slices.Equal(parts, want) || c.Default != 0 {
		t.Errorf("parts %q, default %d", parts, c.Default)
	}
}

// TestManyVolumes forms thousands of volumes of a long time series, and refuses thousands of planes, in
// time that does not grow with their square.
func TestManyVolumes(t *testing.T) {
	slicesAt := func(n int, angle func(i int) float64) (images []*instance.Slice) {
		for i := range n {
			sin, cos := math.Sincos(angle(i))
			image := &instance.Slice{Instance: &instance.Instance{Name: "x"}, Frame: i, Placed: true, Row: volume.Vec{cos, sin}, Column: volume.Vec{0, 0, 1}, Spacing: [2]float64{1, 1}}
			image.Format.Rows, image.Format.Cols = 4, 4
			image.Position = image.Normal().Scale(float64(i % 2))
			image.Distinctions[slices.IndexFunc(instance.Distinctions[:], func(s instance.Distinction) bool { return s.Name == "temporal position" })] = fmt.Sprint(i / 2)
			images = append(images, image)
		}
		return images
	}
	const n = 20000
	entries := assemble.Entries(slicesAt(n, func(int) float64 { return 0 }))
	if len(entries) != n/2 || entries[n/2-1].Part != "temporal position 9999" {
		t.Fatalf("%d entries", len(entries))
	}
	want := "The series contains 10000 volumes of this size and direction; this is one, the others are: temporal position 0; temporal position 1; temporal position 3; temporal position 4; and 9995 more; each is filtered separately."
	if f := dicomtest.Finding(t, entries[2].Findings, "volumes"); f.Text.String() != want {
		t.Errorf("%q", f.Text)
	}
	entries = assemble.Entries(slicesAt(n, func(i int) float64 { return 2.5e-3 * float64(i/2) / math.Pi * 2 }))
	if len(entries) != 1 || entries[0].Err == nil {
		t.Fatalf("%d entries, %v", len(entries), entries[0].Err)
	}
	dicomtest.WantError(t, entries[0].Err, "lie in more than 1000 planes")
}
