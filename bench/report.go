package bench

import (
	"fmt"
	"maps"
	"runtime"
	"strings"
	"time"

	"quell/app/job"
)

// Report is the result of a run. It is what quell bench --json prints.
type Report struct {
	Version     string             `json:"version"`
	Command     string             `json:"command"`
	Started     time.Time          `json:"started"`
	Seconds     float64            `json:"seconds"`
	System      string             `json:"system"` // "linux/amd64"
	Go          string             `json:"go"`     // that built the program
	Quick       bool               `json:"quick"`
	Missing     int                `json:"rows_missing,omitempty"` // of a run that was cancelled
	Engines     []EngineReport     `json:"engines"`
	Experiments []ExperimentReport `json:"experiments"`
}

// EngineReport is an engine that rows ran on, or that is missing.
type EngineReport struct {
	Name    string         `json:"name"`
	Device  string         `json:"device,omitempty"`
	Driver  string         `json:"driver,omitempty"`  // "580.65.06, CUDA 13.0"
	Kernels string         `json:"kernels,omitempty"` // the start of the hash of the GPU's kernels
	Shapes  map[string]int `json:"shapes,omitempty"`  // launch shapes that quell bench --tune found
	Cores   int            `json:"cores,omitempty"`
	Clock   float64        `json:"clock,omitempty"`  // of a GPU, in Hz, as its driver reports it
	Compute [2]int         `json:"compute,omitzero"` // compute capability of a GPU
	Memory  int64          `json:"memory,omitempty"` // bytes
	Why     string         `json:"why,omitempty"`    // it is missing
}

// ExperimentReport is an experiment and its rows.
type ExperimentReport struct {
	Name   string         `json:"name"`
	Paper  Paper          `json:"paper"`
	Source string         `json:"source"`
	Title  string         `json:"title"`
	Setup  string         `json:"setup"`
	Inputs []string       `json:"inputs"` // that were filtered
	Unit   string         `json:"-"`      // of times, if they are printed
	Keys   []string       `json:"-"`      // of the columns
	Rows   []RowReport    `json:"rows"`
	Claims []ClaimReport  `json:"claims"`
	charts []chartPicture // drawn for files and the HTML page
}

// Status is what became of a row.
type Status string

// The kinds of Status.
const (
	Measured Status = "measured"
	Missing  Status = "missing" // there is no such engine here
	Failed   Status = "failed"
)

// RowReport is a row: the paper's figures, those measured here, and their ratio.
// Times are in seconds.
type RowReport struct {
	Name        string             `json:"name"`
	Series      string             `json:"series"`
	X           float64            `json:"x"`
	Y           float64            `json:"y,omitempty"`
	Engine      string             `json:"engine"`
	Status      Status             `json:"status"`
	Why         string             `json:"why,omitempty"` // it was not measured
	Paper       map[string]float64 `json:"paper,omitempty"`
	PaperVoxels int                `json:"paper_voxels,omitempty"`
	Base        string             `json:"-"`
	// Ratio is, of times, how many times faster a voxel is here, of others here over
	// paper, and of levels in dB here less paper.
	Ratio   map[string]float64 `json:"ratio,omitempty"`
	Earlier bool               `json:"earlier,omitempty"` // measured by an unfinished run
	Result  RowResult          `json:"here"`
}

// ClaimReport is a finding of the paper, and whether it holds here.
type ClaimReport struct {
	Text   string `json:"text"`
	Known  bool   `json:"known"` // the rows that it needs were measured
	Holds  bool   `json:"holds"`
	Detail string `json:"detail,omitempty"`
	Part   bool   `json:"part,omitempty"` // it holds for some rows alone
	Why    string `json:"why,omitempty"`  // it is not judged
	// Of is the number of rows, or groups of rows, that it is about, and HoldsFor for how
	// many of them it holds in every turn.
	Of       int `json:"of,omitempty"`
	HoldsFor int `json:"holds_for,omitempty"`
}

