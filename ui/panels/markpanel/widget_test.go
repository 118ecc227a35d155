package markpanel

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/ui/control"

	_ "quell/internal/locale" // English
)

// Buttons are live where their command makes sense; the list selects; the shown figures
// follows the snapshot.
func TestPanel(t *testing.T) {
	test.NewTempApp(t)
	chosen := 0
	p := NewWidget(Hooks{
		Select: func(id int) { chosen = id },
		Button: func(icon fyne.Resource, text, _ string) *control.Button {
			return control.NewButton(text, icon, func() {})
		},
	})
	test.NewTempWindow(t, p).Resize(fyne.NewSize(340, 300))
	live := func() (out []string) {
		for id, b := range p.buttons {
			if !b.Disabled() {
				out = append(out, id)
			}
		}
		slices.Sort(out)
		return out
	}
	if got := live(); len(got) != 0 {
		t.Errorf("%v is live without a series", got)
	}
	rows := []Row{{Label: "HU", Values: [3]string{"Original", "Denoised", "Residual"}}, {Label: "Mean", Values: [3]string{"1", "2", "3"}}}
	p.Display(Snapshot{Ready: true, Entries: []Entry{{ID: 3, Text: "ROI 3"}, {ID: 7, Text: "Line 7", Selected: true}}, Rows: rows, Note: "Note."})
	if got := live(); !slices.Equal(got, []string{Delete, Copy}) {
		t.Errorf("%v is live with a line", got)
	}
	if len(p.list.Objects) != 2 || len(p.table.Objects) != 2 || p.note.Hidden || p.note.Text != "Note." {
		t.Errorf("%d marks, %d rows, note %q", len(p.list.Objects), len(p.table.Objects), p.note.Text)
	}
	first := p.list.Objects[0].(*control.Button)
	test.Tap(first)
	if chosen != 3 {
		t.Errorf("mark %d was chosen, want 3", chosen)
	}
	p.Display(Snapshot{Ready: true, Entries: []Entry{{ID: 5, Text: "ROI 5", Selected: true}}, Rows: rows, ROI: true, Given: true})
	if got := live(); !slices.Equal(got, []string{Delete, Noise, Estimate, Window, Copy}) {
		t.Errorf("%v is live with the ground", got)
	}
	if len(p.list.Objects) != 1 || p.list.Objects[0] != first || first.Text != "ROI 5" || !p.note.Hidden {
		t.Error("the list is not that of the snapshot, or its button is another")
	}
	if test.Tap(first); chosen != 5 {
		t.Errorf("mark %d was chosen, want 5", chosen)
	}
	p.Display(Snapshot{Ready: true, Entries: []Entry{{ID: 5}}, Rows: rows, ROI: true, Ground: true})
	if got := live(); !slices.Contains(got, Ground) {
		t.Errorf("%v is live with another ROI", got)
	}
}
