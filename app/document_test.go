package app

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

func TestDocument(t *testing.T) {
	s := wavy(6, 5, 4)
	d := NewDocument(s)
	facts := foundFacts(t, s.Volume)
	d.SetFacts(s.Volume, facts)
	if got, ok := d.Facts(); !ok || got.Lo != facts.Lo || got.Hi != facts.Hi || got.Noise.Sigma != facts.Noise.Sigma {
		t.Errorf("facts %v, %v", got, ok)
	}
	n := Noise{Model: noise.Gaussian, Sigma: 5, Seed: 1}
	noisy, err := AddNoise(t.Context(), s, n)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisy, n)
	if d.Series() != noisy || d.Reference() != s || d.Clean() != s {
		t.Error("the clean original is not the reference")
	}
	if _, ok := d.Facts(); ok {
		t.Error("the facts of the clean volume are used for the noisy one")
	}
	d.SetFacts(s.Volume, facts) // finished late
	if _, ok := d.Facts(); ok {
		t.Error("late facts of another volume were accepted")
	}
	if err := d.SetReference(wavy(6, 5, 4)); err == nil {
		t.Error("the clean original was replaced as reference")
	}
	again := Noise{Model: noise.Rician, Sigma: 9, Seed: 2}
	noisier, err := AddNoise(t.Context(), d.Clean(), again)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisier, again)
	if d.Reference() != s {
		t.Error("noise was added twice: the reference is not the clean series")
	}
	if d.SetRun(&Run{Source: noisy}) {
		t.Error("a run of another series was shown")
	}
	r := mustRecipe("median", 2)
	if !d.SetRun(&Run{Source: noisier, Recipe: r}) {
		t.Error("a run of the series is not shown")
	}
	d.RemoveNoise()
	if d.Series() != s || d.Reference() != nil || d.Run() != nil {
		t.Error("removing the noise does not bring the original back")
	}

	if err := d.SetReference(wavy(6, 5, 3)); err == nil || !strings.Contains(err.Error(), "6 x 5 x 4") {
		t.Errorf("a reference of other dims: %v", err)
	}
	shifted := wavy(6, 5, 4)
	shifted.Volume.Affine[0][3] += 1
	if err := d.SetReference(shifted); err == nil {
		t.Error("a reference at another position was accepted")
	}
	shifted.Volume.Affine[0][3] = s.Volume.Affine[0][3] + 1.1*gridTolerance
	if err := d.SetReference(shifted); err == nil {
		t.Error("a reference just outside the tolerance was accepted")
	}
	shifted.Volume.Affine[0][3] = s.Volume.Affine[0][3] + 0.9*gridTolerance
	if err := d.SetReference(shifted); err != nil {
		t.Error(err)
	}
	if _, err := AddNoise(t.Context(), s, Noise{Model: "pink", Sigma: 1}); ExitCode(err) != ExitUsage {
		t.Errorf("an unknown noise model: %v", err)
	}
}

