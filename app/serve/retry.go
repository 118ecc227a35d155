package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"quell/app/job"
	"quell/io/atomic"
)

// retryFolder holds a file for each task to retry.
func retryFolder(s Settings) string { return filepath.Join(s.Folder, "retry") }

// Retry asks the node of a folder to take up tasks again that have failed or that no rule took, by their numbers, or
// all if none is given. The node that runs does so within a second, or else the next one. It returns the numbers.
// Errors are *job.UsageError for a task of another state, or of the system.
func Retry(s Settings, numbers ...int) ([]int, error) {
	tasks, _, err := readJournal(s)
	if err != nil {
		return nil, err
	}
	all := len(numbers) == 0
	for _, t := range tasks {
		if all && t.retriable() == nil {
			numbers = append(numbers, t.Number)
		}
	}
	for _, number := range numbers {
		i := slices.IndexFunc(tasks, func(t *task) bool { return t.Number == number })
		if i < 0 {
			return nil, job.Usagef("there is no task %d; quell serve status lists them", number)
		}
		if err := tasks[i].retriable(); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(retryFolder(s), 0o700); err != nil {
		return nil, err
	}
	for _, number := range numbers {
		if err := atomic.WriteFile(filepath.Join(retryFolder(s), strconv.Itoa(number)), nil, 0o600); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// readJournal returns the tasks of a folder, and names those that cannot be read, whether a node runs there or not.
func readJournal(s Settings) ([]*task, []string, error) {
	tasks, damaged, err := readTasks(tasksOf(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, job.Usagef("no node has run in the folder %s", s.Folder)
	}
	return tasks, damaged, err
}

// retriable returns why a task is not taken up again.
func (t *task) retriable() error {
	switch {
	case t.State != Failed && t.State != Unmatched:
		return job.Usagef("task %d is %s; what has failed or is unmatched is taken up again", t.Number, string(t.State))
	case t.Gone:
		return job.Usagef("the images of task %d were removed; send its series again", t.Number)
	}
	return nil
}

// retry takes up the tasks that were named since.
func (n *Node) retry() error {
	entries, err := os.ReadDir(retryFolder(n.s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		number, err := strconv.Atoi(e.Name())
		if err != nil {
			continue // being written
		}
		if i := slices.IndexFunc(n.list, func(t *task) bool { return t.Number == number && t.retriable() == nil }); i >= 0 {
			if err := n.again(n.list[i]); err != nil {
				return err
			}
		}
		if err := os.Remove(filepath.Join(retryFolder(n.s), e.Name())); err != nil {
			return fmt.Errorf("a task that was taken up again would be for ever: %w", err)
		}
	}
	return nil
}

// again lets a task begin anew where it failed: with its rules if they are others now, with the filter, or with the
// sending of a result that is there.
func (n *Node) again(t *task) error {
	n.change(func() {
		t.State, t.Ended, t.Problem = Waiting, time.Time{}, ""
		for _, p := range t.Parts {
			if _, to := n.rule(p); to == nil && p.State == Failed {
				t.Parts = nil
				return
			}
		}
		for _, p := range t.Parts {
			if p.State == Failed {
				*p = part{Rule: p.Rule, To: p.To, State: Waiting, Made: p.Made, Begun: p.Begun, Transactions: p.Transactions}
				if p.Made > 0 {
					p.State = Filtered
				}
			}
		}
	})
	n.audit.write(entry{Event: "taken up again", Series: t.Series, Task: t.Number})
	return n.settle(t)
}
