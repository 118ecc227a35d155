package batch

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"quell/app/job"
)

// Metrics counts what a process did, for Prometheus, besides the usual figures of the process
// and of Go. It holds no names. Its methods may be called from several goroutines.
type Metrics struct {
	http.Handler // answers every request with the metrics
	series       *prometheus.CounterVec
	reused       prometheus.Counter
	voxels       prometheus.Counter
	seconds      *prometheus.CounterVec

	mu     sync.Mutex
	status Progress
}

// NewMetrics returns metrics that count from zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		series:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quell_series_total", Help: "Series that ended in this process, by state."}, []string{"state"}),
		reused:  prometheus.NewCounter(prometheus.CounterOpts{Name: "quell_series_reused_total", Help: "Series whose output was there before."}),
		voxels:  prometheus.NewCounter(prometheus.CounterOpts{Name: "quell_voxels_total", Help: "Voxels that were filtered."}),
		seconds: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quell_seconds_total", Help: "Seconds that stages of series took, those that wait for the engine included."}, []string{"stage"}),
	}
	for _, state := range []SeriesState{Done, Failed, Duplicate} {
		m.series.WithLabelValues(string(state))
	}
	m.stages(SeriesResult{})
	gauge := func(name, help string, labels prometheus.Labels, value func(Progress) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 {
			m.mu.Lock()
			defer m.mu.Unlock()
			return value(m.status)
		})
	}
	const units = "Files and folders that are not finished: waiting, or in work; of a worker process those that it has in work."
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		m.series, m.reused, m.voxels, m.seconds,
		gauge("quell_units", units, prometheus.Labels{"state": "queued"}, func(s Progress) float64 { return float64(s.Queued) }),
		gauge("quell_units", units, prometheus.Labels{"state": "in_work"}, func(s Progress) float64 { return float64(s.InWork) }),
		gauge("quell_units_redelivered", "Files and folders in work that another worker had before.", nil, func(s Progress) float64 { return float64(s.Redelivered) }),
		gauge("quell_finished_ratio", "Share of the batch that is finished.", nil, func(s Progress) float64 { return s.Share }),
		gauge("quell_left_seconds", "Seconds to the end at the rate so far; 0 where that is not known.", nil, func(s Progress) float64 { return s.Left.Seconds() }),
		gauge("quell_build_info", "1, with the version of Quell.", prometheus.Labels{"version": job.Version()}, func(Progress) float64 { return 1 }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.Handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
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
	m.series.WithLabelValues(string(r.State)).Inc()
	m.voxels.Add(float64(r.voxels()))
	m.stages(r)
}

// stages adds the seconds of a result, and makes the series of each stage.
func (m *Metrics) stages(r SeriesResult) {
	for stage, seconds := range map[string]float64{"load": r.Seconds.Load, "filter": r.Seconds.Filter, "measure": r.Seconds.Measure, "write": r.Seconds.Write} {
		m.seconds.WithLabelValues(stage).Add(max(seconds, 0))
	}
}
