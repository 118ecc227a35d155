package serve

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"quell/internal/message"
	"quell/io/atomic"
)

// State is how far a task has come.
type State string

// States of a task. The first two are left by work.
const (
	Waiting    State = "waiting"    // for the filter
	Filtered   State = "filtered"   // the result waits to be sent
	Sent       State = "sent"       // every instance is confirmed
	Failed     State = "failed"     // it cannot be filtered, or was not taken after all attempts
	Unmatched  State = "unmatched"  // no rule takes the series
	Superseded State = "superseded" // later instances made a new task of the series
	Late       State = "late"       // its instances came when the others of the series were removed
)

func (s State) ended() bool { return s != Waiting && s != Filtered }

// file is an instance of a task.
type file struct {
	Name string `json:"name,omitempty"` // in the folder of what arrived; "" if it was removed
	UID  string `json:"uid"`
	Sum  string `json:"sum,omitempty"` // SHA-256 of the file
}

// task is what is done with a series. Its file is the journal.
type task struct {
	Number   int          `json:"number"`
	Series   string       `json:"series"` // UID
	Files    []file       `json:"files"`
	State    State        `json:"state"`
	Rule     string       `json:"rule,omitempty"`
	Attempts int          `json:"attempts,omitempty"` // that failed in this state
	Starts   int          `json:"starts,omitempty"`   // of the filter
	Next     time.Time    `json:"next,omitzero"`      // not before
	Ended    time.Time    `json:"ended,omitzero"`
	Gone     bool         `json:"gone,omitempty"` // its images were removed
	Made     int          `json:"made,omitempty"` // instances of the result
	Problem  message.Kind `json:"problem,omitempty"`
}

func (n *Node) taskFile(number int) string {
	return filepath.Join(n.tasks(), fmt.Sprintf("%08d.json", number))
}

// taskFolder holds input and output of a task.
func (n *Node) taskFolder(t *task) string {
	return filepath.Join(n.tasks(), fmt.Sprintf("%08d", t.Number))
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

// readTasks reads the journal.
func (n *Node) readTasks() error {
	entries, err := os.ReadDir(n.tasks())
	if err != nil {
		return err
	}
	for _, e := range entries {
		base, isTask := strings.CutSuffix(e.Name(), ".json")
		number, err := strconv.Atoi(base)
		if !isTask || err != nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(n.tasks(), e.Name()))
		if err != nil {
			return err
		}
		t := &task{}
		if err := json.Unmarshal(data, t); err != nil || t.Number != number {
			return fmt.Errorf("the journal %s is damaged; move it out of the folder, and its series is done anew", e.Name())
		}
		n.list = append(n.list, t)
		n.number = max(n.number, number)
	}
	return nil
}