// TestDocumentWithoutNoise: there is nothing to remove, and the run stays.
func TestDocumentWithoutNoise(t *testing.T) {
	s := wavy(4, 4, 2)
	d := NewDocument(s)
	run := &Run{Source: s}
	if !d.SetRun(run) {
		t.Fatal("the run is not shown")
	}
	if n, ok := d.Noise(); ok || n != (Noise{}) {
		t.Errorf("noise %v", n)
	}
	d.SetFacts(s.Volume, denoise.Facts{})
	d.RemoveNoise()
	if _, known := d.Facts(); d.Run() != run || d.Clean() != s || !known {
		t.Error("removing noise that is not there changed the document")
	}
	ref := wavy(4, 4, 2)
	if err := d.SetReference(ref); err != nil || d.Reference() != ref {
		t.Errorf("%v", err)
	}
	d.RemoveNoise()
	if d.Series() != s || d.Reference() != ref {
		t.Error("removing noise that is not there took the reference")
	}
	n := Noise{Model: noise.Rician, Sigma: 2, Seed: 9}
	d.SetNoisy(ref, n)
	if got, ok := d.Noise(); !ok || got != n || d.Run() != nil {
		t.Errorf("noise %v, %v", got, ok)
	}
	if err := d.SetReference(s); err != nil { // it is the reference already
		t.Error(err)
	}
	if d.Edits() != &d.edits {
		t.Error("the history is a copy")
	}
	for n, ok := range map[Noise]bool{{Model: noise.Gaussian}: true, {Model: noise.Gaussian, Sigma: -1}: false, {Model: noise.Gaussian, Sigma: math.Inf(1)}: false, {Model: noise.Gaussian, Sigma: math.NaN()}: false} {
		if err := n.Validate(); (err == nil) != ok || err != nil && ExitCode(err) != ExitUsage {
			t.Errorf("%v: %v", n, err)
		}
	}
	if err := (Noise{Model: "pink"}).Validate(); err == nil || err.Error() != `no noise model is called "pink"; there are gaussian and rician` {
		t.Errorf("an unknown model: %v", err)
	}
	if n.String() != "rician noise, sigma 2, seed 9" {
		t.Errorf("%q", n)
	}
}

