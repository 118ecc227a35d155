package dialogs

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/job"
	"quell/ui/control"
	"quell/ui/language"
	"quell/ui/newest"
)

// BrowseRequest asks for a file or folder.
type BrowseRequest struct {
	Title string
	Start string // the path that the field begins with
	Open  func(path string)
	Go    func(func()) // runs a function on another goroutine
	Do    func(func()) // runs a function on the UI goroutine
}

// browser is the dialog's state: the folder of the typed path and its entries.
type browser struct {
	request BrowseRequest
	field   *control.Entry
	given   string // what the dialog put into the field last
	problem *widget.Label
	list    *control.List
	confirm *control.Button
	dialog  *Dialog
	reader  newest.Worker[string, listing]
	read    listing
	shown   []fs.FileInfo // of read, the entries that the field's last word begins
}

// listing is the content of a folder: folders first, then files, by name.
type listing struct {
	folder string
	files  []fs.FileInfo
	err    error
}

// Browse asks for a file or folder: a path is typed, or chosen from the list of the
// folder that is typed so far. The last word of the path narrows the list. In the list Return opens
// a file or a folder; Space and the mouse enter a folder.
func Browse(r BrowseRequest, parent fyne.Window) *Dialog {
	b := &browser{request: r, field: control.NewEntry(r.Title), problem: wrapped("")}
	b.problem.Importance = widget.WarningImportance
	b.reader = newest.Worker[string, listing]{Go: r.Go, Do: r.Do, Work: readFolder, Done: func(l listing) {
		b.read = l
		b.narrow()
	}}
	b.list = control.NewList(lang.L("Files and folders"), func() int { return len(b.shown) }, newFileRow, func(i widget.ListItemID, o fyne.CanvasObject) {
		o.(*fileRow).display(b.shown[i])
	})
	b.list.OnSelected = func(i widget.ListItemID) {
		b.list.Unselect(i)
		b.choose(b.shown[i])
	}
	b.list.OnSubmitted = func(i widget.ListItemID) {
		b.list.UnselectAll()
		if i >= 0 && b.read.folder == b.folder() { // else the typed folder is not read yet
			b.set(filepath.Join(b.folder(), b.shown[i].Name()))
		}
		b.open()
	}
	b.confirm = control.NewButton(lang.L("Open"), nil, b.open)
	b.confirm.Importance = widget.HighImportance
	b.field.OnDown = func() { parent.Canvas().Focus(b.list) }
	b.field.OnChanged = func(string) { b.typed() }
	b.field.OnSubmitted = func(string) { b.open() }
	up := control.NewButton("", theme.MoveUpIcon(), func() { b.enter(filepath.Dir(filepath.Clean(b.folder()))) })
	home := control.NewButton("", theme.HomeIcon(), func() { b.enter("~") })
	up.Named, home.Named = func() string { return lang.L("Folder above") }, func() string { return lang.L("Home folder") }
	head := container.NewBorder(nil, nil, container.NewHBox(home, up), nil, b.field)
	size := parent.Canvas().Size()
	b.dialog = newDialog(r.Title, container.NewBorder(container.NewVBox(head, b.problem), nil, nil, nil, b.list),
		fyne.NewSize(min(size.Width*0.85, 1100), min(size.Height*0.85, 760)), parent)
	b.dialog.SetButtons([]fyne.CanvasObject{control.NewButton(lang.L("Cancel"), nil, b.dialog.Hide), b.confirm})
	b.dialog.first = b.field
	b.set(r.Start)
	return b.dialog
}

// set replaces the path in the field.
func (b *browser) set(path string) {
	b.given = path
	b.field.SetText(path)
	b.field.CursorColumn = len([]rune(path))
	b.typed()
}

// enter shows a folder.
func (b *browser) enter(folder string) {
	folder = typedPath(folder)
	if !strings.HasSuffix(folder, separator) {
		folder += separator
	}
	b.set(folder)
}

const separator = string(filepath.Separator)

// folder returns the folder of the typed path: all but its last word.
func (b *browser) folder() string {
	folder, _ := filepath.Split(typedPath(b.field.Text))
	return folder
}

