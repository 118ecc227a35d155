package output

import (
	"os"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/series"
	"quell/volume"
)

func TestOutputSize(t *testing.T) {
	dir := t.TempDir()
	nii, src := filepath.Join(dir, "in.nii"), filepath.Join(dir, "src")
	apptest.PutNii(t, nii, 8, 7, 6)
	apptest.PutDICOM(t, src, 8, 7, 6)
	image, slices := opentest.Reopen(t, nii), opentest.Reopen(t, src)
	file, err := os.Stat(filepath.Join(src, "IM00001.dcm"))
	if err != nil {
		t.Fatal(err)
	}
	frames := *slices // of one file
	frames.Sources = append([]series.Source{}, slices.Sources...)
	for z := range frames.Sources {
		frames.Sources[z].Name, frames.Sources[z].Frame = "IM00001.dcm", z
	}
	whole, part := image.Volume.Bounds(), volume.Slices(image.Volume.Geometry, 2, 4)
	for _, c := range []struct {
		s      *series.Series
		region volume.Region
		out    string
		o      job.Options
		want   int64
	}{
		{image, whole, "out.nii", job.Options{}, 8 * 7 * 6 * 4},
		{image, part, "out.hdr", job.Options{Dtype: "int16"}, 8 * 7 * 2 * 2},
		{image, whole, "out.nii.gz", job.Options{}, 0},
		{image, whole, "out", job.Options{}, 8 * 7 * 6 * 2},
		{slices, part, "out", job.Options{}, 2 * file.Size()},
		{&frames, whole, "out", job.Options{}, file.Size()},
		{slices, whole, "out", job.Options{Compress: job.DefaultCompression}, 0},
	} {
		if got := outputSize(c.s, c.region, c.out, c.o); got != c.want {
			t.Errorf("%s to %s %+v: %d bytes, want %d", c.s.Format, c.out, c.o, got, c.want)
		}
	}
}
