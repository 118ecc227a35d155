package language_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"quell/ui/language"
)

// verbs are the verbs of package fmt; a translation may number them.
var verbs = regexp.MustCompile(`%(?:\[(\d)\])?[-+#0]*[\d.]*([a-zA-Z%])`)

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

func TestSentence(t *testing.T) {
	speakGerman(t)
	for english, german := range map[string]string{
		"": "",
		// Values are copied, capitals and full stops follow the text.
		"it differs from slice to slice, from 1.25 to 1e+03":                                        "es ist von Schicht zu Schicht verschieden, von 1,25 bis 1e+03",
		"It differs from slice to slice, from 1.25 to 1e+03.":                                       "Es ist von Schicht zu Schicht verschieden, von 1,25 bis 1e+03.",
		"nothing was removed":                                                                       "es wurde nichts entfernt",
		"12 % of the noise is left, and the residual holds little else. Judged without the recipe.": "12 % des Rauschens sind übrig, und das Restbild enthält wenig anderes. Ohne das Rezept beurteilt.",
		"the MTF does not fall to 10 % below 1.2/mm, one cycle per pixel":                           "die MTF fällt unter 1,2/mm, einem Zyklus je Pixel, nicht auf 10 %",
		// Values that are texts are translated too.
		"Noise is left: 2.5 times the strength would lower the error by 12 %.":                                                         "Rauschen ist übrig: die 2,5-fache Stärke würde den Fehler um 12 % verringern.",
		"The structure in the residual, most of all the smooth tissue at x 1, y 2 in slice 3, is by itself more than the least error.": "Die Struktur im Restbild, am meisten glattes Gewebe bei x 1, y 2 in Schicht 3, ist allein mehr als der kleinste Fehler.",
		"The noise is not known: the volume is small.":                                                                                 "Das Rauschen ist nicht bekannt: das Volumen ist klein.",
		"3 slices are missing (2.5 mm after slice 7, 5.0 mm after slice 9 and 2 more, where 1.25 mm is usual); the grid has the mean spacing. Filter slice by slice (2-D), or find the missing files.": "3 Schichten fehlen (2,5 mm nach Schicht 7, 5,0 mm nach Schicht 9 und 2 weitere, wo 1,25 mm üblich sind); das Gitter hat den mittleren Abstand. Schicht für Schicht filtern (2-D) oder die fehlenden Dateien suchen.",
		"2 images of another orientation cannot be in this volume (axial 16 x 16; localizer sagittal 16 x 16); they are listed as volumes of their own.":                                               "2 Bilder anderer Orientierung: nicht in diesem Volumen (axial 16 x 16; localizer sagittal 16 x 16); sie sind als eigene Volumen aufgeführt.",
		"2 images are excluded, each because its rescale slope is 0.":                                                      "2 Bilder sind ausgeschlossen: für jedes gilt, sein Rescale Slope ist 0.",
		"1 image is excluded, because it is a colour image (RGB, 8 bits), and only grey-scale images are read from DICOM.": "1 Bild ist ausgeschlossen: es ist ein Farbbild (RGB, 8 bits), und aus DICOM werden nur Graustufenbilder gelesen.",
		"12 voxels are NaN; they are treated as padding, which filters neither use nor change.":                            "12 Voxel sind NaN; sie werden wie Füllwerte behandelt, die Filter weder benutzen noch ändern.",
		"a.dcm: it cannot be opened (permission denied); check that it exists and may be read":                             "a.dcm: sie lässt sich nicht öffnen (keine Berechtigung); prüfen, ob sie vorhanden ist und gelesen werden darf",
		"index: it is not a DICOM file; choose a file or folder with CT or MR images":                                      "index: es ist keine DICOM-Datei; eine Datei oder einen Ordner mit CT- oder MR-Bildern wählen",
		"/out/x.nii: it needs 1.5 GB and 200.0 MB are free on its disk; free space, or choose another place":               "/out/x.nii: es braucht 1,5 GB, und 200,0 MB sind auf dem Datenträger frei; Platz schaffen oder einen anderen Ort wählen",
		"Quell cannot use the GPU: no NVIDIA driver is installed (libcuda is missing)":                                     "Quell cannot use the GPU: no NVIDIA driver is installed (libcuda is missing)",
		"h: 1e9 is not a number": "h: 1e9 ist keine Zahl",
		// What stands before a colon may be a name.
		"/data/My series/a.nii: padding lies in the ROI; no pixel lies in the ROI.": "/data/My series/a.nii: in der ROI liegen Füllwerte; in der ROI liegt kein Pixel.",
		"a b.dcm: padding lies in the ROI":                                          "a b.dcm: in der ROI liegen Füllwerte",
		// A text with a part that is not known stays as it is.
		"No such sentence.":                                    "No such sentence.",
		"Nothing was removed. No such sentence.":               "Nothing was removed. No such sentence.",
		"The noise is not known: there is no such reason.":     "The noise is not known: there is no such reason.",
		"There is no such reason: padding lies in the ROI":     "There is no such reason: padding lies in the ROI",
		"Noise is left: what now would lower the error by 1 %": "Noise is left: what now would lower the error by 1 %",
	} {
		if got := language.Sentence(english); got != german {
			t.Errorf("%q: %q; want %q", english, got, german)
		}
	}
}

func TestSentencesAreEnglishInEnglish(t *testing.T) {
	if text := "Nothing was removed."; language.Sentence(text) != text {
		t.Error(language.Sentence(text))
	}
}

// A translation takes every value once, in the order of the English text or by number.
func TestSentencesTakeTheSameValues(t *testing.T) {
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

// A long text that is not known takes no long time: what follows every joint is looked at once or twice.
func TestSentenceOfManyParts(t *testing.T) {
	speakGerman(t)
	for _, text := range []string{
		strings.Repeat("a, ", 200) + "and no such end", strings.Repeat("a.nii: ", 50) + "no such end", strings.Repeat("Nothing was removed. ", 50) + "No such end",
		"The noise is not known: " + strings.Repeat("x and y, z or ", 50) + "no such reason",
	} {
		if got := language.Sentence(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func BenchmarkSentence(b *testing.B) {
	if err := language.Use(language.German); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		language.Sentence("Noise is left: 2.5 times the strength would lower the error by 12 %.")
	}
}
