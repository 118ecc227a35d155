package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/app/job"
	"quell/denoise"
	"quell/kernels"
)

// Experiment reproduces one table or figure of a paper.
type Experiment struct {
	Name    string   // "upadhya-table1"
	Paper   Paper    //
	Source  string   // the tables and figures: "table 1, figures 3 and 4"
	Title   string   // what it shows, a clause
	Setup   string   // parameters and data, and how what the paper leaves open is filled, in sentences
	Figures []string // keys of the columns, see figures
	Unit    string   // of times: "ms" or "s"
	Rows    []Row
	Claims  []Claim
	Charts  []Chart
	ByName  bool // it has so many rows that it runs only if it is named
}

// comparesImages reports whether a column of the experiment needs the truth.
func (e Experiment) comparesImages() bool {
	return slices.ContainsFunc(e.Figures, func(key string) bool { return slices.Contains([]string{MSE, PSNR, SSIM, PSNRBefore}, key) })
}

// Row is one measurement: a filter on an input on an engine.
type Row struct {
	Label   string       // "11x11x11"
	Series  string       // which rows are compared along X: "CPU", "CUDA"
	X, Y    float64      // position in charts
	Engine  string       // "cpu" or "cuda"
	Rung    kernels.Rung // a kernel of a ladder in place of the one that ships; zero for none
	Threads int          // of the CPU engine, at most; 0: all
	Scalar  bool         // the straightforward program in place of the CPU engine, see scalarEngine
	Input   Input
	Filter  string
	Dims    int
	// Settings are the parameters, as "h=10 search-radius=3". With more than one the
	// setting of the least mean squared error is the row's.
	Settings []string
	// Paper holds the published figures by key. Those with a time are of PaperVoxels
	// voxels, so that a row on another number of voxels can be compared.
	Paper       map[string]float64
	PaperVoxels int
	Base        string             // name of the row with the time that over this one's is the speedup, or the share
	Long        bool               // a quick run leaves the row out
	Whole       bool               // the row is not shortened by Options.Quick
	Pictures    bool               // keep pictures of the middle slice
	Profile     bool               // keep the middle row of the middle slice
	Known       map[string]float64 // figures that need no measurement; nil for none
	Automatic   string             // a parameter that is found from the input, for the note; "" for none
	Step        string             // the pass up to which the filter is timed too, for FirstStep and Share; "" for none
	EveryPass   bool               // the row's recipe has filtered after every earlier pass of the reconstruction too, see Input.Regularise

	// measure replaces the usual measurement, see bench.measureRow; nil for that one.
	measure func(m *measurement) error
}

// Name identifies the row in its experiment.
func (r Row) Name() string { return r.Label + ", " + r.Series }

// pseudoResidual is the setting of Coupe's h, which is found from the row's input.
const pseudoResidual = "h=coupe"

// recipe returns the row's recipe with one of its settings.
func (r Row) recipe(setting string) (denoise.Recipe, error) {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return denoise.Recipe{}, err
	}
	return f.Recipe(denoise.Case{Dims: r.Dims, Set: setting})
}

// figure describes a column.
type figure struct {
	title string
	unit  string // "" for a plain number; times have the experiment's
	// quotient states that the ratio to the paper is here / paper; a time's is the
	// ratio of the speeds; a level in dB has a difference and no ratio.
	quantity quantity
}

type quantity int

const (
	plain quantity = iota
	duration
	level
)

// The keys of figures.
const (
	Time       = "time"     // of the filter; on a GPU of its kernels
	EndToEnd   = "endtoend" // on a GPU, with transfers
	Upload     = "upload"
	Download   = "download"
	Speedup    = "speedup"
	FirstStep  = "step"      // the time of the passes up to Row.Step
	Share      = "share"     // of FirstStep in Time
	Occupancy  = "occupancy" // at most, of the threads of a multiprocessor
	Transfers  = "transfers" // to and from the device
	MSE        = "mse"
	PSNR       = "psnr"
	SSIM       = "ssim"
	PSNRBefore = "psnr_before" // of the input
)

var figures = map[string]figure{
	Time:       {"time", "", duration},
	EndToEnd:   {"with transfers", "", duration},
	Upload:     {"to the device", "", duration},
	Download:   {"from the device", "", duration},
	Speedup:    {"speedup", "x", plain},
	FirstStep:  {"first step", "", duration},
	Share:      {"its share", "", plain},
	Occupancy:  {"occupancy at most", "", plain},
	Transfers:  {"transfers", "", duration},
	MSE:        {"MSE", "", plain},
	PSNR:       {"PSNR", "dB", level},
	SSIM:       {"SSIM", "", plain},
	PSNRBefore: {"PSNR before", "dB", level},
}

