package open_test

import (
	"context"
	"errors"
	"image"
	"path/filepath"
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/app/open"
	"quell/internal/shareddata"
	"quell/series"
	"quell/volume"
)

func TestRecommended(t *testing.T) {
	entry := func(slices int, findings ...series.Finding) open.Entry {
		return open.Entry{Slices: slices, Geometry: volume.NewGeometry([3]int{4, 4, slices}, [3]float64{1, 1, 1}), Findings: findings}
	}
	gap := series.Finding{Severity: series.Warning, Kind: series.Gap}
	parts := series.Finding{Severity: series.Warning, Kind: series.Volumes}
	note := series.Finding{Severity: series.Note, Kind: series.Tilt}
	turned := series.Finding{Severity: series.Refused, Kind: series.Orientation}
	tilted := series.Finding{Severity: series.Warning, Kind: series.Orientation}
	broken := open.Entry{Err: errors.New("broken")}
	for name, c := range map[string]struct {
		catalog open.Catalog
		want    int
		why     string
	}{
		"the largest":         {open.Catalog{Entries: []open.Entry{entry(3), entry(9, note, parts, turned), entry(9)}, Default: 1}, 1, "the most voxels"},
		"the largest sound":   {open.Catalog{Entries: []open.Entry{entry(3), entry(9, gap), entry(5)}, Default: 1}, 2, "the most voxels of those without findings"},
		"another orientation": {open.Catalog{Entries: []open.Entry{entry(3), entry(9, tilted)}, Default: 1}, 0, "the most voxels of those without findings"},
		"none is sound":       {open.Catalog{Entries: []open.Entry{entry(3, gap), entry(9, gap)}, Default: 1}, 1, "the most voxels; all series have findings"},
		"one can be opened":   {open.Catalog{Entries: []open.Entry{broken, entry(9, gap)}, Default: 1}, 1, "the only one that can be opened"},
		"none can be opened":  {open.Catalog{Entries: []open.Entry{broken, broken}}, 0, ""},
	} {
		if i, why := c.catalog.Recommended(); i != c.want || why.String() != c.why {
			t.Errorf("%s: %d, %q; want %d, %q", name, i, why, c.want, c.why)
		}
	}
}

// Volumes of a 4-D file have pictures too, in the order asked for.
func TestThumbnailsOfVolumes(t *testing.T) {
	c, err := open.Scan(t.Context(), shareddata.Path(t, "nifti/nibabel/example4d.nii.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var shown []int
	c.Thumbnails(t.Context(), []int{1, 0}, 32, func(i int, m *image.Gray) {
		if size := m.Bounds().Size(); max(size.X, size.Y) != 32 {
			t.Errorf("picture %d is %v", i, size)
		}
		shown = append(shown, i)
	})
	if !slices.Equal(shown, []int{1, 0}) {
		t.Errorf("pictures of %v", shown)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Thumbnails(ctx, []int{0}, 32, func(int, *image.Gray) { t.Error("a picture after the end") })
}

// TestThumbnailsOfSeveralFiles: pictures of compressed files, which are read in one pass, are of their own file.
func TestThumbnailsOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	apptest.PutNii(t, filepath.Join(dir, "a.nii.gz"), 8, 8, 3)
	apptest.PutNii(t, filepath.Join(dir, "b.nii.gz"), 6, 12, 3)
	c, err := open.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Thumbnails(t.Context(), []int{0, 1}, 64, func(i int, m *image.Gray) {
		s, err := c.Load(t.Context(), i, nil)
		if err != nil || !slices.Equal(m.Pix, s.Thumbnail(64).Pix) {
			t.Errorf("file %d: the picture of another one of %v, %v", i, m.Bounds(), err)
		}
	})
}
