package judge_test

import (
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/measure"
)

// What is proposed, what the gallery calls best, where "visible" stops, and the verdict on the result of that are of one
// opinion. An unchanged result removes nothing.
func TestOneJudge(t *testing.T) {
	clean := apptest.Disc(96, 3)
	noisy, err := run.AddNoise(t.Context(), clean, job.AddedNoise{Model: noise.Gaussian, Sigma: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	eng := engines.CPU()
	p, err := run.ProposeFilter(t.Context(), eng, run.ProposalRequest{Series: noisy})
	if err != nil || p.Filter == "" {
		t.Fatalf("%+v, %v", p, err)
	}
	best := p.Choices[0]
	recipe, err := best.Asked()
	if err != nil {
		t.Fatal(err)
	}
	done, err := run.Denoise(t.Context(), eng, run.Request{Series: noisy, Recipe: recipe, Facts: p.Facts}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := judge.Measure(t.Context(), nil, done, clean)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Assessment.Figures.Close(best.Figures, 1e-3) || !verdict.Usual.Within(m.Assessment.Figures) || m.Judgement == verdict.Nothing {
		t.Errorf("proposed %+v, judged %s: %+v", best.Figures, m.Judgement, m.Assessment.Figures)
	}
	if m.Truth == nil || m.Start == nil || m.Truth.Max != measure.Float(200) || !(m.Truth.MSE < m.Start.MSE) {
		t.Errorf("truth %v, start %v", m.Truth, m.Start)
	}
	visible := recipe.With(denoise.MixStrength.Name, denoise.Visible)
	request := run.Request{Series: noisy, Recipe: visible, Facts: p.Facts}
	resolved, tuned, err := request.Resolve(t.Context(), eng, denoise.Input{Volume: noisy.Volume})
	if err != nil || tuned.Dial.Strength != best.Strength || resolved.Get(denoise.MixStrength.Name).Float() != best.Strength {
		t.Errorf("visible is %s, %v; proposed %g", resolved, err, best.Strength)
	}
	g, err := judge.ShowGallery(t.Context(), eng, judge.GalleryRequest{Series: noisy, Facts: p.Facts})
	if err != nil || g.Best < 0 || g.Exhibits[g.Best].Filter != p.Filter || g.Exhibits[g.Best].Strength != best.Strength {
		t.Errorf("the best of the gallery is %d, %v; proposed %s", g.Best, err, p)
	}
	for strength, want := range map[float64]verdict.Word{0: verdict.Nothing, 100: verdict.Fades} {
		r := recipe.With(denoise.MixStrength.Name, denoise.Number(strength))
		done, err := run.Denoise(t.Context(), eng, run.Request{Series: noisy, Recipe: r, Facts: p.Facts}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, made := range map[string]bool{"made": true, "with the recipe": false} {
			a, err := judge.Assess(t.Context(), judge.Input{Before: noisy, After: done.Result, Recipe: &done.Resolved, Made: made, Facts: p.Facts})
			if err != nil || a.Judgement != want || len(a.Places) > 0 {
				t.Errorf("strength %g, %s: %s: %s, %v, %v", strength, name, a.Judgement, a.Why, a.Places, err)
			}
			for z, s := range a.Slices {
				if strength == 0 && s.Judgement != want {
					t.Errorf("slice %d: %s: %s", z, s.Judgement, s.Why)
				}
			}
		}
	}
}
