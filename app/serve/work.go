package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quell/app/batch"
	"quell/app/hosts"
	"quell/app/job"
	"quell/app/journal"
	"quell/app/open"
	"quell/internal/message"
	"quell/internal/parallel"
)

// mostTries is how often a series is filtered that failed by no fault of its own.
const mostTries = 3

// mostStarts bounds how often reading or filtering a series is begun and not ended: one that takes the process with
// it, as by the memory that it needs, must not do so for ever.
const mostStarts = 10

// work does what comes next in a task: of a part, or to choose its rules if that is nil. An error is one of the
// journal; those of the task are noted in it.
func (n *Node) work(ctx context.Context, l *lane, t *task, p *part) error {
	if p != nil {
		defer n.meters.took(p.State, time.Now())
	}
	switch {
	case p == nil:
		return n.guarded(ctx, t, func() error { return n.choose(ctx, t) })
	case p.State == Waiting:
		return n.guarded(ctx, t, func() error { return n.filter(ctx, t, p) })
	case p.State == Filtered:
		return n.send(ctx, l, t, p)
	}
	return n.commit(ctx, l, t, p)
}

// guarded does what may end the process, with the input of a task in its place.
func (n *Node) guarded(ctx context.Context, t *task, do func() error) error {
	t.bare = false
	h, err := journal.Take(n.starts(t))
	if err != nil {
		return err
	}
	if h.Before >= mostStarts {
		h.Release(true)
		return n.giveUp(t)
	}
	h.Enter()
	if err = n.link(t); err == nil {
		n.point()
		err = do()
	}
	faultless := ctx.Err() != nil || isFull(err) // of the series
	h.Release(!faultless)
	if faultless {
		return errors.Join(ctx.Err(), err)
	}
	return err
}

// giveUp ends what is to be filtered of a task.
func (n *Node) giveUp(t *task) error {
	if t.Parts == nil {
		return n.end(t, Failed, message.InternalFault)
	}
	n.change(func() {
		for _, p := range t.Parts {
			if p.State == Waiting {
				p.State, p.Problem = Failed, message.InternalFault
			}
		}
	})
	n.audit.write(entry{Event: "failed", Series: t.Series, Task: t.Number, Problem: string(message.InternalFault)})
	return n.settle(t)
}

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

