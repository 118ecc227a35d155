package workbench

import (
	"context"

	"quell/app/engines"
	"quell/app/run"
)

// Propose is [run.ProposeFilter] on the CPU: the same proposal on every machine, and as the command line has it.
func Propose(ctx context.Context, q run.ProposalRequest) (run.Proposal, error) {
	return run.ProposeFilter(ctx, engines.CPU(), q)
}
