package judge_test

import (
	"testing"

	"quell/app/judge"
	"quell/denoise/verdict"
	"quell/internal/message"
)

// A part has the word of the whole within its interval, and its own beyond; a verdict for another reason stays.
func TestAPartHasTheWordOfTheWhole(t *testing.T) {
	figures := func(removed, half float64) verdict.Figures {
		kept := verdict.Share{Value: 0.95, Low: 0.9, High: 1}
		return verdict.Of(verdict.Share{Value: removed, Low: removed - half, High: removed + half}, kept, kept)
	}
	of := func(removed, half float64) (v judge.Verdict) {
		v.Figures = figures(removed, half)
		v.Judgement, v.Why = verdict.Usual.Judge(v.Figures)
		return v
	}
	whole := figures(0.16, 0.01)
	erased := of(0.14, 0.02)
	erased.Judgement, erased.Why = verdict.Fades, message.New(message.VerdictStructure, "An object was removed.")
	for i, c := range []struct {
		part judge.Verdict
		want verdict.Word
	}{
		{of(0.14, 0.02), verdict.Good}, {of(0.17, 0.02), verdict.Good}, {of(0.12, 0.02), verdict.Little}, {erased, verdict.Fades},
		{judge.Verdict{Figures: verdict.None(), Judgement: verdict.Unknown, Why: message.New(message.VerdictNone, "No map.")}, verdict.Unknown},
	} {
		if got := c.part.In(whole); got.Judgement != c.want {
			t.Errorf("%d: %s, %s", i, got.Judgement, got.Why)
		}
	}
}
