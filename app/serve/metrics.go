package serve

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"quell/app/job"
)

// meters count what a node does, for Prometheus. They hold no names, UIDs or addresses. They are safe for concurrent
// use.
type meters struct {
	set                            *metrics.Set
	received, bytes, refused, sent *metrics.Counter
	failures                       map[State]*metrics.Counter      // by the state of the part
	seconds                        map[State]*metrics.FloatCounter // likewise

	mu     sync.Mutex
	status Status // of the answer that is written
}

// stages are the names of what is done in a state.
var stages = map[State]string{Waiting: "filter", Filtered: "send", Committing: "commit"}

func newMeters() *meters {
	metrics.ExposeMetadata(true) // the lines with types
	set := metrics.NewSet()
	m := &meters{
		set: set, failures: map[State]*metrics.Counter{}, seconds: map[State]*metrics.FloatCounter{},
		received: set.NewCounter("quell_serve_instances_received_total"),
		bytes:    set.NewCounter("quell_serve_received_bytes_total"),
		refused:  set.NewCounter("quell_serve_instances_refused_total"),
		sent:     set.NewCounter("quell_serve_instances_sent_total"),
	}
	for state, stage := range stages {
		m.failures[state] = set.NewCounter(fmt.Sprintf("quell_serve_failed_attempts_total{stage=%q}", stage))
		m.seconds[state] = set.NewFloatCounter(fmt.Sprintf("quell_serve_seconds_total{stage=%q}", stage))
	}
	gauge := func(name string, value func(Status) float64) {
		set.NewGauge(name, func() float64 { return value(m.status) })
	}
	for _, state := range []State{Waiting, Filtered, Committing, Sent, Failed, Unmatched, Superseded, Late} {
		gauge(fmt.Sprintf("quell_serve_tasks{state=%q}", state), func(s Status) float64 { return float64(s.Tasks[state]) })
	}
	gauge("quell_serve_series_arriving", func(s Status) float64 { return float64(s.Arriving) })
	gauge("quell_serve_instances_arriving", func(s Status) float64 { return float64(s.Instances) })
	gauge("quell_serve_used_bytes", func(s Status) float64 { return float64(s.UsedBytes) })
	gauge("quell_serve_quota_bytes", func(s Status) float64 { return float64(s.Quota) })
	gauge(fmt.Sprintf("quell_build_info{version=%q}", job.Version()), func(Status) float64 { return 1 })
	return m
}

// write writes the metrics, and the usual ones of a process.
func (m *meters) write(w io.Writer, s Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status = s
	m.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

// took counts the time since a part in a state was begun.
func (m *meters) took(s State, since time.Time) { m.seconds[s].Add(time.Since(since).Seconds()) }
