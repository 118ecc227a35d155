package serve

import (
	"errors"
	"os"
	"slices"
	"time"
)

// forget is how long a series is known after its images were removed: instances of it that come again as they were
// are dropped, and others are no series of their own.
const forget = 30 * 24 * time.Hour

// keeps is how long the images of a task stay after its end.
func (n *Node) keeps(t *task) time.Duration {
	if t.State == Failed || t.State == Late {
		return time.Duration(n.s.KeepFailed)
	}
	return time.Duration(n.s.Keep)
}

// tidy removes what is needed no more: results that are at their destinations, the images of what ended long ago, and in
// the end its task. While there is no room the images of what ended first go too, of one task at a time, if late ones
// had some time to come.
func (n *Node) tidy() error {
	n.mu.Lock()
	short := n.short()
	n.mu.Unlock()
	now := n.now()
	var old []*task
	var first *task // to end
	for _, t := range n.list {
		if !t.State.ended() || len(t.stops) > 0 {
			continue
		}
		if !t.bare && t.State != Failed {
			if err := os.RemoveAll(n.taskFolder(t)); err != nil {
				return err
			}
			t.bare = true
		}
		past := now.Sub(t.Ended) - n.keeps(t)
		late := now.Sub(t.Ended) < longer*time.Duration(n.s.IdleTimeout)
		if past > 0 && (!t.Gone || past > forget) {
			old = append(old, t)
		} else if short && !late && !t.Gone && t.State != Failed && t.State != Late && (first == nil || t.Ended.Before(first.Ended)) {
			first = t
		}
	}
	if first != nil {
		old = append(old, first)
	}
	for _, t := range old {
		if err := n.remove(t); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the images of a task, or the task itself if they are gone or a later one knows its series.
func (n *Node) remove(t *task) error {
	if !t.Gone {
		needed := map[string]bool{}
		for _, o := range n.list {
			for _, f := range o.Files {
				if o != t {
					needed[f.Name] = true
				}
			}
		}
		if err := os.RemoveAll(n.taskFolder(t)); err != nil {
			return err
		}
		for _, f := range t.Files {
			n.point()
			if err := n.drop(f.Name, needed); err != nil {
				return err
			}
		}
		n.point()
		n.audit.write(entry{Event: "removed", Series: t.Series, Task: t.Number})
		if t.State != Superseded && t.State != Late {
			n.change(func() {
				t.Gone = true
				for i := range t.Files {
					t.Files[i].Name = ""
				}
			})
			return n.save(t)
		}
	}
	if err := n.tasks.Remove(t.name()); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = slices.DeleteFunc(n.list, func(o *task) bool { return o == t })
	return nil
}

// drop removes a file that is not needed. It may be gone: a crash came between.
func (n *Node) drop(name string, needed map[string]bool) error {
	if needed[name] {
		return nil
	}
	if err := n.folder.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
