package batch

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/VictoriaMetrics/metrics"

	"quell/app/job"
)

// Metrics counts the work of a process, for Prometheus, besides the usual figures of the process
// and of Go. It holds no names. Its methods may be called from several goroutines.
type Metrics struct {
	set     *metrics.Set
	series  map[SeriesState]*metrics.Counter
	reused  *metrics.Counter
	voxels  *metrics.Counter
	seconds map[string]*metrics.FloatCounter // by stage

	mu     sync.Mutex
	status Progress
}

// NewMetrics returns metrics that count from zero.
func NewMetrics() *Metrics {
	metrics.ExposeMetadata(true) // the lines with types
	set := metrics.NewSet()
	m := &Metrics{
		set: set, series: map[SeriesState]*metrics.Counter{}, seconds: map[string]*metrics.FloatCounter{},
		reused: set.NewCounter("quell_series_reused_total"), // outputs that were there before
		voxels: set.NewCounter("quell_voxels_total"),
	}
	for _, state := range []SeriesState{Done, Failed, Duplicate} { // of the series that ended in this process
		m.series[state] = set.NewCounter(fmt.Sprintf("quell_series_total{state=%q}", state))
	}
	for stage := range stages(SeriesResult{}) {
		m.seconds[stage] = set.NewFloatCounter(fmt.Sprintf("quell_seconds_total{stage=%q}", stage))
	}
	gauge := func(name string, value func(Progress) float64) {
		set.NewGauge(name, func() float64 {
			m.mu.Lock()
			defer m.mu.Unlock()
			return value(m.status)
		})
	}
	// Files and folders that are not finished; of a worker process the ones that it works on.
	gauge(`quell_units{state="queued"}`, func(s Progress) float64 { return float64(s.Queued) })
	gauge(`quell_units{state="in_work"}`, func(s Progress) float64 { return float64(s.InWork) })
	gauge("quell_units_redelivered", func(s Progress) float64 { return float64(s.Redelivered) }) // another worker had them before
	gauge("quell_finished_ratio", func(s Progress) float64 { return s.Share })
	gauge("quell_left_seconds", func(s Progress) float64 { return s.Left.Seconds() }) // 0 if that is not known
	gauge(fmt.Sprintf("quell_build_info{version=%q}", job.Version()), func(Progress) float64 { return 1 })
	return m
}

// ServeHTTP answers every request with the metrics.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

// Events returns events that count and then call others.
func (m *Metrics) Events(others Events) Events {
	return Events{
		Result: func(r SeriesResult) {
			m.count(r)
			if others.Result != nil {
				others.Result(r)
			}
		},
		Progress: func(s Progress) {
			m.mu.Lock()
			m.status = s
			m.mu.Unlock()
			if others.Progress != nil {
				others.Progress(s)
			}
		},
	}
}

func (m *Metrics) count(r SeriesResult) {
	if r.Reused {
		m.reused.Inc()
		return
	}
	m.series[r.State].Inc()
	m.voxels.Add(r.voxels())
	for stage, seconds := range stages(r) {
		m.seconds[stage].Add(max(seconds, 0))
	}
}

// stages returns the seconds of a result's stages, by their names, including stages that wait for the engine.
func stages(r SeriesResult) map[string]float64 {
	return map[string]float64{"load": r.Seconds.Load, "estimate": r.Seconds.Estimate, "filter": r.Seconds.Filter, "measure": r.Seconds.Measure, "write": r.Seconds.Write}
}
