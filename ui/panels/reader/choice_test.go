package reader

import (
	"math"
	"strings"
	"testing"

	"quell/app/study"
	"quell/denoise"
	"quell/denoise/lesions"
	_ "quell/internal/locale" // English
	"quell/measure/readers"
)

// The result says what was right of how many, with intervals, and names no d' that is infinite.
func TestTheResultOfAForcedChoice(t *testing.T) {
	plan := readers.Plan(40, 1)
	var answers []readers.Answer
	wrong := 4
	for k, trial := range plan {
		a := readers.Answer{Study: "s", Reader: "7", Trial: k, Left: trial.Left}
		if trial.Filtered && wrong > 0 {
			a.Left = !a.Left
			wrong--
		}
		answers = append(answers, a)
	}
	plans := map[string][]readers.Trial{"s": plan}
	recipe, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	k := study.Key{Study: "s", Seed: 3, Unit: "HU", Recipe: recipe, Lesion: lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 12}}
	text := resultText(k, readers.Scores(plans, answers)[0], study.Results{Plans: plans, Answers: answers})
	for _, want := range []string{
		"Reader 7: disc of 4 mm. Filter", "As it is: 20 of 20 right, 100 % (95 % interval 84 to 100 %), d′ > 1.4",
		"Filtered: 16 of 20 right, 80 % (95 % interval 58 to 92 %), d′ 1.2 (0.3–2.0)", "-20 points (", "Studies in this folder: 1, readers: 1;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.Contains(text, recipe.Filter) || strings.Contains(text, "12 HU") { // others may still be reading
		t.Errorf("the result names parameters: %s", text)
	}
	if got := indexText(readers.ShareOf(0, 20).Index); !strings.HasPrefix(got, "d′ < -1.4") {
		t.Errorf("no answer is right: %q", got)
	}
	if math.IsNaN(float64(readers.ShareOf(1, 2).Index.Value)) {
		t.Error("d' of one half is none")
	}
}
