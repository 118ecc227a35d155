package session_test

import (
	"strings"
	"testing"

	"quell/denoise"
	"quell/ui/session/desk"
)

// The strength that keeps visible objects is found in the background, taken as one step, and what it leaves is said.
func TestTheStrengthThatKeepsWhatIsVisible(t *testing.T) {
	b := lesionBench(t, 5)
	b.engine.shrink = true // at h = 4 half of the noise and of the contrast is left, at every frequency
	b.Tuning.Set(b.tuned(4), true)
	b.settle()
	before := b.Tuning.Recipe()
	if !b.Dial.CanFind() || b.Dial.Searching() {
		t.Fatal("no search is possible")
	}
	b.Tuning.Set(before.With("strength", denoise.Visible), true)
	if !b.Dial.Searching() || b.Tasks.Progress().Kind != desk.Dialling || !b.Tuning.Recipe().Equal(before) {
		t.Fatal("the word does not begin a search")
	}
	b.settle()
	got := b.Tuning.Recipe().Get("strength").Float()
	if !b.Tuning.Recipe().Equal(before.With("strength", denoise.Number(got))) || got < 45 || got > 60 { // 20 of one share for all frequencies
		t.Errorf("the recipe is %s", b.Tuning.Recipe())
	}
	if said := b.Tasks.Message(); !strings.Contains(said, " % of the noise, keeps 93 % of the contrast of visible objects and 0.94 of the mean frequency") {
		t.Errorf("it says %q", said)
	}
	if b.Dial.Bound() != got {
		t.Errorf("a bound of %g, want %g", b.Dial.Bound(), got)
	}
	b.Tuning.Set(before.With("strength", denoise.Number(50)), true)
	if b.Dial.Bound() != got {
		t.Error("the bound goes with the value of the dial")
	}
	b.History.Undo()
	b.History.Undo()
	if !b.Tuning.Recipe().Equal(before) {
		t.Error("it is not one step of the history")
	}
	if b.Tuning.Set(b.tuned(5), true); b.Dial.Bound() != 0 {
		t.Error("the bound of another recipe is told")
	}
}

// The search is cancelled by its command, waits for no other task, and does not change a recipe that was changed
// meanwhile. Without known noise it says so.
func TestTheDialLeavesTheRecipe(t *testing.T) {
	b := lesionBench(t, 5)
	b.Tuning.Set(b.tuned(1), true)
	b.settle()
	b.Dial.Find()
	b.Dial.Find()
	if b.Dial.Searching() {
		t.Error("the second call does not cancel")
	}
	b.settle()
	if !b.Tuning.Recipe().Equal(b.tuned(1)) {
		t.Error("a cancelled search changes the recipe")
	}
	b.Dial.Find()
	b.Tuning.Set(b.tuned(2), true)
	b.settle()
	if !b.Tuning.Recipe().Equal(b.tuned(2)) || !strings.Contains(b.Tasks.Message(), "was changed meanwhile") {
		t.Errorf("%s, %q", b.Tuning.Recipe(), b.Tasks.Message())
	}
	none := anotherBench(t)
	none.Dial.Find()
	none.settle()
	if said := none.Tasks.Message(); !strings.HasPrefix(said, "The strength stays as it is. ") || len(none.errors) > 0 || strings.Contains(said, "give the strength") {
		t.Errorf("without noise it says %q, errors %v", said, none.errors)
	}
}
