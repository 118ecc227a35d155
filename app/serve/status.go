package serve

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"quell/app/job"
	"quell/internal/connection"
	"quell/internal/message"
)

// Status is what the status page shows: no names, no UIDs.
type Status struct {
	Program   string         `json:"program"`
	Version   string         `json:"version"`
	Started   time.Time      `json:"started,omitzero"`
	Arriving  int            `json:"arriving"`  // series
	Instances int            `json:"instances"` // that have arrived and are of no task
	Refused   int            `json:"refused"`   // instances since the start
	UsedBytes int64          `json:"used_bytes"`
	Quota     int64          `json:"quota_bytes"`
	Paused    message.Kind   `json:"paused,omitempty"`  // why nothing is received or filtered until there is room
	Refusing  bool           `json:"refusing"`          // senders get status A700 until there is room
	Damaged   []string       `json:"damaged,omitempty"` // tasks that could not be read: files in the folder damaged
	Tasks     map[State]int  `json:"tasks"`
	Latest    []StatusOfTask `json:"latest"` // first
}

// StatusOfTask is one task.
type StatusOfTask struct {
	Number    int            `json:"number"`
	Series    string         `json:"series"` // a hash, as in the audit log
	State     State          `json:"state"`
	Instances int            `json:"instances"`
	Parts     []StatusOfPart `json:"parts,omitempty"`
	Problem   message.Kind   `json:"problem,omitempty"`
}

// StatusOfPart is the result of a rule on its way to a destination.
type StatusOfPart struct {
	Rule     string       `json:"rule"`
	To       string       `json:"to"`
	State    State        `json:"state"`
	Made     int          `json:"made,omitempty"`     // instances
	Attempts int          `json:"attempts,omitempty"` // that failed
	Next     time.Time    `json:"next,omitzero"`      // the next attempt, or the end of the wait for storage commitment
	Problem  message.Kind `json:"problem,omitempty"`
}

// mostShown bounds Status.Latest.
const mostShown = 100

// Status returns how the node stands. It is safe for concurrent use.
func (n *Node) Status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := Status{
		Program: "quell", Version: job.Version(), Started: n.started, Arriving: len(n.pending), Instances: n.waiting, Refused: int(n.meters.refused.Get()),
		UsedBytes: n.folder.Used(), Quota: int64(n.s.QuotaGB * 1e9), Tasks: map[State]int{}, Latest: []StatusOfTask{},
		Paused: n.paused, Refusing: n.refusing(), Damaged: n.damaged,
	}
	s.add(n.list, n.audit.hash)
	return s
}

// add adds tasks, those of the highest numbers first.
func (s *Status) add(tasks []*task, hash func(string) string) {
	for _, t := range slices.Backward(tasks) {
		if s.Tasks[t.State]++; len(s.Latest) < mostShown {
			s.Latest = append(s.Latest, t.status(hash))
		}
	}
}

// ReadStatus returns what the folder of a node shows, whether a node runs there or not: all but what is being received.
func ReadStatus(s Settings) (Status, error) {
	tasks, damaged, err := readJournal(s)
	if err != nil {
		return Status{}, err
	}
	moved, err := damagedTasks(s)
	if err != nil {
		return Status{}, err
	}
	key, err := os.ReadFile(filepath.Join(s.Folder, "key"))
	if err != nil {
		return Status{}, err
	}
	status := Status{Program: "quell", Version: job.Version(), Quota: int64(s.QuotaGB * 1e9), Damaged: append(moved, damaged...), Tasks: map[State]int{}, Latest: []StatusOfTask{}}
	status.add(tasks, (&audit{key: key}).hash)
	entries, err := os.ReadDir(filepath.Join(s.Folder, "in"))
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // it may be gone
			status.UsedBytes += info.Size()
		}
	}
	return status, err
}

// status returns what is shown of a task.
func (t *task) status(hash func(string) string) StatusOfTask {
	s := StatusOfTask{Number: t.Number, Series: hash(t.Series), State: t.State, Instances: len(t.Files), Problem: t.Problem}
	for _, p := range t.Parts {
		s.Parts = append(s.Parts, StatusOfPart{p.Rule, p.To, p.State, p.Made, p.Attempts, p.Next, p.Problem})
	}
	return s
}

// page answers with the status as JSON, or with the metrics. Pages of other hosts that a browser on this machine shows get nothing: their
// requests have another host.
func (n *Node) page() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !connection.Loopback(host) {
			http.Error(w, "this page is for this machine alone", http.StatusForbidden)
			return
		}
		if !slices.Contains([]string{"/", "/status", "/metrics"}, r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.URL.Path == "/metrics" {
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			n.meters.write(w, n.Status())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		_ = encoder.Encode(n.Status()) // the client may be gone
	})
}
