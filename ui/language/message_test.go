package language_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/ui/language"
)

// speakGerman makes a test run in German.
func speakGerman(t *testing.T) {
	t.Helper()
	if err := language.Use(language.German); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := language.Use(language.English); err != nil {
			t.Error(err)
		}
	})
}

// Each message has its text in English, which no language but English shows, and in German.
var samples = []struct {
	message         message.Message
	english, german string
}{
	{message.Message{}, "", ""},
	// Values are formatted as the language does, capitals and full stops follow the English text.
	{message.Text("it differs from slice to slice, from %.3g to %.3g", 1.25, 1000.0), "it differs from slice to slice, from 1.25 to 1e+03", "es ist von Schicht zu Schicht verschieden, von 1,25 bis 1e+03"},
	{message.Text("it differs from slice to slice, from %.3g to %.3g", 1.25, 1000.0).Sentence(), "It differs from slice to slice, from 1.25 to 1e+03.", "Es ist von Schicht zu Schicht verschieden, von 1,25 bis 1e+03."},
	{message.Text("Compared without the recipe."), "Compared without the recipe.", "Ohne das Rezept verglichen."},
	{message.Text("compared without the recipe"), "compared without the recipe", "ohne das Rezept verglichen"},
	{message.Text("Compared without the recipe.").Clause(), "Compared without the recipe", "Ohne das Rezept verglichen"},
	{message.Text("Nothing was removed: %d %% of the noise.", 2).And(message.Text("Compared without the recipe.")),
		"Nothing was removed: 2 % of the noise. Compared without the recipe.", "Nichts wurde entfernt: 2 % des Rauschens. Ohne das Rezept verglichen."},
	// Values that are messages or errors are translated, names are not.
	{message.Text("%s %s and keeps small objects and texture.", message.Verbatim("nlm"), message.Text("removes %.0f %% of the noise at strength %.0f", 31.0, 40.0)),
		"nlm removes 31 % of the noise at strength 40 and keeps small objects and texture.", "nlm entfernt 31 % des Rauschens bei Stärke 40 und erhält kleine Objekte und Textur."},
	{noise.Figure{Confidence: noise.None, Why: message.Text("the volume is small")}.Sentence(),
		"Noise unknown: the volume is small. What helps: a mask of homogeneous tissue, the strength as a number, an ROI or two repeat acquisitions.",
		"Rauschen unbekannt: das Volumen ist klein. Was hilft: eine Maske homogenen Gewebes, die Stärke als Zahl, eine ROI oder zwei Wiederholungsaufnahmen."},
	{message.Text("%s excluded, %sbecause %s.", message.Count(2, "image is", "images are"), message.Text("%s ", message.Text("each")), message.Text("its rescale slope is 0")),
		"2 images are excluded, each because its rescale slope is 0.", "2 Bilder sind ausgeschlossen: für jedes gilt, sein Rescale Slope ist 0."},
	{message.Text("%s missing (%s, where %.2f mm is usual); the grid has the mean spacing. Filter slice by slice (2-D), or find the missing files.",
		message.Count(1, "slice is", "slices are"), message.Some(", ", message.Text("%.1f mm after slice %d", 2.5, 7), message.Text("%.1f mm after slice %d", 5.0, 9), message.Verbatim("x"), message.Verbatim("y")), 1.25),
		"1 slice is missing (2.5 mm after slice 7, 5.0 mm after slice 9, x and 1 more, where 1.25 mm is usual); the grid has the mean spacing. Filter slice by slice (2-D), or find the missing files.",
		"1 Schicht fehlt (2,5 mm nach Schicht 7, 5,0 mm nach Schicht 9, x und 1 weitere, wo 1,25 mm üblich sind); das Gitter hat den mittleren Abstand. Schicht für Schicht filtern (2-D) oder die fehlenden Dateien suchen."},
	{message.About("index", message.Text("it is not a DICOM file"), message.Text("choose a file or folder with CT or MR images")),
		"index: it is not a DICOM file; choose a file or folder with CT or MR images", "index: es ist keine DICOM-Datei; eine Datei oder einen Ordner mit CT- oder MR-Bildern wählen"},
	{message.About("/out/x.nii", message.Text("it needs %s and %s are free on its disk", message.Figure("1.5 GB"), message.Figure("200.0 MB")), message.Text("free space, or choose another place")),
		"/out/x.nii: it needs 1.5 GB and 200.0 MB are free on its disk; free space, or choose another place", "/out/x.nii: es braucht 1,5 GB, und 200,0 MB sind auf dem Datenträger frei; Platz schaffen oder einen anderen Ort wählen"},
	{message.Of(message.Named("h", message.Errorf("", "%s is not a number", "1e9"))), "h: 1e9 is not a number", "h: 1e9 ist keine Zahl"},
	{message.Of(message.Errorf("", "the reference cannot be compared: %w", message.Errorf("", "padding lies in the ROI"))), "the reference cannot be compared: padding lies in the ROI", "die Referenz lässt sich nicht vergleichen: in der ROI liegen Füllwerte"},
	// What the system says is in the language if it is known, and what other packages say as it is.
	{message.About("a.dcm", message.Text("it cannot be opened (%s)", message.Of(errors.New("permission denied"))), message.Text("check that it exists and may be read")),
		"a.dcm: it cannot be opened (permission denied); check that it exists and may be read", "a.dcm: sie lässt sich nicht öffnen (keine Berechtigung); prüfen, ob sie vorhanden ist und gelesen werden darf"},
	{message.Text("the reference cannot be compared: %s", errors.New("net: 0.5 s are over")), "the reference cannot be compared: net: 0.5 s are over", "die Referenz lässt sich nicht vergleichen: net: 0.5 s are over"},
	// A text without a translation stays English as a whole, with the values in it.
	{message.Text("There is no such sentence: %s, %.1f.", message.Text("the volume is small"), 1.5), "There is no such sentence: the volume is small, 1.5.", "There is no such sentence: the volume is small, 1.5."},
	{noise.Figure{Sigma: 3, Low: 2, High: 12.5, Why: message.Text("what now")}.Sentence(),
		"Noise known roughly, between 2 and 12.5: what now. What helps: a mask of homogeneous tissue, the strength as a number, an ROI or two repeat acquisitions.",
		"Rauschen nur grob bekannt, zwischen 2 und 12,5: what now. Was hilft: eine Maske homogenen Gewebes, die Stärke als Zahl, eine ROI oder zwei Wiederholungsaufnahmen."},
	{message.Verbatim("voxel"), "voxel", "voxel"}, // a name
}

