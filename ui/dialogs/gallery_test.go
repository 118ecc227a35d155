package dialogs

import (
	"image"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// Cells fill one after another; a picture or its title takes the cell, which closes the
// dialog, and what was asked to follow a close follows.
func TestGallery(t *testing.T) {
	w := parent(t)
	closed, after, taken := 0, 0, ""
	g := Gallery("All of them", fyne.NewSize(900, 600), func() { closed++ }, w)
	g.SetOnClosed(func() { after++ })
	cells := []GalleryCell{{Title: "Original", Picture: image.NewRGBA(image.Rect(0, 0, 8, 8))}, {Title: "First", Awaiting: true, Lines: []string{"to come"}}, {Title: "Second", Awaiting: true}}
	g.Display(cells)
	g.Show()
	pictures := func() int { return len(find[*canvas.Image](t, w)) }
	said := func(part string) bool {
		return slices.ContainsFunc(find[*widget.Label](t, w), func(l *widget.Label) bool { return strings.Contains(l.Text, part) })
	}
	if pictures() != 1 || !said("to come") || !said("Second") || len(find[*tappable](t, w)) != 0 {
		t.Fatalf("%d pictures", pictures())
	}
	cells[1] = GalleryCell{
		Title: "First", Picture: image.NewRGBA(image.Rect(0, 0, 8, 8)), Marked: true, Lines: []string{"error 0.2", "3 s"},
		Take: func() { taken = "first" },
	}
	g.Display(cells)
	if pictures() != 2 || said("to come") || !said("error 0.2\n3 s") || button(t, w, "First").Importance != widget.HighImportance {
		t.Errorf("%d pictures after the first is there", pictures())
	}
	first := g.grid.Objects[1]
	g.Display(cells)
	if g.grid.Objects[1] != first {
		t.Error("a cell that is complete was made again")
	}
	cells[2] = GalleryCell{Title: "Second", Lines: []string{"cannot run"}}
	g.Display(cells)
	if !said("cannot run") || len(find[*tappable](t, w)) != 1 {
		t.Error("a filter that cannot run can be taken")
	}
	test.Tap(find[*tappable](t, w)[0])
	if taken != "first" || closed != 1 || after != 1 {
		t.Errorf("took %q, closed %d, %d", taken, closed, after)
	}
	g.Show()
	taken = ""
	test.Tap(button(t, w, "First"))
	if taken != "first" || closed != 2 {
		t.Errorf("the title took %q", taken)
	}
}
