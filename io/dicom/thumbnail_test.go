package dicom_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"quell/assets"
	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/volume"
)

// TestThumbnail paints the middle slice through the series' window, in the
// proportions that it has in space: 4 x 3 pixels of 0.5 x 0.75 mm.
func TestThumbnail(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]*dicom.Catalog{
		"files":  dicomtest.Scan(t, dicomtest.FilesOf(dicomtest.Stack(3))),
		"frames": dicomtest.Scan(t, dicomtest.OneFile(dicomtest.NewEnhanced(part10.ExplicitBE, true, dicomtest.ThreeFrames...))),
		"mosaic": dicomtest.Scan(t, dicomtest.OneFile(dicomtest.NewMosaic(2, `0\0\1`))),
	} {
		s := dicomtest.Load(t, c, 0)
		m, err := c.Thumbnail(ctx, 0, 9)
		if err != nil {
			t.Fatal(err)
		}
		if m.Rect.Dx() != 8 || m.Rect.Dy() != 9 {
			t.Errorf("%s: %v", name, m.Rect)
		}
		plane := s.Volume.Plane(s.Volume.Dims[2] / 2)
		lo, hi := s.Windows[0].Ends()
		for _, at := range [][3]int{{0, 0, 0}, {7, 8, 11}, {3, 4, 5}} {
			want := min(max((float64(plane[at[2]])-lo)/(hi-lo)*255, 0), 255)
			if got := float64(m.GrayAt(at[0], at[1]).Y); got < want-1 || got > want+1 {
				t.Errorf("%s: pixel %v is %g, want %g", name, at, got, want)
			}
		}
	}
	inverted := dicomtest.NewFake("1", 0, 520).With(part10.TagPhotometricInterpretation, "MONOCHROME1")
	m, err := dicomtest.Scan(t, fstest.MapFS{"a": {Data: inverted.File()}}).Thumbnail(ctx, 0, 16)
	if err != nil || m.GrayAt(0, 0).Y <= m.GrayAt(13, 13).Y {
		t.Errorf("MONOCHROME1 is not inverted: %v, %v", m, err)
	}
}

func TestThumbnailErrors(t *testing.T) {
	ctx := context.Background()
	files := dicomtest.FilesOf(dicomtest.Stack(3))
	c := dicomtest.Scan(t, files)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Thumbnail(cancelled, 0, 64); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, at := range [][2]int{{1, 64}, {-1, 64}, {0, 0}} {
		_, err := c.Thumbnail(ctx, at[0], at[1])
		dicomtest.WantError(t, err, fmt.Sprintf("thumbnail of %d pixels of entry %d of 1", at[1], at[0]))
	}
	if m, err := c.Thumbnail(ctx, 0, 1); err != nil || m.Rect.Dx() != 1 || m.Rect.Dy() != 1 {
		t.Errorf("one pixel: %v, %v", m, err)
	}
	colour := dicomtest.Scan(t, fstest.MapFS{"a": {Data: dicomtest.NewFake("1", 0, 0).With(part10.TagSamplesPerPixel, 3).File()}})
	_, err := colour.Thumbnail(ctx, 0, 64)
	dicomtest.WantError(t, err, "colour image")
	compressed := dicomtest.Scan(t, fstest.MapFS{"m.dcm": {Data: dicomtest.Encapsulate(dicomtest.NewFake("1", 0, 0), part10.UIDRLE, nil, make([]byte, 80))}})
	_, err = compressed.Thumbnail(ctx, 0, 64)
	dicomtest.WantError(t, err, "m.dcm: ", "RLE")
	delete(files, "b.dcm")
	_, err = c.Thumbnail(ctx, 0, 64)
	dicomtest.WantError(t, err, "b.dcm: it cannot be opened")
}

// TestThumbnailOfTheMiddle shows the third of five slices and the third of four.
func TestThumbnailOfTheMiddle(t *testing.T) {
	for _, n := range []int{1, 4, 5} {
		fakes := dicomtest.Stack(n)
		for _, f := range fakes { // values of 100 z and on are 200 z - 1000
			f.With(part10.TagWindowCenter, "0").With(part10.TagWindowWidth, "2000").With(part10.TagWindowCenterWidthExplanation, nil)
		}
		c := dicomtest.Scan(t, dicomtest.FilesOf(fakes))
		m, err := c.Thumbnail(t.Context(), 0, 9)
		if err != nil {
			t.Fatal(err)
		}
		want := (200*float64(n/2) - 1000 + 1000) / 2000 * 255
		if got := float64(m.GrayAt(0, 0).Y); got < want-1 || got > want+1 {
			t.Errorf("of %d: %g, want %g", n, got, want)
		}
	}
}

// TestShrink averages the voxels under each pixel: all of them, and at least one.
func TestShrink(t *testing.T) {
	row := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(i)
		}
		return v
	}
	for _, c := range []struct {
		name       string
		cols, rows int
		x, y       float64 // spacing
		side       int
		wantCols   int
		want       []float32
	}{
		{"ten to four", 10, 1, 1, 1, 4, 4, []float32{0.5, 3, 5.5, 8}},
		{"2.6 columns are three", 8, 9, 1.3, 4, 9, 3, nil},
		{"2.4 columns are two", 8, 9, 1.2, 4, 9, 2, nil},
		{"seven to three", 1, 7, 1, 1, 3, 1, []float32{0.5, 2.5, 5}},
		{"one pixel", 1, 6, 1, 0.4, 1, 1, []float32{2.5}},
		{"at least one row", 10, 1, 1, 0.1, 5, 5, []float32{0.5, 2.5, 4.5, 6.5, 8.5}},
		{"at least one column", 1, 10, 0.1, 1, 5, 1, []float32{0.5, 2.5, 4.5, 6.5, 8.5}},
		{"enlarged", 2, 2, 1, 1, 3, 3, []float32{0, 0, 1, 0, 0, 1, 2, 2, 3}},
		{"both ways", 4, 4, 1, 1, 2, 2, []float32{2.5, 4.5, 10.5, 12.5}},
	} {
		v := volume.New(volume.NewGeometry([3]int{c.cols, c.rows, 1}, [3]float64{c.x, c.y, 1}))
		copy(v.Data, row(len(v.Data)))
		got := dicom.Shrink(v, c.side)
		if c.want == nil {
			if got.Dims != [3]int{c.wantCols, 9, 1} {
				t.Errorf("%s: %v", c.name, got.Dims)
			}
			continue
		}
		if got.Dims != [3]int{c.wantCols, len(c.want) / c.wantCols, 1} || !slices.Equal(got.Data, c.want) {
			t.Errorf("%s: %v %v, want %v", c.name, got.Dims, got.Data, c.want)
		}
	}
}

func BenchmarkThumbnail(b *testing.B) {
	c, err := dicom.Scan(context.Background(), assets.Series, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Thumbnail(context.Background(), 0, 96); err != nil {
			b.Fatal(err)
		}
	}
}
