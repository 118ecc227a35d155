package bench

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// stepped takes a time for each pass of a program.
type stepped struct{ counted }

func (s *stepped) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, p denoise.Progress) (*volume.Volume, error) {
	program, err := r.ProgramFor(ctx, in, region)
	if err != nil {
		return nil, err
	}
	s.takes = 40 * time.Millisecond
	if len(program.Passes) > 1 {
		s.takes *= 10
	}
	return s.counted.Run(ctx, r, in, region, p)
}

// The first step of a filter is timed on its own, in every turn, and its share is that of
// the filter's time.
func TestFirstStep(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	e := three()[0]
	e.Figures = []string{Time, FirstStep, Share}
	e.Rows = e.Rows[:2]
	for i := range e.Rows {
		e.Rows[i].Filter, e.Rows[i].Settings, e.Rows[i].Paper, e.Rows[i].Base = "sadct", []string{"sigma=10 scales=1,2,3 wiener-scales=1,2"}, nil, ""
	}
	e.Rows[0].Step = "scales"
	e.Claims = []Claim{{Text: "A finding.", Check: func(Rows) (bool, string, bool) { return true, "", true }}}
	engine := &stepped{counted{Engine: cpu.New()}}
	o := Options{Quick: true, pick: func(string, int) (denoise.Engine, string) { return engine, "" }}
	report, err := run(context.Background(), []Experiment{e}, o, Events{})
	if err != nil || report.Failures() != "" {
		t.Fatal(err, report.Failures())
	}
	with, without := report.Experiments[0].Rows[0].Result, report.Experiments[0].Rows[1].Result
	if len(with.Turns) != turns || len(with.Steps) != turns || with.Figures[FirstStep] != median(with.Steps) {
		t.Errorf("turns %v, steps %v, figures %v", with.Turns, with.Steps, with.Figures)
	}
	if share := with.Figures[Share]; share != with.Figures[FirstStep]/with.Figures[Time] || share > 0.5 || share < 0.05 {
		t.Errorf("a share of %g of %v", share, with.Figures)
	}
	if has(without.Figures, FirstStep) || has(without.Figures, Share) || without.Steps != nil {
		t.Errorf("a row without a step: %+v", without)
	}
	x := report.Experiments[0]
	x.Rows[0].Result.Steps[1], x.Rows[0].Result.Turns[1] = 1, 4
	if share := x.atTurn(1)[0].Result.Figures[Share]; share != 0.25 {
		t.Errorf("a share of %g in a turn", share)
	}
	e.Rows[0].Step = "nothing"
	if report, err = run(context.Background(), []Experiment{e}, o, Events{}); err != nil || !strings.Contains(report.Failures(), `no pass "nothing"`) {
		t.Errorf("an unknown step: %q, %v", report.Failures(), err)
	}
}

// A row that filters after every pass takes the setting of the best of several
// reconstructions, and says which one it filtered.
func TestEveryPass(t *testing.T) {
	in := Input{Kind: Scan, Dims: [3]int{48, 48, 1}, Views: 90, SNR: 3}
	e := Experiment{Name: "test-passes", Paper: zheng, Figures: []string{PSNRBefore, PSNR}, Unit: "ms", Rows: []Row{
		{Label: "once", Series: "CPU", Engine: "cpu", Input: in, Filter: "gaussian", Dims: 2, Settings: []string{"radius=2 voxel-units=true sigma-spatial=0.6"}},
		{Label: "each", Series: "CPU", Engine: "cpu", Input: in, Filter: "gaussian", Dims: 2, Settings: []string{"radius=5 voxel-units=true sigma-spatial=9", "radius=2 voxel-units=true sigma-spatial=0.6", "radius=5 voxel-units=true sigma-spatial=8"}, EveryPass: true},
	}}
	report, err := run(context.Background(), []Experiment{e}, newCounted().options(Options{}), Events{})
	if err != nil || report.Failures() != "" {
		t.Fatal(err, report.Failures())
	}
	once, each := report.Experiments[0].Rows[0].Result, report.Experiments[0].Rows[1].Result
	if each.Recipe.String() != once.Recipe.String() {
		t.Errorf("chosen: %v, want %v", each.Recipe, once.Recipe)
	}
	if want := "SART with 5 passes, gaussian radius=2 voxel-units=true sigma-spatial=0.6 after each but the last, air"; !strings.Contains(each.Input, want) || strings.Contains(once.Input, "but the last") {
		t.Errorf("input %q", each.Input)
	}
	if a, b := once.Figures[PSNRBefore], each.Figures[PSNRBefore]; !(b > a) {
		t.Errorf("before the last filter %g dB, without the other filters %g dB", b, a)
	}
}

