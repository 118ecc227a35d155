package session_test

import (
	"testing"

	"quell/denoise"
	"quell/ui/session/tuning"
)

// sampleRecipes are one that works, one to be searched for, and one that works.
func sampleRecipes(t *testing.T) []denoise.Recipe {
	t.Helper()
	nlm, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	gaussian, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	return []denoise.Recipe{nlm.With("h", denoise.Number(4)), nlm.With("h", denoise.SURE), gaussian.With("sigma-spatial", denoise.Number(2))}
}

// Every recipe is shown on the same region of the slice, with the voxels that the slice has there; one whose strength is to
// be searched for has no picture.
func TestRecipesAreSampled(t *testing.T) {
	b := newTissueBench(t)
	b.Samples.Show(sampleRecipes(t), 24, 16)
	b.settle()
	g := b.Samples.Now()
	whole := b.Series().Volume
	if g == nil || g.Input.Dims != [3]int{24, 16, 1} || len(g.Samples) != 3 || g.Index != b.State().Cut().Index() {
		t.Fatalf("%+v", g)
	}
	if want := whole.At(20, 24, g.Index); g.Input.At(0, 0, 0) != want { // the middle of 64 x 64 less half of the region
		t.Errorf("the region begins with %g; want %g", g.Input.At(0, 0, 0), want)
	}
	if s := g.Samples; s[0].Part == nil || s[1].Part != nil || !s[1].Searched || s[2].Part == nil || !s[0].Problem.IsZero() {
		t.Fatalf("%+v", s)
	}
	if in, out := g.Input.At(3, 3, 0), g.Samples[2].Part.At(3, 3, 0); out != in-2 {
		t.Errorf("%g becomes %g; want what the recipe does", in, out)
	}
	b.Samples.Move(0, 0)
	if now := b.Samples.Now(); now.Samples[0].Part != nil || now.Input.At(0, 0, 0) != whole.At(8, 16, g.Index) {
		t.Errorf("another region begins with %g and has a picture: %t", now.Input.At(0, 0, 0), now.Samples[0].Part != nil)
	}
	b.settle()
	b.Samples.Move(-1000, 1000)
	b.settle()
	if now := b.Samples.Now(); now.Input.At(0, 0, 0) != whole.At(0, 48, g.Index) || now.Samples[0].Part.At(0, 15, 0) == 0 {
		t.Error("the region does not stop at the edges")
	}
	if len(b.errors) > 0 {
		t.Errorf("errors %v", b.errors)
	}
}

// A picture of a region that is not shown any more is dropped, and so is one that comes after the list was closed; the work
// ends, so that no further recipe is run.
func TestLateSamplesAreDropped(t *testing.T) {
	for what, leave := range map[string]func(*bench){
		"closed":         func(b *bench) { b.Samples.Leave() },
		"another region": func(b *bench) { b.Samples.Move(0, 0) },
		"no series":      func(b *bench) { b.Documents.Close(0) },
	} {
		b := newTissueBench(t)
		b.settle()
		hold := make(chan struct{})
		b.engine.mu.Lock()
		b.engine.hold, b.engine.held = hold, make(chan int, 100)
		b.engine.mu.Unlock()
		recipes := sampleRecipes(t)
		b.Samples.Show(recipes, 24, 16)
		first := b.Samples.Now()
		samples := first.Samples
		<-b.engine.held
		leave(b)
		b.engine.mu.Lock()
		b.engine.hold = nil
		b.engine.mu.Unlock()
		close(hold)
		b.settle()
		for i, s := range samples {
			if s.Part != nil {
				t.Errorf("%s: sample %d of the region before has a picture", what, i)
			}
		}
		now := b.Samples.Now()
		if moved := what == "another region"; moved != (now != nil) || moved && now.Samples[2].Part == nil {
			t.Errorf("%s: %+v", what, now)
		}
		if len(b.errors) > 0 {
			t.Errorf("%s: errors %v", what, b.errors)
		}
	}
}

// Without a series there is nothing to show.
func TestSamplesNeedASeries(t *testing.T) {
	b := newTissueBench(t)
	b.Documents.Close(0)
	b.settle()
	b.Samples.Show(sampleRecipes(t), 24, 16)
	b.Samples.Move(1, 1)
	b.settle()
	if b.Samples.Now() != (*tuning.Sampled)(nil) {
		t.Error("there are samples of nothing")
	}
}
