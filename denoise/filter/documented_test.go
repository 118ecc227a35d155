package filter_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"quell/denoise"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/volume"
)

var update = flag.Bool("update", false, "write testdata/parameters.txt")

// documented matches what parameterTable writes.
var documented = regexp.MustCompile(`(?s)\| parameter \|.*?\n\n\| defaults.*?\n\n`)

// Recipes in records and scripts rely on the domain and the default of every parameter,
// people on its slider, on the range that sure searches and on the time that a run is said
// to take: testdata/parameters.txt states them all, and a change of one changes it.
func TestParametersAreStated(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		t.Skip("the stated cost is that of vector code, which needs AVX2")
	}
	const path = "testdata/parameters.txt"
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(file)
	for _, f := range denoise.AllFilters() {
		documented := documented
		if f.Together != nil { // its cost depends on the number of volumes
			documented = regexp.MustCompile(`(?s)\| parameter \|.*?\n\n`)
		}
		before, rest, found := strings.Cut(doc, "\n## "+f.Name+"\n")
		if !found {
			continue // TestEveryFilterIsComplete reports it
		}
		section, after, more := strings.Cut(rest, "\n## ")
		want := parameterTable(t, f)
		if *update {
			if at := documented.FindStringIndex(section); at != nil {
				section = section[:at[0]] + want + section[at[1]:]
			} else {
				section = "\n" + want + strings.TrimLeft(section, "\n")
			}
			doc = before + "\n## " + f.Name + "\n" + section
			if more {
				doc += "\n## " + after
			}
		} else if got := documented.FindString(section); got != want {
			t.Errorf("testdata/parameters.txt describes %s by\n%s\nthe program by\n%s\n(go test ./denoise/filter -run Stated -update writes it)", f.Name, got, want)
		}
	}
	if *update && doc != string(file) {
		if err := os.WriteFile(path, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// parameterTable describes a filter's parameters and its cost.
func parameterTable(t *testing.T, f denoise.Filter) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| parameter | takes | default | slider | `sure` searches |\n| --- | --- | --- | --- | --- |\n")
	for _, p := range f.Params {
		if p.Name == denoise.Stabilise.Name || p.Name == denoise.MixStrength.Name {
			continue // every filter has it
		}
		var takes, slider, searched string
		unit := " " + p.Unit
		switch p.Unit {
		case "":
			unit = ""
		case "value":
			unit = " sigma"
		}
		switch p.Kind {
		case denoise.Choice:
			takes = strings.Join(p.Choices, ", ")
		case denoise.Switch:
			takes = "true, false"
		default:
			takes = p.Domain().String() + strings.Replace(unit, " sigma", ", in sigmas too", 1)
			slider = fmt.Sprintf("%g to %g%s by %g", p.Lo, p.Hi, unit, p.Step)
		}
		if p.Percent {
			takes += ", 0 to 100 %"
		}
		if p.PerAxis {
			takes += ", for each axis"
		}
		if p.Rising {
			takes += ", a rising list"
		}
		if p.Longest > 0 {
			takes += fmt.Sprintf(", up to %d of them", p.Longest)
		}
		for _, r := range p.Rules {
			takes += ", " + r.Name
		}
		if p.Auto != nil {
			takes += ", auto"
		}
		if f.Strength.Param == p.Name {
			searched = fmt.Sprintf("%g to %g%s", f.Strength.Lo, f.Strength.Hi, strings.Replace(unit, " mm", " times the voxel spacing", 1))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", p.Name, takes, p.Default, slider, searched)
	}
	if f.Together != nil {
		return b.String() + "\n"
	}
	b.WriteString("\n| defaults where sigma is 10, values 0 to 255, voxels 1 mm | CPU, ns | GPU, steps |\n| --- | --- | --- |\n")
	for _, dims := range f.Dims {
		p := byDefault(t, f, dims)
		var nanoseconds, steps float64
		for _, pass := range p.Passes {
			nanoseconds += pass.CPU.Nanoseconds
			steps += pass.Work
		}
		fmt.Fprintf(&b, "| `%s` | %.3g | %.4g |\n", p.Recipe, nanoseconds, steps)
	}
	return b.String() + "\n"
}

// byDefault is the program of the defaults on a common volume.
func byDefault(t *testing.T, f denoise.Filter, dims int) denoise.Program {
	t.Helper()
	g := volume.NewGeometry([3]int{128, 128, 64}, [3]float64{1, 1, 1})
	r, err := denoise.NewRecipe(f.Name, dims)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.Resolve(g, denoise.Facts{Hi: 255, Noise: noise.Known(10)}); err != nil {
		t.Fatal(err)
	}
	p, err := r.Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The steps per voxel of nlm, from which the cost on a GPU is estimated: patches up to
// radius 3 cost nothing more, larger ones, and patches of lk, all their voxels.
func TestWorkOfNLM(t *testing.T) {
	for set, want := range map[string]float64{
		"search-radius=2 patch-radius=3": 25, "search-radius=2 patch-radius=4": 25 * 81,
		"search-radius=1 patch-radius=1 weighting=lk": 9 * 9, "search-radius=0 patch-radius=0": 1,
	} {
		r, err := enginetest.RecipeOf(t, "nlm", 2, set).Resolve(grid, denoise.Facts{Lo: 0, Hi: 100, Noise: noise.Known(5)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(grid)
		if err != nil || p.Passes[0].Work != want {
			t.Errorf("%s: %+v, %v; want %g steps", set, p.Passes, err, want)
		}
	}
}