// The filter runs after every pass but the last.
func TestRegularise(t *testing.T) {
	in, _ := openInputs(context.Background(), "", false, job.Events{})
	q := Input{Kind: Scan, Dims: [3]int{32, 32, 1}, Views: 12, Passes: 1}
	image := func(passes int, filter string) []float32 {
		q.Passes, q.Regularise = passes, filter
		m, err := in.get(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		return m.noisy.Data
	}
	const blur = "gaussian radius=3 voxel-units=true sigma-spatial=2"
	for i, x := range image(1, "") {
		if y := image(1, blur)[i]; math.Abs(float64(x-y)) > 1e-3 {
			t.Fatalf("one pass has no other before it: pixel %d is %g and %g", i, x, y)
		}
	}
	if slices.Equal(image(2, ""), image(2, blur)) || slices.Equal(image(2, blur), image(3, blur)) {
		t.Error("the filter or the number of passes changes nothing")
	}
	for _, wrong := range []string{"nothing h=3", "nlm h=-3"} {
		if _, err := in.get(context.Background(), Input{Kind: Scan, Dims: [3]int{32, 32, 1}, Regularise: wrong}); err == nil {
			t.Errorf("%q is a filter", wrong)
		}
	}
}

func TestGains(t *testing.T) {
	for at, want := range map[float64]int{0.1: 2, -0.1: 1} {
		c := gains("Better.", func(Rows) ([]gain, bool) { return []gain{{"here", 1}, {"there", at}}, true })
		holds, detail, known := c.Check(nil)
		if parts := c.Parts(nil); holds != (at > 0) || !known || !strings.HasPrefix(detail, "+1.00 dB here; ") || !parts[0] || parts[1] != (want == 2) {
			t.Errorf("%g: %v %q %v", at, holds, detail, known)
		}
	}
	claims := zhengRegularised().Claims
	for i, gain := range []float64{0.1, -0.1} {
		var rows Rows
		for _, n := range []string{"90", "45", "30"} {
			for _, filter := range []string{"bilateral", "nlm"} {
				rows = append(rows, claimRow(n+" views, "+filter+", once after 5 passes, CPU", PSNR, 30), claimRow(n+" views, "+filter+", once after 10 passes, CPU", PSNR, 29),
					claimRow(n+" views, "+filter+", after every pass of 10, CPU", PSNR, 30+gain))
			}
		}
		if holds, detail, known := claims[0].Check(rows); holds != (i == 0) || !known {
			t.Errorf("%g: %v %q %v", gain, holds, detail, known)
		}
		if _, detail, known := claims[0].Check(rows[:6]); !known || strings.Count(detail, " dB ") != 2 { // as a quick run has them
			t.Errorf("90 views alone: %q %v", detail, known)
		}
		if _, _, known := claims[0].Check(rows[1:3]); known {
			t.Error("known without a row to compare with")
		}
		if holds, _, known := claims[1].Check(rows); holds || !known {
			t.Errorf("equal filters: %v %v", holds, known)
		}
	}
}

// A straightforward program, which takes hours, never runs over the whole input.
func TestWholeProgram(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{512, 512, 40}, [3]float64{1, 1, 1}))
	row := horacekRow("NL-Means", "nlm", "h=10 "+horacekSet)
	_, every := row.programs(nil)
	for _, quick := range []bool{false, true} {
		m := measurement{row: every, image: &sample{noisy: v}, quick: quick, engine: scalarEngine{threads: 16}}
		r, err := every.recipe("h=10 sigma=0 rician=false " + horacekSet)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.part(r); err != nil || got.Voxels() == 0 || got == v.Bounds() {
			t.Errorf("quick %v: %v, %v", quick, got, err)
		}
	}
}
