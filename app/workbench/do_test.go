package workbench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/series"
)

func TestIrregularSeries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "series")
	apptest.PutDICOM(t, dir, 6, 5, 5)
	if err := os.Remove(filepath.Join(dir, "IM00003.dcm")); err != nil {
		t.Fatal(err)
	}
	s, c, err := opentest.OpenPath(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	warned := false
	in, err := open.Open(t.Context(), job.Input{Path: dir}, job.Events{Message: func(s series.Severity, text string) {
		warned = warned || s == series.Warning && strings.Contains(text, "missing")
	}})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if !warned {
		t.Error("no message warns of the missing slice")
	}
	// Slices 0, 2, 6 and 8 mm high on a grid with 8/3 mm between them.
	const off = "0.7 mm"
	refused := func(what string, err error) {
		t.Helper()
		if job.ExitCode(err) != job.ExitInput || !strings.Contains(err.Error(), off) {
			t.Errorf("%s: %v; want a refusal that says %s", what, err, off)
		}
	}
	_, err = run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: apptest.MustRecipe("median", 3)}, nil)
	refused("3-D filter", err)
	refused("3-D preview", filterSlice(t.Context(), cpu.New(), PreviewRequest{Series: s, Recipe: apptest.MustRecipe("median", 3)}).Err)
	r, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: apptest.MustRecipe("median", 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.nii", "a.nii.gz", "a.hdr"} {
		out := filepath.Join(t.TempDir(), name)
		_, err := roomtest.ExportRun(t.Context(), r, out, job.Options{}, nil)
		refused("export to "+name, err)
		_, err = roomtest.Convert(t.Context(), s, out, job.Options{})
		refused("conversion to "+name, err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := roomtest.ExportRun(t.Context(), r, out, job.Options{}, nil); err != nil {
		t.Errorf("export to DICOM: %v", err)
	}
	back, c2, err := opentest.OpenPath(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	defer c2.Close()
	if back.Irregular != s.Irregular {
		t.Errorf("the export is irregular by %g mm; want the source's %g", back.Irregular, s.Irregular)
	}
	without := *s
	without.Sources = nil
	_, err = roomtest.ExportRun(t.Context(), &run.Run{Source: &without, Result: r.Result, Region: r.Region, Recipe: r.Recipe}, out+"2", job.Options{}, nil)
	refused("a new DICOM series", err)
	if dims, err := run.ProposeDims(s, "median"); err != nil || dims != 2 {
		t.Errorf("%d-D is proposed, %v; want 2-D", dims, err)
	}
	regular := *s
	regular.Irregular = 0 // what the reader says of positions that are only rounded
	ct := regular
	ct.Volume = regular.Volume.Clone()
	ct.Volume.Unit = "HU"
	if err := run.CheckRecipe(&ct, apptest.MustRecipe("median", 3).With("stabilise", denoise.Sigmas(1)), false); err == nil || !strings.Contains(err.Error(), "the series is a CT") {
		t.Errorf("stabilised Rician noise of a CT: %v", err)
	}
	if err := run.CheckRecipe(&ct, apptest.MustRecipe("median", 3), false); err != nil {
		t.Error(err)
	}
	if err := run.CheckRecipe(&regular, apptest.MustRecipe("median", 3), false); err != nil {
		t.Error(err)
	}
}
