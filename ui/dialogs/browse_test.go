package dialogs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	_ "quell/internal/locale" // English
	"quell/ui/control"
)

// browsing is an open dialog for files; folders are read at once.
type browsing struct {
	t      *testing.T
	w      fyne.Window
	opened string
}

func browse(t *testing.T, w fyne.Window, start string) *browsing {
	b := &browsing{t: t, w: w}
	now := func(f func()) { f() }
	Browse(BrowseRequest{Title: "Open", Start: start, Open: func(path string) { b.opened = path }, Go: now, Do: now}, w).Show()
	return b
}

func (b *browsing) field() *control.Entry { return find[*control.Entry](b.t, b.w)[0] }

func (b *browsing) list() *control.List { return find[*control.List](b.t, b.w)[0] }

// names returns the names in the list.
func (b *browsing) names() (names []string) {
	list := b.list()
	for i := range list.Length() {
		row := list.CreateItem()
		list.UpdateItem(i, row)
		names = append(names, row.(*fileRow).name.Text)
	}
	return names
}

func (b *browsing) said() (text string) {
	for _, l := range find[*widget.Label](b.t, b.w) {
		if l.Importance == widget.WarningImportance {
			text += l.Text
		}
	}
	return text
}

// tree makes folders and files, by names that end in a slash or not.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if name[len(name)-1] == '/' {
			err = os.MkdirAll(path, 0o700)
		} else if err == nil {
			err = os.WriteFile(path, []byte("x"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A typed path is opened if it exists; otherwise the dialog stays and says so.
func TestAPathIsTyped(t *testing.T) {
	w := parent(t)
	home := tree(t, "my head/")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for text, want := range map[string]string{
		filepath.Join(home, "my head"):                 filepath.Join(home, "my head"),
		" \"" + filepath.Join(home, "my head") + "\" ": filepath.Join(home, "my head"),
		"~/my head/": filepath.Join(home, "my head"),
		"~":          home,
		"~other":     "",
		home + "/no": "",
	} {
		b := browse(t, w, "")
		if !button(t, w, "Open").Disabled() {
			t.Error("an empty path can be opened")
		}
		b.field().SetText(text)
		b.field().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if b.opened != want {
			t.Errorf("%q opens %q; want %q", text, b.opened, want)
		}
		if open := w.Canvas().Overlays().Top() != nil; open != (want == "") {
			t.Errorf("%q leaves the dialog open: %t", text, open)
		} else if open {
			if b.said() == "" {
				t.Errorf("%q is refused without a word", text)
			}
			test.Tap(button(t, w, "Cancel"))
		}
	}
	b := browse(t, w, home)
	if b.field().Text != home || button(t, w, "Open").Disabled() {
		t.Errorf("the field begins with %q", b.field().Text)
	}
}

// The list shows the folder that is typed so far, narrowed by the last word.
func TestTheListFollowsThePath(t *testing.T) {
	w := parent(t)
	root := tree(t, "CT/b.dcm", "CT/a.dcm", "ct-old.nii.gz", "mr/", ".hidden", "Z.nii")
	if err := os.Symlink(filepath.Join(root, "CT"), filepath.Join(root, "linked")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	sep := string(filepath.Separator)
	b := browse(t, w, root+sep)
	for _, c := range []struct {
		path string
		want []string
	}{
		{root + sep, []string{"CT", "linked", "mr", "ct-old.nii.gz", "Z.nii"}},
		{root + sep + "c", []string{"CT", "ct-old.nii.gz"}},
		{root + sep + ".", []string{".hidden"}},
		{root + sep + "CT" + sep, []string{"a.dcm", "b.dcm"}},
		{root + sep + "CT", []string{"CT", "ct-old.nii.gz"}},
		{root + sep + "none", nil},
		{"", nil},
	} {
		b.field().SetText(c.path)
		if got := b.names(); !slices.Equal(got, c.want) || b.said() != "" {
			t.Errorf("%q lists %q and says %q; want %q", c.path, got, b.said(), c.want)
		}
	}
	b.field().SetText(root + sep + "gone" + sep)
	if len(b.names()) != 0 || b.said() != "The folder cannot be read." {
		t.Errorf("a folder that is not there lists %q and says %q", b.names(), b.said())
	}
	b.field().SetText(root + sep)
	if b.said() != "" {
		t.Error("the warning stays")
	}
}

// A whole path that is typed or pasted behind the folder of the field counts alone.
func TestAWholePathReplacesTheFolder(t *testing.T) {
	w := parent(t)
	root := tree(t, "CT/a.dcm", "mr/b.dcm")
	sep := string(filepath.Separator)
	ct, mr := filepath.Join(root, "CT")+sep, filepath.Join(root, "mr")+sep
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skipf("the home folder is not known here: %v", err)
	}
	for _, c := range []struct{ added, want string }{
		{mr, mr},                      // pasted, or typed up to here
		{`"` + mr + `"`, mr},          // as a file manager copies it
		{"~", home},                   // home
		{"a.dcm", ct + "a.dcm"},       // a name in the folder
		{"x" + mr, ct + "x" + mr},     // not at the beginning
		{"~x", ct + "~x"},             // a name
		{".." + sep, ct + ".." + sep}, // relative
	} {
		browse(t, w, ct)
		b := find[*control.Entry](t, w)[0]
		b.SetText(b.Text + c.added)
		if got := typedPath(b.Text); got != c.want {
			t.Errorf("%q behind %q is %q; want %q", c.added, ct, got, c.want)
		}
		test.Tap(button(t, w, "Cancel"))
	}
	browse(t, w, ct)
	b := find[*control.Entry](t, w)[0]
	test.Type(b, mr) // letter by letter, at the end
	if b.Text != mr {
		t.Errorf("the field holds %q; want %q", b.Text, mr)
	}
}

// Down and Return open what the typed path begins, a file or a folder, without another key.
func TestReturnInTheListOpens(t *testing.T) {
	w := parent(t)
	root := tree(t, "CT/a.dcm", "CT/b.dcm", "mr/a.dcm")
	for typed, want := range map[string]string{
		filepath.Join(root, "m"):                               filepath.Join(root, "mr"),
		filepath.Join(root, "mr"):                              filepath.Join(root, "mr"),
		filepath.Join(root, "CT", "b"):                         filepath.Join(root, "CT", "b.dcm"),
		filepath.Join(root, "CT") + string(filepath.Separator): filepath.Join(root, "CT", "a.dcm"),
		filepath.Join(root, "none"):                            "",
	} {
		b := browse(t, w, root+string(filepath.Separator))
		b.field().SetText(typed)
		for _, k := range []fyne.KeyName{fyne.KeyDown, fyne.KeyReturn} {
			w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
		}
		if b.opened != want {
			t.Errorf("%q, Down, Return opens %q; want %q", typed, b.opened, want)
		}
		if want == "" {
			test.Tap(button(t, w, "Cancel"))
		}
	}
	b := browse(t, w, root+string(filepath.Separator))
	for _, k := range []fyne.KeyName{fyne.KeyDown, fyne.KeySpace} {
		w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
	}
	if b.opened != "" || b.field().Text != filepath.Join(root, "CT")+string(filepath.Separator) {
		t.Errorf("Space opens %q, and the field holds %q", b.opened, b.field().Text)
	}
}

// A choice enters a folder; a file is put into the field first and then opened.
func TestChoosingInTheList(t *testing.T) {
	w := parent(t)
	root := tree(t, "CT/a.dcm", "CT/b.dcm")
	sep := string(filepath.Separator)
	b := browse(t, w, root+sep)
	b.field().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	if w.Canvas().Focused() != b.list() {
		t.Error("Down does not lead to the list")
	}
	b.list().OnSelected(0)
	if b.field().Text != filepath.Join(root, "CT")+sep || b.opened != "" {
		t.Fatalf("a folder gives %q", b.field().Text)
	}
	b.list().OnSelected(1)
	if b.field().Text != filepath.Join(root, "CT", "b.dcm") || b.opened != "" || len(b.names()) != 1 {
		t.Fatalf("a file gives %q and opens %q", b.field().Text, b.opened)
	}
	b.list().OnSelected(0)
	if b.opened != filepath.Join(root, "CT", "b.dcm") || w.Canvas().Overlays().Top() != nil {
		t.Errorf("the second choice opens %q", b.opened)
	}
	b = browse(t, w, filepath.Join(root, "CT")+sep)
	for _, c := range find[*control.Button](t, w) {
		if c.Text == "" && c.Icon.Name() == theme.MoveUpIcon().Name() {
			test.Tap(c)
		}
	}
	if b.field().Text != root+sep {
		t.Errorf("up gives %q", b.field().Text)
	}
	test.Tap(button(t, w, "Open"))
	if b.opened != root {
		t.Errorf("a folder opens %q", b.opened)
	}
}
