package denoise_test

import (
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// A program that ends with its first pass gives the field of that pass, and a run without
// the limit the whole filter.
func TestUpTo(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{20, 18, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i%20/7)*50 + float32(i%5)
	}
	in := denoise.Input{Volume: v}
	r := newRecipe(t, "sadct", 2).With("sigma", denoise.Number(4))
	part := denoise.UpTo(t.Context(), "scales")
	got, err := cpu.New().Run(part, r, in, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.ProgramFor(t.Context(), in, v.Bounds())
	if err != nil || len(p.Passes) != 3 {
		t.Fatalf("%d passes, %v", len(p.Passes), err)
	}
	fields := []denoise.Field{denoise.FieldOf(v)}
	several := map[float32]bool{}
	for z := range 2 {
		for y := range 18 {
			for x := range 20 {
				want := float32(p.Passes[0].Reference(fields, x, y, z))
				if several[want] = true; got.At(x, y, z) != want {
					t.Fatalf("pixel %d, %d, %d: %v, the pass computes %v", x, y, z, got.At(x, y, z), want)
				}
			}
		}
	}
	if len(several) < 10 {
		t.Errorf("%d values", len(several))
	}
	cut, err := r.ProgramFor(denoise.UpTo(t.Context(), "threshold"), in, v.Bounds())
	if err != nil || len(cut.Passes) != 2 || cut.Passes[1].Output != denoise.Result || p.Passes[1].Output == denoise.Result {
		t.Errorf("up to the second pass: %+v, %v", cut.Passes, err)
	}
	if _, err := cpu.New().Run(denoise.UpTo(t.Context(), "nothing"), r, in, v.Bounds(), nil); err == nil || !strings.Contains(err.Error(), `sadct has no pass "nothing"`) {
		t.Errorf("an unknown pass: %v", err)
	}
}
