package serve

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"quell/internal/message"
	"quell/io/atomic"
)

// State is how far a task, or a part of it, has come.
type State string

// States. The first three are left by work; those behind Failed are of tasks alone.
const (
	Waiting    State = "waiting"    // for the filter
	Filtered   State = "filtered"   // the result waits to be sent
	Committing State = "committing" // every instance is confirmed; the archive has not committed itself to them
	Sent       State = "sent"       // every instance is confirmed, and committed to if that is asked for
	Failed     State = "failed"     // it cannot be filtered, or was not taken after all attempts
	Unmatched  State = "unmatched"  // no rule takes the series
	Superseded State = "superseded" // later instances made a new task of the series
	Late       State = "late"       // its instances came when the others of the series were removed
)

func (s State) ended() bool { return s != Waiting && s != Filtered && s != Committing }

// file is an instance of a task.
type file struct {
	Name string `json:"name,omitempty"` // in the folder of what arrived; "" if it was removed
	UID  string `json:"uid"`
	Sum  string `json:"sum,omitempty"` // SHA-256 of the file
}

// task is what is done with a series. Its file is the journal.
type task struct {
	Number  int          `json:"number"`
	Series  string       `json:"series"` // UID
	Files   []file       `json:"files"`
	State   State        `json:"state"`           // of the part that is farthest behind, until all have ended
	Parts   []*part      `json:"parts,omitempty"` // none until rules were chosen
	Starts  int          `json:"starts,omitempty"`
	Ended   time.Time    `json:"ended,omitzero"`
	Gone    bool         `json:"gone,omitempty"` // its images were removed
	Problem message.Kind `json:"problem,omitempty"`
}

// part is the result of a rule on its way to one destination.
type part struct {
	Rule     string       `json:"rule"`
	To       string       `json:"to"`
	State    State        `json:"state"`
	Attempts int          `json:"attempts,omitempty"` // that failed, to filter or to send
	Next     time.Time    `json:"next,omitzero"`      // not before
	Made     int          `json:"made,omitempty"`     // instances of the result
	Problem  message.Kind `json:"problem,omitempty"`
	Again    []string     `json:"again,omitempty"` // instances that alone are to be sent; none: all

	Transactions []string `json:"transactions,omitempty"` // of storage commitment, the latest last
	Asked        bool     `json:"asked,omitempty"`        // a report of the latest is waited for until Next
}

// of returns the parts of the rule of one.
func (t *task) of(p *part) (all []*part) {
	for _, o := range t.Parts {
		if o.Rule == p.Rule {
			all = append(all, o)
		}
	}
	return all
}

// due returns the first part that can be worked on, nil if rules are to be chosen first.
func (t *task) due(now time.Time) (p *part, ok bool) {
	if t.State.ended() || t.Parts == nil {
		return nil, !t.State.ended()
	}
	for _, p := range t.Parts {
		if !p.State.ended() && !p.Next.After(now) {
			return p, true
		}
	}
	return nil, false
}

// progress are the states that a task has from its parts, the first that one of them has.
var progress = []State{Waiting, Filtered, Committing, Failed, Sent}

// outcome is the state of a task by its parts.
func (t *task) outcome() State {
	for _, s := range progress {
		if slices.ContainsFunc(t.Parts, func(p *part) bool { return p.State == s }) {
			return s
		}
	}
	return t.State
}

func (n *Node) taskFile(number int) string {
	return filepath.Join(n.tasks(), fmt.Sprintf("%08d.json", number))
}

// taskFolder holds input and output of a task.
func (n *Node) taskFolder(t *task) string {
	return filepath.Join(n.tasks(), fmt.Sprintf("%08d", t.Number))
}

func (n *Node) input(t *task) string { return filepath.Join(n.taskFolder(t), "in") }

// output holds the result of the rule of a part.
func (n *Node) output(t *task, p *part) string {
	first := slices.IndexFunc(t.Parts, func(o *part) bool { return o.Rule == p.Rule })
	return filepath.Join(n.taskFolder(t), fmt.Sprintf("out%d", first))
}

func (n *Node) tasks() string { return filepath.Join(n.s.Folder, "tasks") }

// save puts a task into the journal.
func (n *Node) save(t *task) error {
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return atomic.WriteFile(n.taskFile(t.Number), append(data, '\n'), 0o600)
}

// readTasks reads the journal of a folder, in order of its numbers.
func readTasks(folder string) (all []*task, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		base, isTask := strings.CutSuffix(e.Name(), ".json")
		number, err := strconv.Atoi(base)
		if !isTask || err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		t := &task{}
		if err := json.Unmarshal(data, t); err != nil || t.Number != number {
			return nil, fmt.Errorf("the journal %s is damaged; move it out of the folder, and its series is done anew", e.Name())
		}
		if t.Parts == nil && !t.State.ended() {
			t.State = Waiting // of a former version: its rule is chosen again
		}
		for _, p := range t.Parts {
			if p.State == Committing { // who waits for a report has ended: it is asked for again
				p.Asked, p.Next = false, time.Time{}
			}
		}
		all = append(all, t)
	}
	return all, nil
}
