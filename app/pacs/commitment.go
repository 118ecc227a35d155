package pacs

import (
	"context"
	"time"

	"quell/app/job"
	"quell/io/dimse"
)

// CanCommit returns a *job.UsageError for a place that cannot be asked for storage commitment: DICOMweb has none.
func (p Place) CanCommit() error {
	if p.Web() {
		return job.Usagef("storage commitment is of the DICOM network; give AETITLE@HOST:PORT")
	}
	return p.Check()
}

// ReportWait is for a report over the association of the request.
const ReportWait = 5 * time.Second

// AskCommitment asks a place to answer for the objects of a plan, which it has stored, and waits for its report over
// the same association. It is false, without an error, if none came in that time or before wake ended: the place may
// report later, by an association to a receiver of this side. Errors are that the place was not asked or refused.
func AskCommitment(ctx, wake context.Context, p Plan, t Place, transaction string, wait time.Duration) (c dimse.Commitment, came bool, err error) {
	n, err := configure(t)
	if err != nil {
		return c, false, err
	}
	references := make([]dimse.Reference, len(p.Objects))
	for i, o := range p.Objects {
		references[i] = dimse.Reference{SOPClass: o.SOPClass, UID: o.UID}
	}
	err = n.within(ctx, dimse.CommitmentContexts(), func(a *dimse.Association) error {
		if err := a.RequestCommitment(ctx, transaction, references); err != nil {
			return err
		}
		var lost error
		if c, came, lost = a.AwaitCommitment(wake, wait); lost != nil {
			came = false // it was asked, and may report later
		}
		return nil
	})
	job.Log("storage commitment", job.Outcome(err))
	return c, came, err
}
