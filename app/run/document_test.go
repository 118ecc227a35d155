package run_test

import (
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/series"
)

func TestProposeRecipe(t *testing.T) {
	deep, flat := apptest.Wavy(4, 4, 5), apptest.Wavy(4, 4, 1)
	for _, c := range []struct {
		s      *series.Series
		filter string
		dims   int
	}{{deep, "", 3}, {apptest.Wavy(4, 4, 3), "nlm", 3}, {apptest.Wavy(4, 4, 2), "nlm", 2}, {flat, "", 2}, {deep, "lpa", 2}, {deep, "median", 3}} {
		r, err := run.ProposeRecipe(c.s, nil, c.filter)
		if err != nil || r.Dims != c.dims {
			t.Errorf("%q on %d slices: %d-D, %v; want %d-D", c.filter, c.s.Volume.Dims[2], r.Dims, err, c.dims)
		}
	}
	// Thick slices are filtered one by one: those beyond 2.75 times the larger pixel.
	for step, want := range map[float64]int{0.1: 3, 2.0625: 3, 2.07: 2, 9: 2} {
		s := apptest.Wavy(4, 4, 5)
		s.Volume.Spacing[2] = step
		for filter, dims := range map[string]int{"nlm": want, "bilateral": want, "lpa": 2} {
			if got, err := run.ProposeDims(s, filter); err != nil || got != dims {
				t.Errorf("%s on slices %g mm apart: %d-D, %v; want %d-D", filter, step, got, err, dims)
			}
		}
	}
	last := apptest.MustRecipe("median", 2).With("radius", denoise.Number(3))
	if r, err := run.ProposeRecipe(deep, nil, ""); err != nil || r.Filter != denoise.Filters()[0].Name {
		t.Errorf("without a filter %s is proposed, %v; want the first, %s", r.Filter, err, denoise.Filters()[0].Name)
	}
	// The last parameters are kept; the dimensionality suits the series' own slices.
	thick := apptest.Wavy(4, 4, 5)
	thick.Volume.Spacing[2] = 9
	for want, s := range map[int]*series.Series{2: thick, 3: deep} {
		for _, used := range []int{2, 3} {
			last.Dims = used
			r, err := run.ProposeRecipe(s, map[string]denoise.Recipe{"median": last}, "median")
			if err != nil || r.Dims != want || !r.Get("radius").Equal(denoise.Number(3)) {
				t.Errorf("after a radius of 3 in %d-D %v is proposed, %v; want it in %d-D", used, r, err, want)
			}
		}
	}
	// A strength belongs to the noise of its series, in whatever unit it is given.
	for _, h := range []denoise.Value{denoise.Number(47), denoise.Sigmas(2)} {
		tuned := apptest.MustRecipe("nlm", 2).With("h", h).With("patch-radius", denoise.Number(2))
		want := apptest.MustRecipe("nlm", 3).With("patch-radius", denoise.Number(2))
		if r, _ := run.ProposeRecipe(deep, map[string]denoise.Recipe{"nlm": tuned}, "nlm"); !r.Equal(want) || !tuned.Get("h").Equal(h) {
			t.Errorf("after h=%v %v is proposed; want h at its default, and the last recipe unchanged", h, r)
		}
	}
	// A finding against 3-D filtering outweighs the recipe that was last used.
	uneven := *deep
	uneven.Findings = []series.Finding{{Severity: series.Warning, Kind: series.Gap, Slicewise: true}}
	for filter, remembered := range map[string]map[string]denoise.Recipe{"nlm": nil, "median": {"median": last}} {
		if r, err := run.ProposeRecipe(&uneven, remembered, filter); err != nil || r.Dims != 2 {
			t.Errorf("%s on an uneven grid: %d-D, %v", filter, r.Dims, err)
		}
	}
	if _, err := run.ProposeRecipe(deep, nil, "magic"); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("an unknown filter: %v", err)
	}
}
