package batch

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Metrics counts what a process did, in the text format of Prometheus. It holds no names.
// Its methods may be called from several goroutines.
type Metrics struct {
	mu      sync.Mutex
	states  [3]int // as in metricStates
	reused  int
	voxels  int
	seconds [4]float64 // as in metricStages
	status  Status
}

var (
	metricStates = [3]State{Done, Failed, Duplicate}
	metricStages = [4]string{"load", "filter", "measure", "write"}
)

// Events returns events that count and then call others.
func (m *Metrics) Events(others Events) Events {
	return Events{
		Result: func(r Result) {
			m.count(r)
			if others.Result != nil {
				others.Result(r)
			}
		},
		Status: func(s Status) {
			m.mu.Lock()
			m.status = s
			m.mu.Unlock()
			if others.Status != nil {
				others.Status(s)
			}
		},
	}
}

func (m *Metrics) count(r Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Reused {
		m.reused++
		return
	}
	for i, state := range metricStates {
		if r.State == state {
			m.states[i]++
		}
	}
	m.voxels += r.voxels()
	for i, s := range [4]float64{r.Seconds.Load, r.Seconds.Filter, r.Seconds.Measure, r.Seconds.Write} {
		m.seconds[i] += s
	}
}

// ServeHTTP answers every request with the metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.write(w)
}

func (m *Metrics) write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head := func(name, kind, help string) { fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	head("quell_series_total", "counter", "Series that ended in this process, by state.")
	for i, state := range metricStates {
		fmt.Fprintf(w, "quell_series_total{state=%q} %d\n", state, m.states[i])
	}
	head("quell_series_reused_total", "counter", "Series whose output was there before.")
	fmt.Fprintf(w, "quell_series_reused_total %d\n", m.reused)
	head("quell_voxels_total", "counter", "Voxels that were filtered.")
	fmt.Fprintf(w, "quell_voxels_total %d\n", m.voxels)
	head("quell_seconds_total", "counter", "Seconds that stages of series took, those that wait for the engine included.")
	for i, stage := range metricStages {
		fmt.Fprintf(w, "quell_seconds_total{stage=%q} %g\n", stage, m.seconds[i])
	}
	head("quell_finished_ratio", "gauge", "Share of the batch that is finished.")
	fmt.Fprintf(w, "quell_finished_ratio %g\n", m.status.Share)
	head("quell_left_seconds", "gauge", "Seconds to the end at the rate so far; 0 where that is not known.")
	fmt.Fprintf(w, "quell_left_seconds %g\n", m.status.Left.Seconds())
}
