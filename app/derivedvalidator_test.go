package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/assets"
	"quell/internal/shareddata"
	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// enhancedCT writes an Enhanced CT image of five frames.
func enhancedCT(t *testing.T) (dir string) {
	t.Helper()
	var frames []dicomtest.FakeFrame
	for z := range 5 {
		frames = append(frames, dicomtest.FakeFrame{Z: float64(z), BValue: -1})
	}
	f := dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...)
	f.With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.2.1").With(part10.TagModality, "CT").With(part10.TagImageType, `ORIGINAL\PRIMARY\VOLUME\NONE`).With(0x00189005, nil)
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "enhanced.dcm"), f.File(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDerivedForValidator: dciodvfy finds no error in a filtered image that it does not find in the image which that was
// made of: CT, MR, mosaic, enhanced MR and enhanced CT; as they are stored, compressed, and de-identified.
func TestDerivedForValidator(t *testing.T) {
	apptest.OwnConfig(t, t.TempDir())
	ct := filepath.Join(t.TempDir(), "ct")
	if err := os.CopyFS(ct, assets.Series); err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"CT": ct, "enhanced CT": enhancedCT(t), "MR": shareddata.Path(t, "mr/siemens-12bit"), "MR of Philips": shareddata.Path(t, "mr/philips-slope"),
		"mosaic": shareddata.Path(t, "mr/siemens-mosaic/ep2d_Asc_2"), "enhanced MR": shareddata.Path(t, "mr/siemens-enhanced-xa10"), "enhanced MR of Philips": shareddata.Path(t, "mr/philips-pcasl-enhanced"),
	} {
		c, err := open.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		sources := c.Entries[c.Default].Volume.Files()
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		for how, options := range map[string]job.Options{"": {}, ", compressed": {Compress: dicom.JPEGLossless}, ", de-identified": {Deidentify: true}} {
			j := attachJob(in, filepath.Join(t.TempDir(), "out"))
			r := apptest.MustRecipe("gaussian", 2)
			j.Recipe, j.Output.Options = &r, options
			do(t, j)
			dicomtest.WantNoNewComplaints(t, name+how, filepath.Join(j.Output.Path, dicomtest.SliceName(0)), sources...)
		}
	}
}
