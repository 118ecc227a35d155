package bench

import (
	"fmt"
	"strings"
	"testing"

	"quell/denoise"
)

// claimRow returns a measured row with one figure.
func claimRow(name, key string, x float64) RowReport {
	return RowReport{Name: name, Status: Measured, Result: RowResult{Figures: map[string]float64{key: x}}}
}

func TestSameImages(t *testing.T) {
	h := func(set string) *denoise.Recipe {
		r, err := Row{Filter: "nlm", Dims: 3}.recipe(set)
		if err != nil {
			t.Fatal(err)
		}
		return &r
	}
	row := func(name string, recipe *denoise.Recipe, slices int, mse, psnr float64) RowReport {
		return RowReport{Name: name, Status: Measured, Result: RowResult{Input: "in", Slices: slices, Recipe: recipe, Figures: map[string]float64{MSE: mse, PSNR: psnr}}}
	}
	for _, c := range []struct {
		name         string
		other        RowReport
		holds, known bool
	}{
		{"equal", row("CUDA", h("h=10"), 5, 12.0004, 30.0004), true, true},
		{"another MSE", row("CUDA", h("h=10"), 5, 12.0006, 30), false, true},
		{"another PSNR", row("CUDA", h("h=10"), 5, 12, 29.9994), false, true},
		{"other slices", row("CUDA", h("h=10"), 6, 13, 31), true, false},
		{"another recipe", row("CUDA", h("h=11"), 5, 13, 31), true, false},
		{"missing", RowReport{Status: Missing}, true, false},
	} {
		holds, detail, known := sameImages.Check(Rows{row("CPU", h("h=10"), 5, 12, 30), c.other})
		if holds != c.holds || known != c.known || !strings.Contains(detail, "MSE differs by") {
			t.Errorf("%s: %v %q %v", c.name, holds, detail, known)
		}
	}
	// A row that was not measured and one of another recipe stand between two of the same.
	between := Rows{row("CPU", h("h=10"), 5, 12, 30), {Status: Missing}, row("CPU", h("h=11"), 5, 13, 31), row("CUDA", h("h=10"), 5, 12.1, 30)}
	if holds, _, known := sameImages.Check(between); holds || !known {
		t.Errorf("rows between: %v, %v; want a difference to be found", holds, known)
	}
	for _, e := range Experiments() {
		has := false
		for _, c := range e.Claims {
			has = has || c.Text == sameImages.Text
		}
		if has != e.comparesImages() {
			t.Errorf("%s compares images: %v, and engines: %v", e.Name, e.comparesImages(), has)
		}
	}
	// The errors of noisy images are compared by their share.
	for mse, want := range map[float64]bool{2400.09: true, 2400.11: false} {
		if holds, _, _ := sameImages.Check(Rows{row("CPU", h("h=10"), 5, 2400, 10), row("CUDA", h("h=10"), 5, mse, 10)}); holds != want {
			t.Errorf("2400 and %g are the same: %v; want %v", mse, holds, want)
		}
	}
}

// The errors of table 1 are errors on anatomy; a phantom says nothing about them.
func TestUpadhyaErrors(t *testing.T) {
	row := func(mse float64) RowReport {
		r := claimRow("7x7x7, CPU", MSE, mse)
		r.Paper = map[string]float64{MSE: 12}
		return r
	}
	phantom, missing, failed := row(12), RowReport{Status: Missing}, RowReport{Status: Failed, Paper: map[string]float64{MSE: 12}}
	phantom.Result.Phantom = true
	thread := claimRow("7x7x7, CPU, one thread", MSE, 13) // of other slices than the paper's
	for i, c := range []struct {
		rows         Rows
		holds, known bool
	}{
		{Rows{row(12), row(12.149), missing, thread}, true, true}, {Rows{row(12), row(11.851)}, true, true}, {Rows{row(12), row(12.151)}, false, true},
		{Rows{row(12), row(11.849)}, false, true}, {Rows{row(12), failed}, false, false}, {Rows{phantom}, false, false}, {Rows{missing}, true, false},
	} {
		if holds, detail, known := upadhyaErrors(c.rows); holds != c.holds || known != c.known {
			t.Errorf("case %d: %v %q %v", i, holds, detail, known)
		}
	}
}