// Verdict returns "holds", "holds in part", "does not hold", "not judged" or "not measured".
func (c ClaimReport) Verdict() string {
	switch {
	case !c.Known:
		return "not measured"
	case c.Why != "":
		return "not judged"
	case c.Part:
		return fmt.Sprintf("holds in part, for %d of %d", c.HoldsFor, c.Of)
	case c.Holds:
		return "holds"
	}
	return "does not hold"
}

// Rows are the rows of an experiment, for claims.
type Rows []RowReport

// Figure returns a figure of the first measured row with that label, on whatever
// engine; ok is false if there is none.
func (rows Rows) Figure(label, key string) (x float64, ok bool) {
	for _, r := range rows {
		if strings.HasPrefix(r.Name, label+", ") && r.Status == Measured {
			if x, ok = r.Result.Figures[key]; ok {
				return x, true
			}
		}
	}
	return 0, false
}

// Exact is Figure for the row of that name.
func (rows Rows) Exact(name, key string) (x float64, ok bool) {
	for _, r := range rows {
		if r.Name == name && r.Status == Measured {
			x, ok = r.Result.Figures[key]
			return x, ok
		}
	}
	return 0, false
}

func newReport(o Options) Report {
	return Report{Version: job.Version(), Command: o.Command, Started: time.Now(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Quick: o.Quick}
}

func describe(e Experiment) ExperimentReport {
	return ExperimentReport{Name: e.Name, Paper: e.Paper, Source: e.Source, Title: e.Title, Setup: e.Setup, Unit: e.Unit, Keys: e.Figures,
		Inputs: []string{}, Claims: []ClaimReport{}}
}

// finish computes what follows from the rows together.
func (x *ExperimentReport) finish(e Experiment) {
	seen := map[string]bool{}
	for i := range x.Rows {
		r := &x.Rows[i]
		if r.Status != Measured {
			continue
		}
		x.speedup(r)
		r.Ratio = r.ratios()
		if !seen[r.Result.Input] {
			seen[r.Result.Input] = true
			x.Inputs = append(x.Inputs, r.Result.Input)
		}
	}
	for _, c := range e.Claims {
		x.Claims = append(x.Claims, x.judge(c))
	}
	x.charts = drawCharts(e.Charts, *x)
}

// speedup divides the time of the row's base, per voxel, by its own, and the time of its
// first step by the whole.
func (x *ExperimentReport) speedup(r *RowReport) {
	if step, ok := r.Result.Figures[FirstStep]; ok && r.Result.Figures[Time] > 0 {
		r.Result.Figures = maps.Clone(r.Result.Figures)
		r.Result.Figures[Share] = step / r.Result.Figures[Time]
	}
	for _, base := range x.Rows {
		if base.Name != r.Base || base.Status != Measured {
			continue
		}
		if own, whole := r.perVoxel(Time), base.perVoxel(Time); own > 0 && whole > 0 {
			r.Result.Figures = maps.Clone(r.Result.Figures)
			r.Result.Figures[Speedup] = whole / own
		}
	}
}

// perVoxel returns a time in seconds for each voxel; 0 if it was not measured.
func (r *RowReport) perVoxel(key string) float64 {
	if r.Result.Voxels == 0 {
		return 0
	}
	return r.Result.Figures[key] / float64(r.Result.Voxels)
}

func (r *RowReport) ratios() map[string]float64 {
	ratio := map[string]float64{}
	for key, published := range r.Paper {
		here, ok := r.Result.Figures[key]
		if !ok {
			continue
		}
		switch figures[key].quantity {
		case duration:
			if r.PaperVoxels > 0 && here > 0 {
				ratio[key] = published / float64(r.PaperVoxels) / r.perVoxel(key)
			}
		case level:
			ratio[key] = here - published
		default:
			ratio[key] = here / published
		}
	}
	return ratio
}

// Failures returns a sentence about the rows that failed; "" if none did.
func (r Report) Failures() string {
	first, n := "", 0
	for _, e := range r.Experiments {
		for _, row := range e.Rows {
			if row.Status == Failed {
				if n == 0 {
					first = fmt.Sprintf("%s, %s: %s", e.Name, row.Name, row.Why)
				}
				n++
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "a row failed: " + first
	}
	return fmt.Sprintf("%d rows failed, the first %s", n, first)
}
