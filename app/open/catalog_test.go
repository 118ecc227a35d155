package open_test

import (
	"bytes"
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/series"
	"quell/volume"
)

// niftiSamples holds small images with what nibabel reads from them.
const niftiSamples = "../../io/nifti/testdata"

func TestComponentsAreEntries(t *testing.T) {
	c, err := open.Scan(t.Context(), filepath.Join(niftiSamples, "complex64-le.nii"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var parts []string
	for _, e := range c.Entries {
		parts = append(parts, e.Part)
	}
	want := []string{
		"magnitude, volume 1 of 2", "magnitude, volume 2 of 2", "phase, volume 1 of 2", "phase, volume 2 of 2",
		"real, volume 1 of 2", "real, volume 2 of 2", "imaginary, volume 1 of 2", "imaginary, volume 2 of 2",
	}
	if !slices.Equal(parts, want) {
		t.Errorf("parts %q", parts)
	}
	i, err := c.Pick("real")
	if err != nil || i != 4 {
		t.Errorf("the real part is entry %d, %v; want the first of its volumes, 4", i, err)
	}
	// The squares of both parts sum to the square of the magnitude.
	var sum [3]float64
	for k, i := range []int{1, 5, 7} {
		s, err := c.Load(t.Context(), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range s.Volume.Data {
			sum[k] += float64(x) * float64(x)
		}
	}
	if d := sum[0] - sum[1] - sum[2]; d < -1e-4 || d > 1e-4 {
		t.Errorf("sums of squares %v", sum)
	}
}

// If a component must be chosen, there is no default.
func TestComponentsAreNotGuessed(t *testing.T) {
	path := filepath.Join(niftiSamples, "rgb24.nii")
	_, _, err := opentest.OpenPath(t.Context(), path)
	var input *job.InputError
	if !errors.As(err, &input) || input.Path != path || !strings.Contains(err.Error(), "luminance, red, green, blue") {
		t.Errorf("error %v", err)
	}
	c, err := open.Scan(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var usage *job.UsageError
	if _, err := c.Pick("phase"); !errors.As(err, &usage) {
		t.Errorf("the phase of colours: %v", err)
	}
}

// The largest series of a folder is taken if its voxels are single numbers.
func TestScalarBesideColours(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rgb24.nii", "nibabel/functional.nii"} {
		data, err := os.ReadFile(filepath.Join(niftiSamples, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, c, err := opentest.OpenPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s.Sources[0].Name != "functional.nii" {
		t.Errorf("opened %s", s.Sources[0].Name)
	}
	if i, err := c.Pick("red"); err != nil || c.Entries[i].Component != "red" {
		t.Errorf("the red component is entry %d, %v", i, err)
	}
}

func TestEntriesThatDoNotExist(t *testing.T) {
	c, err := open.Scan(t.Context(), filepath.Join(niftiSamples, "int16-le.nii"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, i := range []int{-1, len(c.Entries)} {
		if _, err := c.Load(t.Context(), i, nil); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("entry %d: %v", i, err)
		}
		if c.Thumbnail(t.Context(), i, 64) != nil {
			t.Errorf("entry %d has a picture", i)
		}
	}
	if _, err := c.Pick("red"); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "are single numbers; leave --component out") {
		t.Errorf("a component of single numbers: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "series")
	apptest.PutDICOM(t, dir, 6, 5, 3)
	d, err := open.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Pick("red"); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "is DICOM, of which grey-scale images alone are read") {
		t.Errorf("a component of DICOM: %v", err)
	}
}

func TestThumbnails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "series")
	apptest.PutDICOM(t, dir, 60, 50, 3)
	c, err := open.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	picture := c.Thumbnail(t.Context(), 0, 30)
	if picture == nil || max(picture.Rect.Dx(), picture.Rect.Dy()) > 30 || min(picture.Rect.Dx(), picture.Rect.Dy()) < 20 {
		t.Fatalf("picture %v; want it at most 30 pixels wide and high", picture)
	}
	if slices.Min(picture.Pix) == slices.Max(picture.Pix) {
		t.Error("the picture shows nothing")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if picture := c.Thumbnail(t.Context(), 0, 30); picture != nil {
		t.Errorf("a picture of files that are gone: %v", picture.Rect)
	}
	if s, err := c.Load(t.Context(), 0, nil); s != nil || job.ExitCode(err) != job.ExitInput {
		t.Errorf("files that are gone were loaded: %v", err)
	}
}

// The middle slice of a NIfTI file is drawn alone if the file is not compressed; of a
// compressed one slices are shown while it is read.
func TestSlicesOfNIfTIWhileItIsRead(t *testing.T) {
	dir := t.TempDir()
	v := volume.New(volume.NewGeometry([3]int{20, 16, 40}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i%20 + i/320)
	}
	want := (&series.Series{Volume: v}).Thumbnail(30)
	for _, name := range []string{"head.nii", "head.nii.gz"} {
		path := filepath.Join(dir, name)
		if _, err := roomtest.Convert(t.Context(), &series.Series{Volume: v}, path, job.Options{}); err != nil {
			t.Fatal(err)
		}
		c, err := open.Scan(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		picture := c.Thumbnail(t.Context(), 0, 30)
		if name == "head.nii" && (picture == nil || !bytes.Equal(picture.Pix, want.Pix)) || name == "head.nii.gz" && picture != nil {
			t.Errorf("%s: picture %v", name, picture)
		}
		var shown []int
		s, err := c.LoadShowing(t.Context(), 0, nil, 30, func(done, total int, m *image.Gray) {
			if total != 40 || m.Rect.Size() != want.Rect.Size() || slices.Min(m.Pix) == slices.Max(m.Pix) {
				t.Errorf("%s: slice %d of %d, %v", name, done, total, m.Rect)
			}
			shown = append(shown, done)
		})
		if err != nil || s.Volume.Dims != v.Dims {
			t.Fatalf("%s: %v", name, err)
		}
		if expected := map[string][]int{"head.nii.gz": {3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39}}[name]; !slices.Equal(shown, expected) {
			t.Errorf("%s: slices %v were shown, want %v", name, shown, expected)
		}
		for _, i := range []int{-1, 1} {
			if _, err := c.LoadShowing(t.Context(), i, nil, 30, nil); job.ExitCode(err) != job.ExitUsage {
				t.Errorf("%s: entry %d: %v", name, i, err)
			}
		}
	}
}