func TestMessagesInBothLanguages(t *testing.T) {
	for _, c := range samples {
		if got := language.Of(c.message); got != c.english {
			t.Errorf("%q; want %q", got, c.english)
		}
	}
	speakGerman(t)
	for _, c := range samples {
		if got := language.Of(c.message); got != c.german || c.message.String() != c.english {
			t.Errorf("%q: %q; want %q", c.message, got, c.german)
		}
	}
	if got := language.Error(fmt.Errorf("other: %w", message.Errorf("", "padding lies in the ROI"))); got != "other: padding lies in the ROI" {
		t.Errorf("an error of another package: %q", got)
	}
	if got := language.Error(message.Errorf("", "there is no such file (%w)", fs.ErrNotExist)); got != "diese Datei gibt es nicht (file does not exist)" {
		t.Errorf("an error with its cause: %q", got)
	}
}

// A translation takes every value once, in the order of the English text or by number.
func TestTranslationsTakeTheSameValues(t *testing.T) {
	count := func(text string) (values []string, numbers []string) {
		for _, m := range verbs.FindAllStringSubmatch(text, -1) {
			if m[2] != "%" {
				values, numbers = append(values, strings.NewReplacer("v", "s", "w", "s").Replace(m[0])), append(numbers, m[1])
			}
		}
		return values, numbers
	}
	for english, german := range readTexts(t, "sentences/de.json") {
		want, _ := count(english)
		got, numbers := count(german)
		if len(got) > 0 && numbers[0] != "" {
			slices.Sort(numbers)
			if numbers = slices.Compact(numbers); len(numbers) != len(want) || len(got) != len(want) || numbers[len(want)-1] != string('0'+rune(len(want))) {
				t.Errorf("%q has the values %q; its translation %q has %q", english, want, german, got)
			}
		} else if !slices.Equal(got, want) {
			t.Errorf("%q has the values %q; its translation %q has %q", english, want, german, got)
		}
		if strings.HasSuffix(english, ".") != strings.HasSuffix(german, ".") {
			t.Errorf("the ends of %q and %q differ", english, german)
		}
	}
}
