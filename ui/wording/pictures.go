package wording

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/ui/viewer"
	"quell/volume"
)

// Window names a window: one of the program's own in the language of the workbench, that of
// a file as the file has it.
func Window(w volume.Window) string {
	if slices.Contains(volume.WindowNames(), w.Name) {
		return lang.L(w.Name)
	}
	return w.Name
}

// Slice writes the place of a slice: "14 / 28", and how its picture is turned if that
// is not as radiologists are used to.
func Slice(cut viewer.Cut, index int) string {
	return strings.TrimSuffix(fmt.Sprintf("%d / %d, %s", index+1, cut.View().Size[2], Turn(cut)), ", ")
}

// Turn says how pictures are turned: "mirrored, turned 90°", or "".
func Turn(cut viewer.Cut) string {
	var texts []string
	t := cut.Turned()
	if t.Mirrored {
		texts = append(texts, lang.L("mirrored"))
	}
	if t.Quarters != 0 {
		texts = append(texts, fmt.Sprintf(lang.L("turned %d°"), 90*t.Quarters))
	}
	return strings.Join(texts, ", ")
}

// Zoom writes the magnification in device pixels per voxel: "134 %", and whether
// that fits the pane.
func Zoom(cut viewer.Cut, p viewer.Pane) string {
	text := fmt.Sprintf(lang.L("Zoom %.0f %%"), 100*cut.Transform(float64(p.Width), float64(p.Height)).Magnification())
	if cut.Zoom() == 1 {
		text += lang.L(", fit")
	}
	return text
}

// Plane is the name of a plane at the start of a text: "Axial".
func Plane(p volume.Plane) string {
	name := p.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// NotClinical is the notice on clinical use; in full screen, without the bar, it is on the
// picture.
const NotClinical = "Not for clinical use"