// choose makes the parts of a task: for each destination of the rules that take the series.
func (n *Node) choose(ctx context.Context, t *task) error {
	var parts []*part
	var err error
	n.apart(func() {
		err = parallel.Protect(func() (err error) {
			parts, err = n.partsOf(ctx, t)
			return err
		})
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return n.end(t, Failed, kindOf(err))
	case parts == nil:
		return n.end(t, Unmatched, "")
	}
	n.change(func() { t.Parts = parts })
	return n.save(t)
}

// partsOf returns the parts of the first rule that takes a volume of the series, and of those after it while each
// lets others take it too.
func (n *Node) partsOf(ctx context.Context, t *task) (parts []*part, err error) {
	catalog, err := open.Scan(ctx, n.input(t))
	if err != nil {
		return nil, err
	}
	defer catalog.Close()
	for i := range n.s.Rules {
		r := &n.s.Rules[i]
		takes, err := r.takes(ctx, catalog)
		if err != nil {
			return nil, err
		}
		if !takes {
			continue
		}
		for _, to := range r.To {
			parts = append(parts, &part{Rule: r.Name, To: to.String(), State: Waiting})
		}
		if !r.Also {
			break
		}
	}
	return parts, nil
}

func (r *Rule) takes(ctx context.Context, c *open.Catalog) (bool, error) {
	for _, e := range c.Entries {
		if takes, err := r.criteria.Takes(ctx, batch.Unit{}, e); err != nil || takes {
			return takes, err
		}
	}
	return false, nil
}

// filter makes the result of a rule, for all parts that have it.
func (n *Node) filter(ctx context.Context, t *task, p *part) error {
	rule, _ := n.rule(p)
	if rule == nil {
		return n.failed(t, p, errNoRule(p), 1)
	}
	out := n.output(t, p)
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	form := func(err error) any { return message.KindOf(err) }
	do := rule.Do
	do.Replaces = t.Replaces
	var result hosts.Result
	var err error
	n.apart(func() {
		err = parallel.Protect(func() (err error) {
			result, err = hosts.Run(ctx, hosts.Place{In: n.input(t), Out: out}, do, form, job.Events{})
			return err
		})
		if err == nil {
			err = private(out)
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if isFull(err) {
		return errors.Join(err, os.RemoveAll(out))
	}
	if err != nil {
		most := mostTries
		var fault *parallel.Panic
		if code := job.ExitCode(err); code == job.ExitInput || code == job.ExitUsage || errors.As(err, &fault) {
			most = 1
		}
		return n.failed(t, p, err, most)
	}
	n.point()
	made := 0
	for _, s := range result.Series {
		made += len(s.Files)
	}
	n.change(func() {
		for _, p := range t.of(p) {
			*p = part{Rule: p.Rule, To: p.To, State: Filtered, Made: made, Begun: p.Begun}
		}
	})
	n.audit.write(entry{Event: "filtered", Series: t.Series, Task: t.Number, Instances: len(t.Files), Rule: rule.Name})
	return n.settle(t)
}

// private takes a result from other users.
func private(folder string) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chmod(path, 0o600)
	})
}

// rule returns the rule and the destination of a part, nil if the settings have them no more.
func (n *Node) rule(p *part) (*Rule, *Destination) {
	for i := range n.s.Rules {
		r := &n.s.Rules[i]
		if r.Name != p.Rule {
			continue
		}
		for k := range r.To {
			if r.To[k].String() == p.To {
				return r, &r.To[k]
			}
		}
		return r, nil
	}
	return nil, nil
}

func errNoRule(p *part) error {
	return job.Usagef("there is no rule %s with a destination %s any more", p.Rule, p.To)
}

// change changes tasks that the status page may show meanwhile.
func (n *Node) change(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

func kindOf(err error) message.Kind {
	return cmp.Or(message.KindOf(err), message.Kind(fmt.Sprintf("exit.%d", job.ExitCode(err))))
}

// failed notes a failure of a part, or of all of a rule whose result could not be made: they wait for another attempt,
// longer after each, or have failed after most of them.
func (n *Node) failed(t *task, p *part, err error, most int) error {
	parts := []*part{p}
	if p.State == Waiting {
		parts = t.of(p)
	}
	n.meters.failures[p.State].Inc()
	n.change(func() {
		for _, p := range parts {
			p.Attempts++
			p.Problem, p.Next = kindOf(err), n.now().Add(backoff(p.Attempts))
			if p.Attempts >= most {
				p.State, p.Next = Failed, time.Time{}
			}
		}
	})
	e := entry{Event: "failed attempt", Series: t.Series, Task: t.Number, Rule: p.Rule, To: p.To, Err: err}
	if n.audit.write(e); p.State == Failed {
		e.Event = "failed"
		n.audit.write(e)
	}
	return n.settle(t)
}

// backoff is the wait after some failures: 10 seconds, doubled up to half an hour.
func backoff(attempts int) time.Duration {
	return min(10*time.Second<<min(attempts-1, 10), 30*time.Minute)
}

// settle notes how far the parts of a task have come.
func (n *Node) settle(t *task) error {
	n.change(func() {
		if t.State = t.outcome(); t.State.ended() {
			t.Ended = n.now()
		}
	})
	if t.State.ended() {
		job.Log("task ended", "state", string(t.State))
	}
	return n.save(t)
}

// end ends a task whatever its parts are. Its files go after a time, see tidy.
func (n *Node) end(t *task, s State, problem message.Kind) error {
	n.change(func() { t.State, t.Ended, t.Problem = s, n.now(), problem })
	for _, stop := range t.stops {
		stop()
	}
	n.audit.write(entry{Event: string(s), Series: t.Series, Task: t.Number, Problem: string(problem)})
	job.Log("task ended", "state", string(s))
	return n.save(t)
}
