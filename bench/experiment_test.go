package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/nifti/niftitest"
	"quell/kernels"
	"quell/volume"
)

func TestDefinitions(t *testing.T) {
	names := map[string]bool{}
	for _, e := range Experiments() {
		t.Run(e.Name, func(t *testing.T) {
			if names[e.Name] || !strings.HasPrefix(e.Name, e.Paper.Key+"-") {
				t.Errorf("the name is taken or not that of a %s experiment", e.Paper.Key)
			}
			names[e.Name] = true
			if e.Source == "" || e.Title == "" || e.Setup == "" || len(e.Rows) == 0 || (e.Unit != "s" && e.Unit != "ms") {
				t.Errorf("incomplete: %+v", e)
			}
			known := map[string]bool{}
			for _, key := range e.Figures {
				if _, ok := figures[key]; !ok {
					t.Errorf("no figure is called %q", key)
				}
				known[key] = true
			}
			rows := map[string]bool{}
			published := len(e.Claims) > 0 || strings.Contains(e.Source, "no figures") || strings.Contains(e.Setup, "The paper has a chart alone")
			for _, r := range e.Rows {
				if rows[r.Name()] {
					t.Errorf("two rows are called %s", r.Name())
				}
				rows[r.Name()] = true
				if r.Engine != "cpu" && r.Engine != "cuda" {
					t.Errorf("%s: engine %q", r.Name(), r.Engine)
				}
				for _, setting := range r.Settings {
					if _, err := r.recipe(setting); err != nil {
						t.Errorf("%s: %v", r.Name(), err)
					}
				}
				if len(r.Settings) == 0 {
					t.Errorf("%s has no setting", r.Name())
				}
				for key := range r.Paper {
					published = true
					if !known[key] {
						t.Errorf("%s: the paper's %s has no column", r.Name(), key)
					}
					if figures[key].quantity == duration && r.PaperVoxels == 0 {
						t.Errorf("%s: a published time without its number of voxels", r.Name())
					}
				}
			}
			for _, r := range e.Rows {
				if r.Base != "" && (!rows[r.Base] || !known[Speedup]) {
					t.Errorf("%s: base %q", r.Name(), r.Base)
				}
			}
			if !published {
				t.Error("neither a figure nor a finding of the paper stands beside the rows")
			}
		})
	}
}

