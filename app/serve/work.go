package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"quell/app/batch"
	"quell/app/hosts"
	"quell/app/job"
	"quell/app/open"
	"quell/app/pacs"
	"quell/internal/message"
	"quell/internal/parallel"
)

// mostTries is how often a series is filtered that failed by no fault of its own.
const mostTries = 3

// mostStarts bounds how often the filter is begun on a series: one that takes the process with it, as by the
// memory that it needs, must not do so for ever.
const mostStarts = 10

// work does what comes next in a task. An error is one of the journal; those of the task are noted in it.
func (n *Node) work(ctx context.Context, t *task) error {
	if t.State == Filtered {
		return n.send(ctx, t)
	}
	if t.Starts >= mostStarts {
		return n.end(t, Failed, message.InternalFault)
	}
	n.change(t, func() { t.Starts++ })
	if err := n.save(t); err != nil {
		return err
	}
	err := n.do(ctx, t)
	if ctx.Err() != nil { // the node is stopped, which is no fault of the series
		n.change(t, func() { t.Starts-- })
		return errors.Join(ctx.Err(), n.save(t))
	}
	return err
}

// do filters a series by the rule that takes it.
func (n *Node) do(ctx context.Context, t *task) error {
	if err := n.link(t); err != nil {
		return err
	}
	n.point()
	var rule *Rule
	err := parallel.Protect(func() (err error) {
		rule, err = n.choose(ctx, t)
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return n.failed(t, err, 1)
	}
	if rule == nil {
		return n.end(t, Unmatched, "")
	}
	return n.filter(ctx, t, rule)
}

func (n *Node) input(t *task) string  { return filepath.Join(n.taskFolder(t), "in") }
func (n *Node) output(t *task) string { return filepath.Join(n.taskFolder(t), "out") }

// link makes the input of a task, without a copy if the file system can.
func (n *Node) link(t *task) error {
	in := n.input(t)
	if err := os.RemoveAll(in); err != nil {
		return err
	}
	if err := os.MkdirAll(in, 0o700); err != nil {
		return err
	}
	for _, f := range t.Files {
		from, to := n.folder.Path(f.Name), filepath.Join(in, f.Name)
		if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
			continue // its time was over before later instances came
		}
		if err := os.Link(from, to); err != nil {
			if err := copyFile(from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// choose returns the first rule that takes a volume of the series, nil for none.
func (n *Node) choose(ctx context.Context, t *task) (*Rule, error) {
	catalog, err := open.Scan(ctx, n.input(t))
	if err != nil {
		return nil, err
	}
	defer catalog.Close()
	for i := range n.s.Rules {
		for _, e := range catalog.Entries {
			if takes, err := n.s.Rules[i].criteria.Takes(ctx, batch.Unit{}, e); err != nil || takes {
				return &n.s.Rules[i], err
			}
		}
	}
	return nil, nil
}

// filter makes the result.
func (n *Node) filter(ctx context.Context, t *task, rule *Rule) error {
	if err := os.RemoveAll(n.output(t)); err != nil {
		return err
	}
	form := func(err error) any { return message.KindOf(err) }
	var result hosts.Result
	err := parallel.Protect(func() (err error) {
		result, err = hosts.Run(ctx, hosts.Place{In: n.input(t), Out: n.output(t)}, rule.Do, form, job.Events{})
		return err
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		most := mostTries
		var fault *parallel.Panic
		if code := job.ExitCode(err); code == job.ExitInput || code == job.ExitUsage || errors.As(err, &fault) {
			most = 1
		}
		return n.failed(t, err, most)
	}
	n.point()
	made := 0
	for _, s := range result.Series {
		made += len(s.Files)
	}
	n.change(t, func() {
		t.State, t.Rule, t.Attempts, t.Next, t.Problem, t.Made = Filtered, rule.Name, 0, time.Time{}, "", made
	})
	n.audit.write(entry{Event: "filtered", Series: t.Series, Task: t.Number, Instances: len(t.Files), Rule: rule.Name})
	return n.save(t)
}

// rule returns the rule of a task, nil if the settings have it no more.
func (n *Node) rule(t *task) *Rule {
	for i := range n.s.Rules {
		if n.s.Rules[i].Name == t.Rule {
			return &n.s.Rules[i]
		}
	}
	return nil
}

// send stores the result at its destination.
func (n *Node) send(ctx context.Context, t *task) error {
	rule := n.rule(t)
	if rule == nil {
		return n.failed(t, job.Usagef("there is no rule %s any more", t.Rule), 1)
	}
	n.point()
	plan, err := pacs.PlanSend(ctx, n.output(t))
	if err == nil {
		_, err = pacs.Send(ctx, plan, rule.To, 0, nil)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return n.failed(t, err, n.s.Attempts)
	}
	n.point()
	n.change(t, func() { t.Made = len(plan.Objects) })
	n.audit.write(entry{Event: "sent", Series: t.Series, Task: t.Number, Instances: len(plan.Objects), Rule: rule.Name, To: rule.To.String()})
	return n.end(t, Sent, "")
}

// change changes a task that the status page may show meanwhile.
func (n *Node) change(t *task, f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

// failed notes a failure: the task waits for another attempt, longer after each, or has failed after most of them.
func (n *Node) failed(t *task, err error, most int) error {
	kind := cmp.Or(message.KindOf(err), message.Kind(fmt.Sprintf("exit.%d", job.ExitCode(err))))
	n.change(t, func() {
		t.Attempts++
		t.Problem = kind
		t.Next = n.now().Add(backoff(t.Attempts))
	})
	n.audit.write(entry{Event: "failed attempt", Series: t.Series, Task: t.Number, Rule: t.Rule, Err: err})
	if t.Attempts >= most {
		return n.end(t, Failed, kind)
	}
	return n.save(t)
}

// backoff is the wait after some failures: 10 seconds, doubled up to half an hour.
func backoff(attempts int) time.Duration {
	return min(10*time.Second<<min(attempts-1, 10), 30*time.Minute)
}

// end ends a task. Its files go after a time, see tidy.
func (n *Node) end(t *task, s State, problem message.Kind) error {
	n.change(t, func() { t.State, t.Ended, t.Problem, t.Next = s, n.now(), problem, time.Time{} })
	if s != Sent {
		n.audit.write(entry{Event: string(s), Series: t.Series, Task: t.Number, Rule: t.Rule, Problem: string(problem)})
	}
	job.Log("task ended", "state", string(s))
	return n.save(t)
}

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

// tidy removes the images of what ended long ago, unless another task needs them, and in the end its task.
func (n *Node) tidy() error {
	n.mu.Lock()
	now := n.now()
	var old []*task
	needed := map[string]bool{}
	for _, t := range n.list {
		if past := now.Sub(t.Ended) - n.keeps(t); t.State.ended() && past > 0 && (!t.Gone || past > forget) {
			old = append(old, t)
			continue
		}
		for _, f := range t.Files {
			needed[f.Name] = true
		}
	}
	n.mu.Unlock()
	for _, t := range old {
		if err := n.remove(t, needed); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the images of a task, or the task itself if they are gone or a later one knows its series.
func (n *Node) remove(t *task, needed map[string]bool) error {
	if !t.Gone {
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
			n.change(t, func() {
				t.Gone = true
				for i := range t.Files {
					t.Files[i].Name = ""
				}
			})
			return n.save(t)
		}
	}
	if err := os.Remove(n.taskFile(t.Number)); err != nil {
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
