package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"quell/app/job"
	"quell/app/journal"
	"quell/internal/message"
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
	Size int64  `json:"size,omitempty"`
}

// task is what is done with a series. Its file is the journal.
type task struct {
	Number  int          `json:"number"`
	Series  string       `json:"series"` // UID
	Files   []file       `json:"files"`
	State   State        `json:"state"`           // of the part that is farthest behind, until all have ended
	Parts   []*part      `json:"parts,omitempty"` // none until rules were chosen
	Ended   time.Time    `json:"ended,omitzero"`
	Gone    bool         `json:"gone,omitempty"` // its images were removed
	Problem message.Kind `json:"problem,omitempty"`
	// Replaces: a result of an earlier task of the series, with fewer images or others, may be at a destination.
	Replaces bool `json:"replaces,omitempty"`

	stops   map[*lane]context.CancelFunc // of the lanes that work on it
	held    time.Time                    // not before
	unsaved bool                         // the journal has an earlier state
	bare    bool                         // its folder was removed
}

// begun reports whether a destination may have a result of the task, or of one before it.
func (t *task) begun() bool {
	return t.Replaces || slices.ContainsFunc(t.Parts, func(p *part) bool { return p.Begun })
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
	Begun    bool         `json:"begun,omitempty"` // the destination may have instances
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

// tasksOf is the journal of a folder.
func tasksOf(s Settings) journal.Journal[task] {
	return journal.Journal[task]{Folder: filepath.Join(s.Folder, "tasks"), Sound: func(name string, t *task) bool { return t.name() == name && t.sound() }}
}

// name names the task in the journal, and its folder.
func (t *task) name() string { return fmt.Sprintf("%08d", t.Number) }

// taskFolder holds input and output of a task.
func (n *Node) taskFolder(t *task) string {
	return filepath.Join(n.tasks.Folder, t.name())
}

// starts counts how often reading or filtering a task was begun and not ended.
func (n *Node) starts(t *task) string { return filepath.Join(n.taskFolder(t), "starts") }

func (n *Node) input(t *task) string { return filepath.Join(n.taskFolder(t), "in") }

// output holds the result of the rule of a part.
func (n *Node) output(t *task, p *part) string {
	first := slices.IndexFunc(t.Parts, func(o *part) bool { return o.Rule == p.Rule })
	return filepath.Join(n.taskFolder(t), fmt.Sprintf("out%d", first))
}

// save puts a task into the journal.
func (n *Node) save(t *task) error {
	err := n.tasks.Save(t.name(), t)
	t.unsaved = err != nil
	return err
}

// readTasks reads a journal, in order of the numbers, and names the files that cannot be read.
func readTasks(tasks journal.Journal[task]) (all []*task, damaged []string, err error) {
	damaged, err = tasks.Each(nil, func(t *task) {
		t.stops = map[*lane]context.CancelFunc{}
		if t.Parts == nil && !t.State.ended() {
			t.State = Waiting // of a former version: its rule is chosen again
		}
		for _, p := range t.Parts {
			if p.State == Committing { // who waits for a report has ended: it is asked for again
				p.Asked, p.Next = false, time.Time{}
			}
		}
		all = append(all, t)
	})
	return all, damaged, err
}

// sound reports whether a task can be one that was written: its states are known, and its files lie in the folder.
func (t *task) sound() bool {
	known := func(s State, also ...State) bool { return slices.Contains(progress, s) || slices.Contains(also, s) }
	return known(t.State, Unmatched, Superseded, Late) && t.Series != "" &&
		!slices.ContainsFunc(t.Parts, func(p *part) bool { return p == nil || !known(p.State) }) &&
		!slices.ContainsFunc(t.Files, func(f file) bool { return f.Name != filepath.Base(f.Name) && f.Name != "" })
}

// damagedFolder holds what of the journal could not be read. The series are done anew.
const damagedFolder = "damaged"

// quarantine moves what could not be read out of the journal. Its number is not given again.
func (n *Node) quarantine() error {
	folder := filepath.Join(n.s.Folder, damagedFolder)
	for _, name := range n.damaged {
		base := strings.TrimSuffix(name, ".json")
		if err := os.RemoveAll(filepath.Join(n.tasks.Folder, base)); err != nil {
			return err
		}
		if err := n.tasks.Quarantine(name, folder); err != nil {
			return err
		}
		number, _ := strconv.Atoi(base)
		n.audit.write(entry{Event: "task quarantined", Task: number})
		job.Log("a task of the journal cannot be read; it was moved", "file", filepath.Join(damagedFolder, name))
	}
	var err error
	if n.damaged, err = damagedTasks(n.s); err != nil {
		return err
	}
	for _, name := range n.damaged {
		number, _ := strconv.Atoi(strings.TrimSuffix(name, ".json"))
		n.number = max(n.number, number)
	}
	return nil
}

// damagedTasks names the files that were moved.
func damagedTasks(s Settings) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(s.Folder, damagedFolder))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}