// Figures as the papers print them, in seconds.
func TestPublishedFigures(t *testing.T) {
	for _, c := range []struct {
		experiment, row, key string
		want                 float64
	}{
		{"zheng-table1", "256x256, window 7x7, CUDA", Time, 0.131e-3},
		{"zheng-table1", "1024x1024, window 17x17, CUDA", Time, 6.545e-3},
		{"zheng-table1", "1024x1024, window 17x17, CPU", Time, 0},
		{"zheng-table2", "512x512, patch 7x7, window 11x11, CUDA", Time, 17.756e-3},
		{"upadhya-table1", "7x7x7, program, one thread", Time, 51.19},
		{"upadhya-table1", "7x7x7, CPU, one thread", Time, 0},
		{"zheng-transfers", "512x512, CUDA", Transfers, 2e-3},
		{"klepaczko-transfers", "256x256, CUDA", Download, 4.53e-3},
		{"upadhya-table1", "7x7x7, CPU", Time, 0},
		{"upadhya-table1", "17x17x17, CUDA", Time, 28.39},
		{"upadhya-table1", "9x9x9, CPU", MSE, 12.02},
		{"upadhya-table1", "15x15x15, CUDA", PSNR, 37.24},
		{"upadhya-table1", "13x13x13, CUDA", Speedup, 23.75},
		{"upadhya-lk", "L_4, CPU", MSE, 460.8},
		{"bethel-cpu-gpu", "r = 9, naive kernel", Speedup, 30},
		{"bethel-cpu-gpu", "r = 11, tuned kernel", Time, 9.4 / 3},
		{"horacek-table", "NL-Means, program, all cores", Time, 5*3600 + 38*60 + 15},
		{"horacek-table", "NL-Means, CPU", Time, 0},
		{"horacek-table", "NL-Means, CUDA", Time, 4*60 + 22},
		{"horacek-table", "NL-Means, CUDA", Speedup, 20295. / 262},
		{"horacek-table", "Block NLM, CPU", Speedup, 20295. / 1595},
		{"horacek-table", "NL-Means, CPU", Speedup, 0},
		{"horacek-selection", "selected voxels, CUDA", Speedup, 0.5},
		{"klepaczko-table1", "256x256, program, one thread", Time, 0.721},
		{"klepaczko-table1", "256x256, CPU", Time, 0},
		{"klepaczko-table1", "256x256, shared", Speedup, 721 / 2.03},
		{"klepaczko-table1", "256x256, CUDA", Time, 1.73e-3},
	} {
		found := false
		chosen, err := Select(c.experiment)
		if err != nil || len(chosen) != 1 {
			t.Fatal(chosen, err)
		}
		for _, r := range chosen[0].Rows {
			if r.Name() == c.row {
				found = true
				if math.Abs(r.Paper[c.key]-c.want) > 1e-9 {
					t.Errorf("%s, %s: %s is %g, printed is %g", c.experiment, c.row, c.key, r.Paper[c.key], c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s has no row %s", c.experiment, c.row)
		}
	}
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		names string
		want  string
	}{
		{"klepaczko-table1 upadhya-lk", "upadhya-lk klepaczko-table1"},
		{"zheng", "zheng-table1 zheng-table2 zheng-transfers zheng-images zheng-noise zheng-regularised"},
		{"upadhya", "upadhya-table1 upadhya-blocks upadhya-blocks-sample upadhya-lk upadhya-patch"},
		{"upadhya-blocks-all", "upadhya-blocks-all"},
		{"zheng zheng-images", "zheng-table1 zheng-table2 zheng-transfers zheng-images zheng-noise zheng-regularised"},
	} {
		chosen, err := Select(strings.Fields(c.names)...)
		var got []string
		for _, e := range chosen {
			got = append(got, e.Name)
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s selects %v, %v", c.names, got, err)
		}
	}
	if all, err := Select(); err != nil || len(all) != len(Experiments())-1 {
		t.Errorf("no name selects %d experiments, %v", len(all), err)
	}
	var usage *job.UsageError
	if _, err := Select("zheng-table9"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "upadhya-table1") {
		t.Errorf("an unknown name: %v", err)
	}
}

// Every experiment runs the smallest of its rows on the CPU.
func TestSmallestRows(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	path := smallVolume(t, [3]int{24, 22, 9})
	var chosen []Experiment
	for _, e := range Experiments() {
		for _, r := range e.Rows {
			if r.Engine == "cpu" {
				r.Input.Dims = [3]int{min(r.Input.Dims[0], 64), min(r.Input.Dims[1], 64), min(r.Input.Dims[2], 16)}
				r.Settings = r.Settings[:min(len(r.Settings), 2)]
				e.Rows = []Row{r}
				chosen = append(chosen, e)
				break
			}
		}
	}
	report, err := run(context.Background(), chosen, Options{Quick: true, Volume: path}, Events{})
	if err != nil {
		t.Fatal(err)
	}
	onGPU := 0 // experiments for a GPU alone
	for _, e := range Experiments() {
		if !slices.ContainsFunc(e.Rows, func(r Row) bool { return r.Engine == "cpu" }) {
			onGPU++
		}
	}
	if report.Failures() != "" || len(report.Experiments) != len(Experiments())-onGPU || onGPU != 10 {
		t.Errorf("%d experiments; %s", len(report.Experiments), report.Failures())
	}
	for _, x := range report.Experiments {
		r := x.Rows[0]
		if r.Status != Measured || r.Result.Recipe == nil || r.Result.Check.Voxels < 16 {
			t.Errorf("%s: %+v", x.Name, r)
		}
		for _, key := range x.Keys {
			if _, ok := r.Result.Figures[key]; !ok && key != EndToEnd && key != Speedup && key != FirstStep && key != Share && key != SSIM {
				t.Errorf("%s, %s: no %s", x.Name, r.Name, key)
			}
		}
		// What depends on the size is measured on phantoms, whatever volume is named.
		fixed := slices.ContainsFunc(chosen, func(e Experiment) bool { return e.Name == x.Name && e.Rows[0].Input.Fixed })
		if want := fixed || strings.HasPrefix(x.Name, "zheng"); strings.Contains(x.Inputs[0], "phantom") != want || strings.Contains(x.Inputs[0], path) == want {
			t.Errorf("%s: input %q", x.Name, x.Inputs[0])
		}
	}
}

// smallVolume writes a volume with values of 10 to 240 and returns its path.
func smallVolume(t *testing.T, dims [3]int) string {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 10 + float32(i/7%5)*40 + float32(i%13)*5
	}
	path := filepath.Join(t.TempDir(), "small.nii")
	if err := niftitest.Write(context.Background(), path, v, ""); err != nil {
		t.Fatal(err)
	}
	return path
}

// The rungs of all rows exist and take the recipes of their rows.
func TestRowsOnRungs(t *testing.T) {
	n := 0
	for _, e := range Experiments() {
		for _, r := range e.Rows {
			if r.Rung == (kernels.Rung{}) {
				continue
			}
			n++
			g := volume.NewGeometry(r.Input.Dims, [3]float64{1, 1, 1})
			for _, setting := range r.Settings {
				recipe, err := r.recipe(setting)
				if err != nil {
					t.Fatal(err)
				}
				recipe, err = recipe.Resolve(g, denoise.Facts{Hi: 255, Noise: noise.Known(10)})
				if err != nil {
					t.Fatal(err)
				}
				p, err := recipe.Bind(g)
				if err == nil {
					err = r.Rung.Check(p)
				}
				if err != nil || r.Engine != "cuda" {
					t.Errorf("%s, %s: %v", e.Name, r.Name(), err)
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("%d rows on rungs", n)
	}
}

func TestUpadhyaShapes(t *testing.T) {
	shapes := upadhyaShapes()
	all := upadhyaAllShapes()
	if len(shapes) != 119 || len(all) != 2723 {
		t.Errorf("%d shapes of %d", len(shapes), len(all))
	}
	for _, s := range shapes {
		if !slices.Contains(all, s) {
			t.Errorf("%v is not among all shapes", s)
		}
	}
	for _, named := range [][3]int{{4, 24, 3}, {4, 36, 2}, {4, 32, 3}, {4, 24, 4}, {48, 4, 3}, {48, 4, 2}, {36, 4, 2}, {72, 4, 2}} {
		if !slices.Contains(shapes, named) {
			t.Errorf("%v is not among the shapes", named)
		}
	}
}

func TestClaims(t *testing.T) {
	row := func(name, series string, x float64, figures map[string]float64) RowReport {
		return RowReport{Name: name, Series: series, X: x, Status: Measured, Result: RowResult{Figures: figures}}
	}
	at := func(key string, values ...float64) Rows {
		var rows Rows
		for i, v := range values {
			rows = append(rows, row(string(rune('a'+i))+", CPU", "s", 0, map[string]float64{key: v}))
		}
		return rows
	}
	for _, c := range []struct {
		rows  Rows
		holds bool
	}{{at(PSNR, 1, 2, 3), true}, {at(PSNR, 1, 2, 2), true}, {at(PSNR, 1, 3, 2), false}} {
		if holds, _, known := rising(PSNR, "a", "b", "c")(c.rows); holds != c.holds || !known {
			t.Errorf("rising over %+v: %v", c.rows, holds)
		}
	}
	if _, _, known := rising(PSNR, "a", "b", "d")(at(PSNR, 1, 2)); known {
		t.Error("a claim is known without its rows")
	}
	for x, want := range map[float64]bool{1.89: false, 1.91: true, 9: true} {
		if holds, _, known := speedups("s", 2)(at(Speedup, x, x, 100)); holds != want || !known {
			t.Errorf("a speedup of %g: %v", x, holds)
		}
	}
	var rows Rows
	for _, r := range bethelRadii {
		for name, ms := range map[string]float64{"depth": 1, "width": 2} {
			rows = append(rows, row(fmt.Sprintf("r = %d, %s", r, name), name, float64(r), map[string]float64{Time: ms}))
		}
	}
	if holds, detail, known := bethelTraversal().Claims[0].Check(rows); !holds || !known || !strings.Contains(detail, "x2.00") {
		t.Errorf("traversal: %v %q %v", holds, detail, known)
	}
	blocks := Rows{row("(4, 24, 3), 288 threads", "", 4, map[string]float64{Time: 1}), row("(48, 4, 3), 576 threads", "", 48, map[string]float64{Time: 3})}
	if holds, detail, known := upadhyaBlocks().Claims[0].Check(blocks); !holds || !known || !strings.Contains(detail, "the best is (4, 24, 3), 288 threads with 1000 ms, the worst (48, 4, 3)") {
		t.Errorf("blocks: %v %q %v", holds, detail, known)
	}
	for speedup, want := range map[float64]bool{0.99: false, 1.01: true, 7.9: true, 8.1: true} {
		rows := Rows{row("selected voxels, CPU", "", 0, map[string]float64{Speedup: speedup}), row("selected voxels, their kernel, 81 threads", "", 0, map[string]float64{Speedup: speedup}),
			row("selected voxels, their kernel, 169 threads", "", 0, map[string]float64{Speedup: speedup}),
			row("selected voxels, CUDA", "", 0, map[string]float64{Speedup: 2 - speedup}),
			row("NL-Means, CPU", "", 0, map[string]float64{Speedup: 1}), row("Block NLM, CPU", "", 0, map[string]float64{Speedup: speedup})}
		cpu, _, known1 := horacekSelection().Claims[0].Check(rows)
		gpu, _, known2 := horacekSelection().Claims[1].Check(rows)
		ours, _, known4 := horacekSelection().Claims[2].Check(rows)
		blocks, _, known3 := horacekTable().Claims[0].Check(rows)
		if cpu != want || gpu == want || ours != want || blocks != (speedup > 8) || !known1 || !known2 || !known3 || !known4 {
			t.Errorf("selection with a speedup of %g: %v %v %v %v", speedup, cpu, gpu, ours, blocks)
		}
	}
	for c, rows := range map[*Claim]Rows{
		&bethelBlocks().Claims[0]:            {row("r = 11, 2 x 32 blocks, x", "", 2, map[string]float64{Time: 1}), row("r = 11, 4 x 32 blocks, x", "", 4, map[string]float64{Time: 2.6})},
		&upadhyaLk().Claims[0]:               append(at(PSNR), row("Gaussian, CPU", "", 0, map[string]float64{PSNR: 30}), row("L_1, CPU", "", 1, map[string]float64{PSNR: 19}), row("L_2, CPU", "", 1, map[string]float64{PSNR: 20}), row("L_3, CPU", "", 1, map[string]float64{PSNR: 20}), row("L_4, CPU", "", 1, map[string]float64{PSNR: 20})),
		&klepaczkoExperiments()[0].Claims[0]: {row("256x256, basic", "", 0, map[string]float64{Time: 3}), row("256x256, shared", "", 0, map[string]float64{Time: 2}), row("256x256, shared x 2", "", 0, map[string]float64{Time: 1})},
		&bethelGaussian().Claims[0]:          {row("gaussian, CPU", "", 0, map[string]float64{PSNR: 20}), row("bilateral, CPU", "", 0, map[string]float64{PSNR: 21})},
	} {
		if holds, detail, known := c.Check(rows); !holds || !known {
			t.Errorf("%s: %v %q %v", c.Text, holds, detail, known)
		}
		for i := range rows {
			less := slices.Clone(rows)
			less[i].Status, less[i].Result.Figures = Missing, nil
			if _, _, known := c.Check(less); known {
				t.Errorf("%s is known without %s", c.Text, rows[i].Name)
			}
		}
	}
}
