package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"quell/denoise"
	"quell/gpu"
)

// Rows whose times a finding compares are timed in turns: all rows of the experiment once,
// then all of them again. What disturbs the machine for a while then disturbs all of
// them, and the scatter between turns says how far a quotient can be trusted.
const turns = 3

// coldClock is the time of a row up to which a GPU's clock and caches are warmed by an
// extra run before each turn.
const coldClock = 20e-3 // seconds

// busyScatter is the quotient of a row's longest and shortest turn, in the median over
// rows, beyond which a machine does other work: findings about times are not judged.
const busyScatter = 1.25

// longestTurn is the time of a row from which it takes one turn alone.
const longestTurn = 5 * time.Second

// takesTurns reports whether a finding of the experiment may rest on times.
func (e Experiment) takesTurns() bool {
	return len(e.Claims) > 0 && slices.Contains(e.Figures, Time)
}

// takeTurns times the measured rows of an experiment again, one after another. The error
// is from a cancel; a row that fails keeps the turns that it has.
func (b *runner) takeTurns(x *ExperimentReport, again []*measurement) error {
	for range turns - 1 {
		for i, m := range again {
			if m == nil || b.ctx.Err() != nil || x.Rows[i].Result.Figures[Time] > longestTurn.Seconds() {
				continue
			}
			took, err := m.turn(m.ctx)
			if err != nil {
				again[i] = nil
				continue
			}
			r := &x.Rows[i].Result
			r.Turns = append(r.Turns, took)
			if m.row.Step == "" {
				continue
			}
			if took, err = m.turn(denoise.UpTo(m.ctx, m.row.Step)); err != nil {
				again[i] = nil
				continue
			}
			r.Steps = append(r.Steps, took)
		}
	}
	for i, m := range again {
		if r := &x.Rows[i].Result; m != nil && len(r.Turns) > 1 {
			r.Figures = maps.Clone(r.Figures)
			r.Figures[Time] = median(r.Turns)
			if len(r.Steps) > 0 {
				r.Figures[FirstStep] = median(r.Steps)
			}
			b.save(m.key, *r)
		}
	}
	return b.ctx.Err()
}

// turn runs the filter once more, in that context, and returns its time, as time measures it.
func (m *measurement) turn(ctx context.Context) (float64, error) {
	r := measurement{ctx: ctx, row: m.row, engine: m.engine, image: m.image, quick: true, recipe: m.recipe, region: m.region, result: RowResult{Figures: map[string]float64{}}}
	if device, ok := m.engine.(interface{ Status() gpu.Status }); ok {
		if m.result.Figures[Time] < coldClock {
			if _, err := m.engine.Run(ctx, m.recipe, denoise.Input{Volume: m.image.noisy}, m.region, nil); err != nil {
				return 0, err
			}
		}
		before := device.Status().Busy
		if _, err := m.engine.Run(ctx, m.recipe, denoise.Input{Volume: m.image.noisy}, m.region, nil); err != nil {
			return 0, err
		}
		return (device.Status().Busy - before).Seconds(), nil
	}
	err := r.time()
	return r.result.Figures[Time], err
}

// atTurn returns the rows with the times of one turn, and the quotients that follow; rows
// with one turn are as they are.
func (x ExperimentReport) atTurn(n int) Rows {
	at := x
	at.Rows = slices.Clone(x.Rows)
	for i := range at.Rows {
		if r := &at.Rows[i]; n < len(r.Result.Turns) {
			r.Result.Figures = maps.Clone(r.Result.Figures)
			r.Result.Figures[Time] = r.Result.Turns[n]
			if n < len(r.Result.Steps) {
				r.Result.Figures[FirstStep] = r.Result.Steps[n]
			}
		}
	}
	for i := range at.Rows {
		at.speedup(&at.Rows[i])
	}
	return at.Rows
}

// scatter is the median over the rows of their longest turn over their shortest; 1 if no
// row took turns.
func (x ExperimentReport) scatter() float64 {
	var all []float64
	for _, r := range x.Rows {
		if t := r.Result.Turns; len(t) > 1 && slices.Min(t) > 0 {
			all = append(all, slices.Max(t)/slices.Min(t))
		}
	}
	if len(all) == 0 {
		return 1
	}
	return median(all)
}

// judge says what became of a finding: it holds, or does not hold, if it does so in every
// turn; it holds in part if it does for some of the rows that it is about.
func (x ExperimentReport) judge(c Claim) ClaimReport {
	holds, detail, known := c.Check(x.Rows)
	if !known {
		return ClaimReport{Text: c.Text}
	}
	report := ClaimReport{Text: c.Text, Known: true, Holds: holds, Detail: detail}
	n := 0
	for _, r := range x.Rows {
		n = max(n, len(r.Result.Turns))
	}
	parts := c.Parts
	if parts == nil {
		parts = func(rows Rows) []bool {
			holds, _, _ := c.Check(rows)
			return []bool{holds}
		}
	}
	always, never := parts(x.Rows), slices.Clone(parts(x.Rows))
	timed := false // the finding rests on times: turns change what it says
	for turn := range n {
		rows := x.atTurn(turn)
		_, other, _ := c.Check(rows)
		timed = timed || other != detail
		for i, holds := range parts(rows) {
			always[i], never[i] = always[i] && holds, never[i] || holds
		}
	}
	sure, refuted := 0, 0
	for i := range always {
		if always[i] {
			sure++
		}
		if !never[i] {
			refuted++
		}
	}
	report.Of, report.HoldsFor = len(always), sure
	switch scatter := x.scatter(); {
	case timed && scatter > busyScatter:
		report.Why = fmt.Sprintf("the machine is busy: the longest of %d turns takes %.2f times the shortest, in the median", n, scatter)
	case sure == len(always):
		report.Holds = true
	case refuted == len(always):
		report.Holds = false
	case sure == 0 && len(always) == 1:
		report.Why = fmt.Sprintf("it holds in some of %d turns and not in others", n)
	default:
		report.Holds, report.Part = sure > 0, sure > 0
	}
	return report
}