// typed follows a change of the path. A whole path that is typed or pasted behind the folder
// which stands there takes its place.
func (b *browser) typed() {
	if whole, ok := strings.CutPrefix(b.field.Text, b.given); ok && b.given != "" && filepath.IsAbs(typedPath(whole)) {
		b.set(whole)
		return
	}
	b.problem.SetText("")
	if typedPath(b.field.Text) == "" {
		b.confirm.Disable()
	} else {
		b.confirm.Enable()
	}
	if folder := b.folder(); folder != b.read.folder {
		b.reader.Request(folder)
		return
	}
	b.narrow()
}

// narrow shows the entries of the folder with names that begin like the last word.
// Hidden ones are shown if that begins with a dot.
func (b *browser) narrow() {
	if b.read.folder != b.folder() {
		return
	}
	_, word := filepath.Split(typedPath(b.field.Text))
	word = strings.ToLower(word)
	b.shown = nil
	for _, f := range b.read.files {
		name := strings.ToLower(f.Name())
		if strings.HasPrefix(name, word) && (name[0] != '.' || word != "") {
			b.shown = append(b.shown, f)
		}
	}
	if b.read.err != nil && b.read.folder != "" {
		b.problem.SetText(lang.L("The folder cannot be read."))
	}
	b.list.Refresh()
	b.list.ScrollToTop()
}

// choose enters a folder of the list or puts a file into the field; a file that is there
// already is opened.
func (b *browser) choose(f fs.FileInfo) {
	path := filepath.Join(b.folder(), f.Name())
	switch {
	case f.IsDir():
		b.enter(path)
	case typedPath(b.field.Text) == path:
		b.open()
	default:
		b.set(path)
	}
}

// open ends the dialog with the path, if there is something.
func (b *browser) open() {
	path := typedPath(b.field.Text)
	if path == "" {
		return
	}
	if _, err := os.Stat(path); err != nil {
		b.problem.SetText(lang.L("No file or folder has this path, or it cannot be read."))
		return
	}
	b.dialog.Hide()
	b.request.Open(filepath.Clean(path))
}

// readFolder lists a folder; links are described by what they lead to.
func readFolder(folder string) listing {
	l := listing{folder: folder}
	entries, err := os.ReadDir(folder)
	l.err = err
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(folder, e.Name()))
		if err != nil {
			continue
		}
		l.files = append(l.files, named{info, e.Name()})
	}
	slices.SortStableFunc(l.files, func(a, b fs.FileInfo) int {
		if a.IsDir() != b.IsDir() {
			if a.IsDir() {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
	})
	return l
}

// named is a description under the name of the link that leads to it.
type named struct {
	fs.FileInfo
	name string
}

func (n named) Name() string { return n.name }

// fileRow is a row of the list: name, size and date.
type fileRow struct {
	widget.BaseWidget
	icon   *widget.Icon
	name   *widget.Label
	detail *widget.Label
}

func newFileRow() fyne.CanvasObject {
	r := &fileRow{icon: widget.NewIcon(theme.FileIcon()), name: widget.NewLabel("name"), detail: widget.NewLabel("")}
	r.name.Truncation = fyne.TextTruncateEllipsis
	r.detail.Importance = widget.LowImportance
	r.ExtendBaseWidget(r)
	return r
}

// CreateRenderer implements fyne.Widget.
func (r *fileRow) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewBorder(nil, nil, r.icon, r.detail, r.name))
}

func (r *fileRow) display(f fs.FileInfo) {
	icon, detail := theme.FileIcon(), language.Number(job.Bytes(f.Size()))+"    "+f.ModTime().Format(time.DateOnly)
	if f.IsDir() {
		icon, detail = theme.FolderIcon(), f.ModTime().Format(time.DateOnly)
	}
	r.icon.SetResource(icon)
	r.name.SetText(f.Name())
	r.detail.SetText(detail)
}

// typedPath returns a path as it was meant: without the spaces and quotes around it that
// come with a copy, and with the home folder in the place of ~.
func typedPath(text string) string {
	path := strings.Trim(strings.TrimSpace(text), `"'`)
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			path = home + rest
		}
	}
	return path
}