// Claim is a finding of the paper that the rows can confirm or refute.
type Claim struct {
	Text string // "the L_k weights are worse than Gaussian weights by 10 dB or more"
	// Check returns whether the claim holds for the rows and the figures that show it.
	// known is false if a row that it needs was not measured.
	Check func(rows Rows) (holds bool, detail string, known bool)
	// Parts, if not nil, returns whether the claim holds for each of the rows that it is
	// about, so that it can hold in part.
	Parts func(rows Rows) []bool
}

// Experiments returns every experiment, by paper.
func Experiments() []Experiment {
	all := slices.Concat(zhengExperiments(), upadhyaExperiments(), bethelExperiments(), horacekExperiments(), klepaczkoExperiments())
	for i := range all {
		if all[i].comparesImages() {
			all[i].Claims = append(all[i].Claims, sameImages)
		}
	}
	return all
}

// sameShare is the share by which mean squared errors of the same image may differ: that of 12,
// which the papers have, in its third decimal.
const sameShare = 0.0005 / 12

// sameImages checks that a recipe has the same error on the same slices, whatever the engine and
// its kernels.
var sameImages = Claim{
	Text: "Every engine and kernel gives the same image.",
	Check: func(rows Rows) (bool, string, bool) {
		first := map[string]RowResult{}
		compared, mse, psnr, same := 0, 0.0, 0.0, true
		for _, r := range rows {
			if r.Status != Measured || !has(r.Result.Figures, PSNR) {
				continue
			}
			key := fmt.Sprint(r.Result.Input, r.Result.Slices, r.Result.Recipe)
			other, seen := first[key]
			if !seen {
				first[key] = r.Result
				continue
			}
			compared++
			apart := math.Abs(r.Result.Figures[MSE] - other.Figures[MSE])
			mse, same = max(mse, apart), same && apart < sameShare*max(other.Figures[MSE], 12)
			psnr = max(psnr, math.Abs(r.Result.Figures[PSNR]-other.Figures[PSNR]))
		}
		return same && psnr < 0.0005, fmt.Sprintf("MSE differs by %.5f, PSNR by %.5f dB at most", mse, psnr), compared > 0
	},
}

// Select returns the experiments of the given names, in the order of Experiments; for
// no name all of them except the ones that run ByName. A paper's name, such as
// "zheng", selects its experiments likewise. An unknown name is an job.UsageError.
func Select(names ...string) ([]Experiment, error) {
	all := Experiments()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(e Experiment) bool { return e.ByName }), nil
	}
	chosen := map[string]bool{}
	for _, name := range names {
		found := false
		for _, e := range all {
			if e.Name == name || (e.Paper.Key == name && !e.ByName) {
				chosen[e.Name], found = true, true
			}
		}
		if !found {
			known := make([]string, len(all))
			for i, e := range all {
				known[i] = e.Name
			}
			return nil, job.Usagef("no experiment is called %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(e Experiment) bool { return !chosen[e.Name] }), nil
}

// both returns a row for each engine, with its own published figures.
func both(r Row, cpu, cuda map[string]float64) []Row {
	onCPU, onGPU := r, r
	onCPU.Engine, onCPU.Series, onCPU.Paper = "cpu", "CPU", cpu
	onGPU.Engine, onGPU.Series, onGPU.Paper = "cuda", "CUDA", cuda
	if r.Series != "" {
		onCPU.Series, onGPU.Series = r.Series+", CPU", r.Series+", CUDA"
	}
	return []Row{onCPU, onGPU}
}

// on returns the row on a rung of the GPU, with its published figures.
func (r Row) on(series string, rung kernels.Rung, paper map[string]float64) Row {
	r.Engine, r.Series, r.Rung, r.Paper = "cuda", series, rung, paper
	return r
}

// programs returns the row as the straightforward program, on one thread and on all
// cores, with the published figures of the first.
func (r Row) programs(paper map[string]float64) (one, all Row) {
	r.Engine, r.Scalar, r.Rung, r.Base, r.Pictures, r.Profile, r.Whole = "cpu", true, kernels.Rung{}, "", false, false, false
	one, all = r, r
	one.Series, one.Threads, one.Paper = "program, one thread", 1, paper
	all.Series, all.Paper, all.Base = "program, all cores", nil, one.Name()
	return one, all
}

// cube returns "7x7x7".
func cube(n int) string { return fmt.Sprintf("%dx%dx%d", n, n, n) }

// square returns "7x7".
func square(n int) string { return fmt.Sprintf("%dx%d", n, n) }
