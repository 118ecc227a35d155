package pacs

import (
	"context"
	"log/slog"

	"quell/app/job"
)

// Send stores the files of a plan in a place and looks whether they are there. Missing ones are sent again
// as many times as retries says. The report has a status of every file, also along with an error: a *SendError
// if a file is not stored, with the context's in it if that has ended. progress, which may be nil, counts files.
func Send(ctx context.Context, p Plan, t Place, retries int, progress func(done, total int)) (Report, error) {
	r := Report{Target: t.String(), Planned: len(p.Objects), Files: make([]SentFile, len(p.Objects))}
	for i, o := range p.Objects {
		r.Files[i] = SentFile{Name: o.Name, UID: o.UID, Status: NotSent}
	}
	a, err := t.Open()
	if err != nil {
		return r, err
	}
	defer a.Close()
	for attempt := 0; attempt <= retries && r.Stored < r.Planned && ctx.Err() == nil; attempt++ {
		err = a.speak.store(ctx, p, &r, progress)
		r.Stored = 0
		for _, f := range r.Files {
			if f.Stored {
				r.Stored++
			}
		}
	}
	switch {
	case r.Stored == r.Planned:
		err = nil
	case ctx.Err() != nil:
		err = &SendError{Report: r, Err: ctx.Err()}
	default:
		err = &SendError{Report: r, Err: err}
	}
	job.Log("send", job.Outcome(err), slog.Int("planned", r.Planned), slog.Int("stored", r.Stored), slog.Int("verified", r.Verified))
	return r, err
}
