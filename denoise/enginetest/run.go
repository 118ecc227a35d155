package enginetest

import (
	"context"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// Run holds an engine to the contract. It takes some ten seconds on two cores.
func Run(t *testing.T, engine denoise.Engine) {
	t.Run("agrees with the reference", func(t *testing.T) { testAgreement(t, engine) })
	t.Run("large volumes", func(t *testing.T) { testLarge(t, engine) })
	t.Run("padding", func(t *testing.T) { testPadding(t, engine) })
	t.Run("CT values", func(t *testing.T) { testCT(t, engine) })
	t.Run("regions", func(t *testing.T) { testRegions(t, engine) })
	t.Run("same bits", func(t *testing.T) { testSameBits(t, engine) })
	t.Run("constants", func(t *testing.T) { testConstants(t, engine) })
	t.Run("noise falls", func(t *testing.T) { testNoiseFalls(t, engine) })
	t.Run("shifts", func(t *testing.T) { testShifts(t, engine) })
	t.Run("slices are apart", func(t *testing.T) { testSlicesApart(t, engine) })
	t.Run("geometry", func(t *testing.T) { testGeometry(t, engine) })
	t.Run("cancel", func(t *testing.T) { testCancel(t, engine) })
	t.Run("progress", func(t *testing.T) { testProgress(t, engine) })
	t.Run("refusals", func(t *testing.T) { testRefusals(t, engine) })
	t.Run("plan and info", func(t *testing.T) { testPlan(t, engine) })
}

// options are the filters with every option they have, in small windows.
func options(t testing.TB) map[string]denoise.Recipe {
	all := map[string]denoise.Recipe{
		"gaussian 2-D":             recipe(t, "gaussian", 2),
		"gaussian 3-D":             recipe(t, "gaussian", 3, "sigma-spatial", "1.3"),
		"gaussian voxel-units":     recipe(t, "gaussian", 3, "voxel-units", "true"),
		"gaussian radius":          recipe(t, "gaussian", 3, "radius", "1,3,2"),
		"gaussian radius 0":        recipe(t, "gaussian", 3, "radius", "0"),
		"median 2-D":               recipe(t, "median", 2, "radius", "2"),
		"median 3-D":               recipe(t, "median", 3),
		"median radius":            recipe(t, "median", 3, "radius", "2,0,1"),
		"bilateral 2-D":            recipe(t, "bilateral", 2),
		"bilateral 3-D":            recipe(t, "bilateral", 3),
		"bilateral range in units": recipe(t, "bilateral", 3, "sigma-range", "20"),
		"bilateral narrow range":   recipe(t, "bilateral", 3, "sigma-range", "0.5"),
		"bilateral no range":       recipe(t, "bilateral", 3, "sigma-range", "0%"),
		"bilateral voxel-units":    recipe(t, "bilateral", 3, "voxel-units", "true", "sigma-spatial", "1.5"),
		"bilateral radius":         recipe(t, "bilateral", 3, "radius", "3,1,2"),
		"bilateral 2-D radius":     recipe(t, "bilateral", 2, "radius", "4", "sigma-spatial", "3"),
		"lpa":                      recipe(t, "lpa", 2),
		"lpa wide":                 recipe(t, "lpa", 2, "gamma", "2.5", "sigma", "8"),
		"lpa no noise":             recipe(t, "lpa", 2, "sigma", "0"),
		"lpa scales":               recipe(t, "lpa", 2, "scales", "1,3,9,20", "gamma", "3"),
	}
	nlm := map[string][]string{
		"":               {},
		"uniform":        {"patch-weights", "uniform"},
		"patch sigma":    {"patch-sigma", "0.5", "patch-radius", "2"},
		"uniform 5":      {"patch-weights", "uniform", "patch-radius", "2"},
		"patch radius 0": {"patch-radius", "0"},
		"centre one":     {"centre", "one"},
		"sigma":          {"sigma", "8"},
		"sigma auto":     {"sigma", "auto"},
		"rician":         {"rician", "true", "sigma", "8"},
		"rician one":     {"rician", "true", "sigma", "30", "centre", "one"},
		"weak":           {"h", "1.5"},
		"weak one":       {"h", "1.5", "centre", "one"},
		"weak rician":    {"h", "2", "rician", "true", "sigma", "1"},
		"faint":          {"h", "0.35"},
		"fainter":        {"h", "0.01", "rician", "true"},
		"strong":         {"h", "1000"},
		"search 0":       {"search-radius", "0"},
		"rician alone":   {"search-radius", "0", "rician", "true", "sigma", "8"},
		"search 1":       {"search-radius", "1"},
		"lk":             {"weighting", "lk"},
		"lk 1":           {"weighting", "lk", "k", "1"},
		"lk 3":           {"weighting", "lk", "k", "3"},
		"lk 4 one":       {"weighting", "lk", "k", "4", "centre", "one"},
		"lk rician":      {"weighting", "lk", "rician", "true", "sigma", "8"},
		"lk search 0":    {"weighting", "lk", "search-radius", "0"},
		"no h":           {"h", "auto", "patch-radius", "0", "search-radius", "1"},
	}
	for name, settings := range nlm {
		for dims, label := range map[int]string{2: "nlm 2-D ", 3: "nlm 3-D "} {
			settings := append([]string{"h", "9", "search-radius", "2"}, settings...)
			all[label+name] = recipe(t, "nlm", dims, settings...)
		}
	}
	return all
}

// run filters and fails the test where the engine does.
func run(t testing.TB, e denoise.Engine, r denoise.Recipe, in *volume.Volume, region volume.Region) *volume.Volume {
	t.Helper()
	out, err := e.Run(context.Background(), r, in, region, nil)
	if err != nil {
		t.Fatalf("%s: %v", r, err)
	}
	return out
}

// reference is the expected result.
func reference(t testing.TB, r denoise.Recipe, in *volume.Volume, region volume.Region) *volume.Volume {
	t.Helper()
	out, err := cpu.Reference(r, in, region)
	if err != nil {
		t.Fatalf("reference: %s: %v", r, err)
	}
	return out
}