// TestNoiseIsNoted: each noisy series has a finding of its own and those of the original.
func TestNoiseIsNoted(t *testing.T) {
	s := wavy(4, 4, 2)
	s.Findings = append(make([]series.Finding, 0, 9), series.Finding{Kind: series.Gap, Text: message.Verbatim("A gap.")})
	var noisy [2]*series.Series
	for i := range noisy {
		var err error
		if noisy[i], err = AddNoise(t.Context(), s, Noise{Model: noise.Gaussian, Sigma: 3, Seed: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i, n := range noisy {
		want := series.Finding{Severity: series.Note, Kind: series.Noise, Text: message.Text("Holds added %s.", Noise{noise.Gaussian, 3, uint64(i)})}
		if len(n.Findings) != 2 || n.Findings[0].Kind != series.Gap || !reflect.DeepEqual(n.Findings[1], want) {
			t.Errorf("findings %+v", n.Findings)
		}
	}
	if len(s.Findings) != 1 {
		t.Errorf("the original has %d findings", len(s.Findings))
	}
	r := mustRecipe("median", 2)
	text := describe(&Run{Source: noisy[1], Recipe: r, Resolved: r})
	if want := "Noise filtered by Quell " + Version() + ": " + r.String() + ". Holds added gaussian noise, sigma 3, seed 1. Not for clinical use."; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestProposeRecipe(t *testing.T) {
	deep, flat := wavy(4, 4, 5), wavy(4, 4, 1)
	for _, c := range []struct {
		s      *series.Series
		filter string
		dims   int
	}{{deep, "", 3}, {wavy(4, 4, 3), "nlm", 3}, {wavy(4, 4, 2), "nlm", 2}, {flat, "", 2}, {deep, "lpa", 2}, {deep, "median", 3}} {
		r, err := ProposeRecipe(c.s, nil, c.filter)
		if err != nil || r.Dims != c.dims {
			t.Errorf("%q on %d slices: %d-D, %v; want %d-D", c.filter, c.s.Volume.Dims[2], r.Dims, err, c.dims)
		}
	}
	// Thick slices are filtered one by one: those beyond 2.75 times the larger pixel.
	for step, want := range map[float64]int{0.1: 3, 2.0625: 3, 2.07: 2, 9: 2} {
		s := wavy(4, 4, 5)
		s.Volume.Spacing[2] = step
		for filter, dims := range map[string]int{"nlm": want, "bilateral": want, "lpa": 2} {
			if got, err := ProposeDims(s, filter); err != nil || got != dims {
				t.Errorf("%s on slices %g mm apart: %d-D, %v; want %d-D", filter, step, got, err, dims)
			}
		}
	}
	last := mustRecipe("median", 2).With("radius", denoise.Number(3))
	if r, err := ProposeRecipe(deep, nil, ""); err != nil || r.Filter != denoise.Filters()[0].Name {
		t.Errorf("without a filter %s is proposed, %v; want the first, %s", r.Filter, err, denoise.Filters()[0].Name)
	}
	// The last parameters are kept; the dimensionality is that of the series' own slices.
	thick := wavy(4, 4, 5)
	thick.Volume.Spacing[2] = 9
	for want, s := range map[int]*series.Series{2: thick, 3: deep} {
		for _, used := range []int{2, 3} {
			last.Dims = used
			r, err := ProposeRecipe(s, map[string]denoise.Recipe{"median": last}, "median")
			if err != nil || r.Dims != want || !r.Get("radius").Equal(denoise.Number(3)) {
				t.Errorf("after a radius of 3 in %d-D %v is proposed, %v; want it in %d-D", used, r, err, want)
			}
		}
	}
	// A strength belongs to the noise of its series, in whatever unit it is given.
	for _, h := range []denoise.Value{denoise.Number(47), denoise.Sigmas(2)} {
		tuned := mustRecipe("nlm", 2).With("h", h).With("patch-radius", denoise.Number(2))
		want := mustRecipe("nlm", 3).With("patch-radius", denoise.Number(2))
		if r, _ := ProposeRecipe(deep, map[string]denoise.Recipe{"nlm": tuned}, "nlm"); !r.Equal(want) || !tuned.Get("h").Equal(h) {
			t.Errorf("after h=%v %v is proposed; want h at its default, and the last recipe unchanged", h, r)
		}
	}
	// A finding against 3-D filtering outweighs the recipe that was last used.
	uneven := *deep
	uneven.Findings = []series.Finding{{Severity: series.Warning, Kind: series.Gap, Slicewise: true}}
	for filter, remembered := range map[string]map[string]denoise.Recipe{"nlm": nil, "median": {"median": last}} {
		if r, err := ProposeRecipe(&uneven, remembered, filter); err != nil || r.Dims != 2 {
			t.Errorf("%s on an uneven grid: %d-D, %v", filter, r.Dims, err)
		}
	}
	if _, err := ProposeRecipe(deep, nil, "magic"); ExitCode(err) != ExitUsage {
		t.Errorf("an unknown filter: %v", err)
	}
}

// Noise that was measured in a mark takes the place of the estimate, for its own voxels.
func TestGivenNoise(t *testing.T) {
	s := wavy(6, 5, 4)
	d := NewDocument(s)
	given := Edit{Noise: &GivenNoise{Sigma: 7, Voxels: 900, Of: s.Volume}}
	d.Edits().Push(Edit{})
	d.Edits().Push(given)
	if _, ok := d.Facts(); ok {
		t.Error("facts are known before they were found")
	}
	facts := foundFacts(t, s.Volume)
	d.SetFacts(s.Volume, facts)
	got, _ := d.Facts()
	estimated, ok := d.Estimated()
	if got.Noise.Sigma != 7 || !ok || estimated.Noise.Sigma != facts.Noise.Sigma || d.GivenNoise() != given.Noise {
		t.Errorf("sigma %g, estimated %g", got.Noise.Sigma, estimated.Noise.Sigma)
	}
	d.Edits().Undo()
	if got, _ := d.Facts(); got.Noise.Sigma != facts.Noise.Sigma || d.GivenNoise() != nil {
		t.Errorf("sigma %g after undo", got.Noise.Sigma)
	}
	d.Edits().Redo()
	n := Noise{Model: noise.Gaussian, Sigma: 5, Seed: 1}
	noisy, err := AddNoise(t.Context(), s, n)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisy, n)
	if d.GivenNoise() != nil {
		t.Error("the noise of the clean voxels is used for the noisy ones")
	}
}
