package serve

import (
	"context"
	"errors"
	"slices"
	"time"

	"quell/app/pacs"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/io/dimse"
)

// send stores the result of a part at its destination.
func (n *Node) send(ctx context.Context, l *lane, t *task, p *part) error {
	_, to := n.rule(p)
	if to == nil {
		return n.failed(t, p, errNoRule(p), 1)
	}
	if !p.Begun {
		n.change(func() { p.Begun = true })
		if err := n.save(t); err != nil {
			return err
		}
	}
	n.point()
	out, again := n.output(t, p), p.Again
	var plan pacs.Plan
	var report pacs.Report
	var err error
	all, cut := 0, false
	n.apart(func() {
		if plan, err = pacs.PlanSend(ctx, out); err != nil {
			return
		}
		all = len(plan.Objects)
		if rest := slices.DeleteFunc(slices.Clone(plan.Objects), func(o dicom.Object) bool { return !slices.Contains(again, o.UID) }); len(rest) > 0 {
			plan.Objects = rest
		}
		limited, cancel := n.limit(ctx, time.Duration(n.s.SendLimit))
		defer cancel()
		report, err = pacs.Send(limited, plan, to.Place, 0, nil)
		cut = limited.Err() != nil && report.Stored > 0
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.answered(err == nil || report.Stored > 0, n.now())
	if err != nil {
		n.change(func() {
			p.Again = missing(plan, func(i int) bool { return report.Files[i].Stored }, p.Again)
			if cut { // it is slow, and comes to an end
				p.Attempts = 0
			}
		})
		return n.failed(t, p, err, n.s.Attempts)
	}
	n.point()
	n.change(func() {
		p.State, p.Next, p.Problem, p.Made, p.Again = Sent, time.Time{}, "", all, nil
		if to.Commit {
			p.State = Committing
		}
	})
	n.meters.sent.Add(len(plan.Objects))
	n.audit.write(entry{Event: "sent", Series: t.Series, Task: t.Number, Instances: len(plan.Objects), Rule: p.Rule, To: p.To})
	return n.settle(t)
}

// missing returns the instances of a plan that are not there; those of before if it has none.
func missing(p pacs.Plan, there func(i int) bool, before []string) (uids []string) {
	if len(p.Objects) == 0 {
		return before
	}
	for i, o := range p.Objects {
		if !there(i) {
			uids = append(uids, o.UID)
		}
	}
	return uids
}

// mostTransactions is how many requests of a part are known: the answer to an earlier one may come last.
const mostTransactions = 100

// commit asks the destination of a part to commit itself to the result. If it was asked, the time for its report is
// over.
func (n *Node) commit(ctx context.Context, l *lane, t *task, p *part) error {
	if p.Asked {
		n.change(func() { p.Asked = false })
		return n.failed(t, p, message.Errorf(message.NetworkRefused, "no report of storage commitment came in %v", time.Duration(n.s.CommitWait)), n.s.Attempts)
	}
	_, to := n.rule(p)
	if to == nil {
		return n.failed(t, p, errNoRule(p), 1)
	}
	out, transaction := n.output(t, p), dimse.NewTransaction()
	limited, cancel := context.WithTimeout(ctx, time.Duration(n.s.SendLimit)+n.patience)
	defer cancel()
	wake, cancel := context.WithCancel(limited)
	defer cancel()
	n.change(func() {
		p.Transactions = append(p.Transactions[max(0, len(p.Transactions)-mostTransactions):], transaction)
		n.reported[transaction] = cancel
	})
	defer func() { n.change(func() { delete(n.reported, transaction) }) }()
	if err := n.save(t); err != nil { // the report may come after a crash
		return err
	}
	n.point()
	var plan pacs.Plan
	var c dimse.Commitment
	var came bool
	var err error
	n.apart(func() {
		if plan, err = pacs.PlanSend(ctx, out); err == nil {
			c, came, err = pacs.AskCommitment(limited, wake, plan, to.Place, transaction, n.patience)
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if p.State != Committing { // a report came meanwhile
		return nil
	}
	l.answered(err == nil, n.now())
	if err != nil {
		return n.failed(t, p, err, n.s.Attempts)
	}
	n.point()
	n.change(func() {
		p.Asked, p.Next = true, n.now().Add(time.Duration(n.s.CommitWait))
		if came {
			n.reports[c.Transaction] = c
		}
	})
	n.audit.write(entry{Event: "asked for commitment", Series: t.Series, Task: t.Number, Instances: len(plan.Objects), Rule: p.Rule, To: p.To})
	return n.save(t)
}

// Committed takes a report of an archive that this node has asked for storage commitment. The loop looks at it.
func (n *Node) Committed(_ context.Context, _ dimse.Peer, c dimse.Commitment) dimse.Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	if t, _ := n.asked(c.Transaction); t == nil {
		return dimse.ProcessingFailed
	}
	n.reports[c.Transaction] = c
	if end := n.reported[c.Transaction]; end != nil {
		end() // the wait for it over another association
	}
	n.rouse()
	return 0
}

// asked returns the part that a transaction is of. The node is locked.
func (n *Node) asked(transaction string) (*task, *part) {
	for _, t := range n.list {
		for _, p := range t.Parts {
			if slices.Contains(p.Transactions, transaction) {
				return t, p
			}
		}
	}
	return nil, nil
}

// conclude ends the parts that archives have reported of: what was not committed is sent again.
func (n *Node) conclude(ctx context.Context) error {
	n.mu.Lock()
	reports := n.reports
	n.reports = map[string]dimse.Commitment{}
	n.mu.Unlock()
	for _, c := range reports {
		n.mu.Lock()
		t, p := n.asked(c.Transaction)
		n.mu.Unlock()
		if t == nil || t.State.ended() || p.State != Committing {
			continue
		}
		if err := n.judge(ctx, t, p, c); err != nil {
			return err
		}
	}
	return nil
}

// judge compares a report with the result.
func (n *Node) judge(ctx context.Context, t *task, p *part, c dimse.Commitment) error {
	plan, err := pacs.PlanSend(ctx, n.output(t, p))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	committed := map[string]bool{}
	for _, uid := range c.Committed {
		_, failed := c.Failed[uid]
		committed[uid] = !failed
	}
	left := missing(plan, func(i int) bool { return committed[plan.Objects[i].UID] }, nil)
	e := entry{Event: "committed", Series: t.Series, Task: t.Number, Instances: len(plan.Objects) - len(left), Rule: p.Rule, To: p.To}
	n.point()
	switch {
	case err == nil && len(left) == 0:
		n.change(func() { p.State, p.Next, p.Problem, p.Asked = Sent, time.Time{}, "", false })
		n.audit.write(e)
		return n.settle(t)
	case err == nil:
		err = message.Errorf(message.NetworkRefused, "%d of %d instances are not committed", len(left), len(plan.Objects))
	}
	e.Event = "not committed"
	n.audit.write(e)
	n.change(func() { p.State, p.Again, p.Asked = Filtered, left, false })
	return n.failed(t, p, errors.Join(err), n.s.Attempts)
}
