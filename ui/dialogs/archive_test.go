package dialogs

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/app/pacs"
	"quell/ui/control"
)

// archiveDialog shows the dialog with a PACS that finds rows, and returns what was asked for and looked at.
func archiveDialog(t *testing.T, found pacs.Found) (w fyne.Window, asked *[]pacs.Ask, looked *[]string) {
	t.Helper()
	w, asked, looked = parent(t), &[]pacs.Ask{}, &[]string{}
	Archive(ArchiveRequest{
		Places: []pacs.Place{{Name: "ward", To: "PACS@127.0.0.1:104"}},
		Search: func(_ context.Context, _ pacs.Place, a pacs.Ask, done func(pacs.Found, error)) {
			*asked = append(*asked, a)
			done(found, nil)
		},
		Preview: func(_ context.Context, _ pacs.Place, r pacs.Row, _ func(image.Image, error)) {
			*looked = append(*looked, r.Series)
		},
		Open: func(pacs.Place, pacs.Row, image.Image) {},
	}, w).Show()
	return w, asked, looked
}

// A search that names neither patient nor date nor modality asks for a date, in the field that has the focus then.
func TestASearchOfEverythingAsksForADate(t *testing.T) {
	w, asked, _ := archiveDialog(t, pacs.Found{})
	fields := find[*control.Entry](t, w)
	at := func(name string) *control.Entry {
		return fields[slices.IndexFunc(fields, func(e *control.Entry) bool { return e.Name == name })]
	}
	const advice = "Enter a date, such as 2026-01-31, or the beginning of a patient's name; * stands for any."
	for _, description := range []string{"", "head", "*"} {
		w.Canvas().Unfocus()
		at("Series description").SetText(description)
		test.Tap(button(t, w, "Search"))
		if len(*asked) > 0 || w.Canvas().Focused() != at("Date") || !strings.Contains(texts(t, w), advice) {
			t.Fatalf("description %q: asked %+v, the focus is on %v, the dialog says %q", description, *asked, w.Canvas().Focused(), texts(t, w))
		}
	}
	for i, set := range []func(){
		func() { at("Date").SetText("2026-01-31") },
		func() { at("Date").SetText(""); at("Patient").SetText("*") },
		func() { at("Patient").SetText(" "); at("Patient ID").SetText("4711") },
		func() { at("Patient ID").SetText(""); find[*control.Select](t, w)[1].SetSelectedIndex(1) },
	} {
		set()
		test.Tap(button(t, w, "Search"))
		if len(*asked) != i+1 || strings.Contains(texts(t, w), advice) {
			t.Errorf("search %d: asked %+v, the dialog says %q", i, *asked, texts(t, w))
		}
	}
}

// Studies are listed, and a click on one shows its series or hides them; of a study alone they are shown at once. A click on
// a series looks at it.
func TestAClickOnAStudyShowsItsSeries(t *testing.T) {
	found := pacs.Found{Rows: []pacs.Row{
		{Study: "1", Series: "1.1", Description: "AX T1"}, {Study: "1", Series: "1.2", Description: "AX T2"}, {Study: "2", Series: "2.1", Description: "HEAD"},
	}}
	w, _, looked := archiveDialog(t, found)
	find[*control.Entry](t, w)[1].SetText("*")
	test.Tap(button(t, w, "Search"))
	list := find[*control.List](t, w)[0]
	expect := func(what string, rows, looks int) {
		t.Helper()
		if list.Length() != rows || len(*looked) != looks || button(t, w, "Open").Disabled() != (what != "a series") {
			t.Fatalf("%s: %d rows, looked at %q, Open is disabled: %t", what, list.Length(), *looked, button(t, w, "Open").Disabled())
		}
	}
	expect("two studies", 2, 0)
	list.Select(0)
	expect("the first opened", 4, 0)
	list.Select(2)
	expect("a series", 4, 1)
	list.Select(3)
	expect("the second opened", 5, 1)
	list.Select(0)
	expect("the first closed", 3, 1)
	list.Select(2)
	expect("a series", 3, 2)
	if !slices.Equal(*looked, []string{"1.2", "2.1"}) {
		t.Errorf("looked at %q", *looked)
	}

	found.Rows = found.Rows[:2]
	w, _, _ = archiveDialog(t, found)
	find[*control.Entry](t, w)[1].SetText("*")
	test.Tap(button(t, w, "Search"))
	if list = find[*control.List](t, w)[0]; list.Length() != 3 {
		t.Errorf("of one study %d rows are shown", list.Length())
	}
}
