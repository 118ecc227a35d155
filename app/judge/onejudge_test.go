package judge_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"quell/app/engines"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/volume"
)

// oneOpinion checks that the proposal, where "visible" stops, the gallery's best, the frontier and the verdict on the result of it
// are of one opinion, and returns it in words; "" if nothing is proposed, which the gallery then does not either.
func oneOpinion(t *testing.T, name string, s *series.Series) string {
	t.Helper()
	ctx, eng := t.Context(), engines.CPU()
	facts, err := denoise.FactsOf(ctx, s.Volume)
	if err != nil {
		t.Fatal(err)
	}
	p, err := run.ProposeFilter(ctx, eng, run.ProposalRequest{Series: s, Facts: &facts})
	if err != nil {
		t.Fatal(err)
	}
	g, err := judge.ShowGallery(ctx, eng, judge.GalleryRequest{Series: s, Facts: &facts})
	if err != nil {
		t.Fatal(err)
	}
	if p.Filter == "" {
		if t.Logf("%s: %s", name, p.Why); p.Why.IsZero() || g.Best >= 0 {
			t.Errorf("%s: nothing is proposed (%s), and the gallery's best is %d", name, p.Why, g.Best)
		}
		return ""
	}
	best := p.Choices[0]
	if g.Best < 0 || g.Exhibits[g.Best].Filter != p.Filter || g.Exhibits[g.Best].Strength != best.Strength {
		t.Errorf("%s: the gallery's best is %d, proposed %s", name, g.Best, p)
		return ""
	}
	asked, err := best.Asked()
	if err != nil {
		t.Fatal(err)
	}
	request := run.Request{Series: s, Recipe: asked.With(denoise.MixStrength.Name, denoise.Visible), Facts: &facts}
	visible, _, err := request.Resolve(ctx, eng, denoise.Input{Volume: s.Volume})
	if err != nil || visible.Get(denoise.MixStrength.Name).Float() != best.Strength {
		t.Errorf("%s: visible is %s, %v; proposed %g", name, visible, err, best.Strength)
	}
	done, err := run.Denoise(ctx, eng, run.Request{Series: s, Recipe: asked, Facts: &facts}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := judge.Assess(ctx, judge.Input{Before: s, After: done.Result, Recipe: &done.Resolved, Made: true, Facts: &facts, WithoutMap: true})
	if err != nil {
		t.Fatal(err)
	}
	shown := g.Exhibits[g.Best]
	if !a.Figures.Close(best.Figures, 2e-3) || a.Judgement != shown.Judgement || !verdict.Usual.Within(a.Figures) || a.Judgement == verdict.Fades {
		t.Errorf("%s: proposed %+v, gallery %s, judged %s: %+v", name, best.Figures, shown.Judgement, a.Judgement, a.Figures)
	}
	little := float64(best.NoiseRemoved) < verdict.Usual.Little
	if little != (a.Judgement != verdict.Good) {
		t.Errorf("%s: %s, judged %s", name, p.Sentence(), a.Judgement)
	}
	return fmt.Sprintf("%s %g: %s", p.Filter, best.Strength, a.Judgement)
}

// tables reports whether whole tables are measured, which takes minutes.
func tables() bool { return os.Getenv("QUELL_JUDGE_TABLE") == "1" }

// shared are series of the shared data of which the whole is small, or a part is taken.
var shared = []string{
	"ct/ge-head-tilted", "ct/philips-head-study", "lcd-fda/fbp/dose_010/signal_present/signal_present.mhd", "lcd-fda/fbp/dose_100/signal_absent/signal_absent.mhd",
	"mr/philips-t1-170", "mr/siemens-12bit", "mr/siemens-mosaic", "mr/philips-slope", "mr/ge-temporal", "mr-acr/GE_Signa_3T_T2", "mr-acr/PhilipsAchieva", "mr-acr/Siemens_Aera_1.5T_T1",
	"nifti/niivue/FLAIR.nii.gz", "nifti/niivue/chris_t1.nii.gz", "nifti/nibabel/anatomical.nii", "template/t1-181x217x51-noisy-sigma10.nii.gz", "template/mni152-2009-t1-1mm.nii.gz",
}

func TestOneJudgeOfTheSharedData(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	for k, name := range shared {
		if k%4 != 0 && !tables() {
			continue
		}
		v := loadShared(t, name)
		var part volume.Region // the middle
		for c, most := range [3]int{256, 256, 8} {
			n := min(v.Dims[c], most)
			part.Min[c] = (v.Dims[c] - n) / 2
			part.Max[c] = part.Min[c] + n
		}
		v = v.Crop(part)
		s := &series.Series{Meta: series.Meta{Format: "NIfTI-1", Modality: v.Modality}, Volume: v, Sources: []series.Source{{}}}
		t.Logf("%s: %s", name, oneOpinion(t, name, s))
	}
}

// Phantoms of CT and MR, thin and thick, of weak and strong noise, white and soft, of few and many organs.
func TestOneJudgeOfPhantoms(t *testing.T) {
	n := 10
	switch {
	case tables():
		n = 40
	case testing.Short():
		n = 3
	}
	proposed := 0
	for k := range n {
		a := anatomy{
			name: fmt.Sprintf("phantom %d", k), dims: [3]int{72 + 8*(k%4), 96 - 8*(k%3), 1 + 4*(k%3)}, spacing: [3]float64{1, 1, []float64{1, 3, 5}[k/2%3]},
			mr: k%2 == 1, colour: []float64{0, 0.7}[k/4%2], sigma: 4 * math.Pow(1.5, float64(k%5)), seed: uint64(200 + k), round: k%3 == 0,
		}
		if opinion := oneOpinion(t, a.name, a.make(t).series[0]); opinion != "" {
			t.Logf("%s: %s", a.name, opinion)
			proposed++
		}
	}
	t.Logf("%d of %d have a proposal", proposed, n)
	if proposed < n/2 {
		t.Errorf("%d of %d have a proposal", proposed, n)
	}
}
