package dicom_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/fstest"

	"quell/assets"
	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
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
