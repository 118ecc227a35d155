package enginetest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter" // the filters that an engine must run
	"quell/denoise/noise"
	"quell/volume"
)

// Run checks an engine against the contract, for the filters of these names, or
// for every registered filter if there are none. With the CPU engine and all
// filters it takes some ten seconds of a core.
func Run(t *testing.T, engine denoise.Engine, filters ...string) {
	s := suite{engine: engine, filters: denoise.Filters()}
	if len(filters) > 0 {
		s.filters = nil
	}
	for _, name := range filters {
		f, err := denoise.FilterByName(name)
		if err != nil {
			t.Fatal(err)
		}
		s.filters = append(s.filters, f)
	}
	t.Run("agrees with the reference", s.testAgreement)
	t.Run("large volumes", s.testLarge)
	t.Run("padding", s.testPadding)
	t.Run("CT values", s.testCT)
	t.Run("mask", s.testMask)
	t.Run("maps", s.testMaps)
	t.Run("noise map agrees", s.testNoiseMapAgreement)
	t.Run("noise map means", s.testNoiseMapMeaning)
	t.Run("noise map excludes", s.testNoiseMapExclusion)
	t.Run("noise map scale", s.testNoiseMapScale)
	t.Run("noise map refusals", s.testNoiseMapRefusals)
	t.Run("stabilised agrees", s.testStabilisedAgreement)
	t.Run("stabilised means", s.testStabilisedMeaning)
	t.Run("stabilised scale", s.testStabilisedScale)
	t.Run("mixed", s.testMixed)
	t.Run("equalised", s.testEqualised)
	t.Run("scale", s.testScale)
	t.Run("regions", s.testRegions)
	t.Run("slabs", s.testSlabs)
	t.Run("same bits", s.testSameBits)
	t.Run("constants", s.testConstants)
	t.Run("noise falls", s.testNoiseFalls)
	t.Run("shifts", s.testShifts)
	t.Run("independent slices", s.testIndependentSlices)
	t.Run("geometry", s.testGeometry)
	t.Run("cancel", s.testCancel)
	t.Run("progress", s.testProgress)
	t.Run("refusals", s.testRefusals)
	t.Run("plan and info", s.testPlan)
}

// suite is an engine and the filters that it is checked with.
type suite struct {
	engine  denoise.Engine
	filters []denoise.Filter
}

// eachCase runs f for every case that keep selects.
func (s suite) eachCase(t *testing.T, keep func(c denoise.Case) bool, f func(t *testing.T, c denoise.Case, r denoise.Recipe)) {
	for _, filter := range s.filters {
		for _, c := range filter.Cases {
			if !keep(c) {
				continue
			}
			t.Run(filter.Name+" "+c.Name, func(t *testing.T) {
				r, err := filter.Recipe(c)
				if err != nil {
					t.Fatal(err)
				}
				f(t, c, r)
			})
		}
	}
}

// small selects the cases that run on small volumes of ordinary values.
func small(c denoise.Case) bool { return c.Large == [3]int{} && !c.CT }

// eachDefault runs f for the defaults of every filter in each dimensionality.
func (s suite) eachDefault(t *testing.T, f func(t *testing.T, r denoise.Recipe)) {
	for _, filter := range s.filters {
		for _, dims := range filter.Dims {
			t.Run(fmt.Sprintf("%s %d-D", filter.Name, dims), func(t *testing.T) { f(t, recipe(t, filter.Name, dims)) })
		}
	}
}

// program returns the passes of r on v.
func program(t testing.TB, r denoise.Recipe, v *volume.Volume) denoise.Program {
	t.Helper()
	p, err := resolved(t, r, v).Bind(v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Input returns v with the maps that the recipe's passes read. They are made from
// the voxels, so that parts of a volume have the same parts of the maps.
func Input(t testing.TB, r denoise.Recipe, v *volume.Volume) denoise.Input {
	t.Helper()
	in := denoise.Input{Volume: v}
	// What passes read does not depend on automatic values, so that no estimate is needed.
	r, err := r.Resolve(v.Geometry, denoise.Facts{Hi: 255, Noise: noise.Known(sceneNoise)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Bind(v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	if p.Reads(denoise.NoiseMap) {
		in.Noise = derived(v, func(x float32) float32 { return 4 + float32(math.Mod(math.Abs(float64(x)), 7)) })
	}
	if p.Reads(denoise.GuideVolume) {
		in.Guide = derived(v, func(x float32) float32 { return x / 2 })
	}
	return in
}

// derived returns a volume on the grid of v with the voxels f(v).
func derived(v *volume.Volume, f func(x float32) float32) *volume.Volume {
	out := &volume.Volume{Geometry: v.Geometry, Data: make([]float32, len(v.Data))}
	for i, x := range v.Data {
		out.Data[i] = f(x)
	}
	return out
}

// run filters region and fails the test if the engine fails.
func run(t testing.TB, e denoise.Engine, r denoise.Recipe, in *volume.Volume, region volume.Region) *volume.Volume {
	t.Helper()
	out, err := e.Run(t.Context(), r, Input(t, r, in), region, nil)
	if err != nil {
		t.Fatalf("%s: %v", r, err)
	}
	return out
}

// reference returns the expected result.
func reference(t testing.TB, r denoise.Recipe, in *volume.Volume, region volume.Region) *volume.Volume {
	t.Helper()
	out, err := cpu.Reference(context.Background(), resolved(t, r, in), Input(t, r, in), region)
	if err != nil {
		t.Fatalf("reference: %s: %v", r, err)
	}
	return out
}

// resolved returns the recipe with the automatic values of v.
func resolved(t testing.TB, r denoise.Recipe, v *volume.Volume) denoise.Recipe {
	t.Helper()
	var f denoise.Facts
	if width, _ := r.Needs(); width {
		f = factsOf(t, v)
	}
	r, err := r.Resolve(v.Geometry, f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// known holds the facts of scenes by a hash of what they depend on: the suite asks for the
// facts of few scenes again and again, and the estimate takes longer than most of its runs.
var known sync.Map

// factsOf returns the facts of v.
func factsOf(t testing.TB, v *volume.Volume) denoise.Facts {
	t.Helper()
	h := sha256.New()
	for _, part := range []any{[]int64{int64(v.Dims[0]), int64(v.Dims[1])}, v.Spacing, v.Data, v.Mask} {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	key := [sha256.Size]byte(h.Sum(nil))
	if f, ok := known.Load(key); ok {
		return f.(denoise.Facts)
	}
	f, err := denoise.FactsOf(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	known.Store(key, f)
	return f
}