func TestClaimsOfBethelAndKlepaczko(t *testing.T) {
	for ratio, want := range map[float64]bool{5.6: false, 5.8: true} {
		var rows Rows
		for _, r := range bethelRadii {
			rows = append(rows, claimRow(fmt.Sprintf("r = %d, tuned kernel", r), Time, 1), claimRow(fmt.Sprintf("r = %d, naive kernel", r), Time, ratio))
		}
		if holds, _, known := bethelEngines().Claims[2].Check(rows); holds != want || !known {
			t.Errorf("a tuned kernel %g times as fast: %v %v", ratio, holds, known)
		}
	}
	registers := klepaczkoExperiments()[2].Claims
	for best, want := range map[float64]bool{0.9: true, 1.1: false} {
		for i, size := range []string{"10 slices of 256x256", "1024x1024"} {
			var rows Rows
			for k, n := range []int{32, 40, 48, 64} {
				rows = append(rows, claimRow(fmt.Sprintf("%d registers, %s", n, size), Time, []float64{1, 2, best, 3}[k]))
			}
			if holds, _, known := registers[i].Check(rows); holds != want || !known {
				t.Errorf("%s pixels, %g at best: %v %v", size, best, holds, known)
			}
			if _, _, known := registers[1-i].Check(rows); known {
				t.Errorf("known from %s pixels", size)
			}
			if _, _, known := registers[i].Check(rows[:3]); known {
				t.Error("known without 64 registers")
			}
		}
	}
	noise := klepaczkoExperiments()[3].Claims[0]
	for share, want := range map[float64]bool{0.09: true, 0.11: false} {
		if holds, detail, known := noise.Check(Rows{claimRow("a", Share, 0.01), claimRow("b", Share, share)}); holds != want || !known || !strings.Contains(detail, fmt.Sprintf("%g", 100*share)) {
			t.Errorf("a share of %g: %v %q %v", share, holds, detail, known)
		}
	}
	stable := klepaczkoExperiments()[3].Claims[1]
	for gain, want := range map[float64]bool{0.1: true, -0.1: false} {
		var rows Rows
		for s := 1; s <= 5; s++ {
			for _, filter := range []string{"", "SA-DCT, "} {
				rows = append(rows, claimRow(fmt.Sprintf("s = %d, %sRician, stabilised, CPU", s, filter), PSNR, 30+gain*float64(s)), claimRow(fmt.Sprintf("s = %d, %sRician, CPU", s, filter), PSNR, 30))
			}
		}
		if holds, detail, known := stable.Check(rows); holds != want || !known {
			t.Errorf("stabilised: %v %q %v", holds, detail, known)
		}
		if _, _, known := stable.Check(rows[1:]); known {
			t.Error("known without a row")
		}
	}
	if _, _, known := noise.Check(Rows{claimRow("a", Time, 1)}); known {
		t.Error("the share is known without rows")
	}
}

func TestClaimsOfHoracek(t *testing.T) {
	claim := horacekTable().Claims[1]
	for blocks, want := range map[float64]bool{29: true, 31: false} {
		rows := Rows{claimRow("NL-Means, their kernel, 81 threads", Speedup, 30), claimRow("Block NLM, CPU", Speedup, blocks)}
		if holds, _, known := claim.Check(rows); holds != want || !known {
			t.Errorf("blocks with x%g: %v %v", blocks, holds, known)
		}
		for i := range rows {
			if _, _, known := claim.Check(rows[i : i+1]); known {
				t.Errorf("known from %s alone", rows[i].Name)
			}
		}
	}
}
