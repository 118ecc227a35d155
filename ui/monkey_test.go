package ui_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"quell/ui/control"
)

// monkey uses the workbench at random: keys, commands, buttons, menus, dialogs, and the
// mouse on the pictures.
type monkey struct {
	*bench
	random *rand.Rand
	paths  []string
	log    []string // what was done, the last at the end
}

// leaving are commands that end the workbench or lead out of the folder of the test.
var leaving = map[string]bool{"quit": true, "open-folder": true, "open-file": true, "open-path": true, "reference-file": true, "reference-folder": true}

func (m *monkey) pick(n int) int { return m.random.IntN(n) }

// step does one thing and returns what.
func (m *monkey) step() string {
	top := m.canvas().Overlays().Top()
	switch n := m.pick(20); {
	case n < 6:
		return m.anyKey()
	case n < 9 && top == nil:
		return m.anyCommand()
	case n < 13 || top != nil:
		return m.anyTap(top)
	case n < 14:
		path := m.paths[m.pick(len(m.paths))]
		m.workbench.Open(path)
		return "open " + path
	case n < 15:
		if cells := m.workbench.Rail(); len(cells) > 0 {
			i := m.pick(len(cells))
			if m.pick(3) == 0 {
				cells[i].MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonTertiary})
				return "close series " + strconv.Itoa(i)
			}
			cells[i].Tapped(nil)
			return "show series " + strconv.Itoa(i)
		}
		return "nothing"
	}
	return m.anyGesture()
}

func (m *monkey) anyKey() string {
	keys := []fyne.KeyName{fyne.KeyTab, fyne.KeyEscape, fyne.KeyReturn, fyne.KeySpace, fyne.KeyUp, fyne.KeyDown, fyne.KeyLeft, fyne.KeyRight, fyne.KeyDelete, "rune"}
	for _, c := range m.workbench.Commands() {
		for _, chord := range c.Chords {
			if !leaving[c.ID] && chord.Mod == 0 {
				keys = append(keys, chord.Key)
			}
		}
	}
	name := keys[m.pick(len(keys))]
	focused := m.canvas().Focused()
	switch {
	case name == fyne.KeyTab:
		m.canvas().FocusNext()
	case name == "rune" && focused != nil:
		focused.TypedRune(rune("0123456789.,ahs "[m.pick(16)]))
	case focused != nil:
		focused.TypedKey(&fyne.KeyEvent{Name: name})
	default:
		m.canvas().OnTypedKey()(&fyne.KeyEvent{Name: name})
	}
	return "key " + string(name)
}

func (m *monkey) anyCommand() string {
	var usable []func()
	var names []string
	add := func(id string, run func(), enabled func() bool) {
		if run != nil && !leaving[id] && (enabled == nil || enabled()) {
			usable, names = append(usable, run), append(names, id)
		}
	}
	for _, c := range m.workbench.Commands() {
		add(c.ID, c.Run, c.Enabled)
		if c.List != nil && (c.Enabled == nil || c.Enabled()) {
			for _, child := range c.List() {
				add(c.ID+" "+child.Title, child.Run, child.Enabled)
			}
		}
	}
	i := m.pick(len(usable))
	usable[i]()
	return "command " + names[i]
}

// anyTap taps what can be tapped, in the topmost overlay if there is one.
func (m *monkey) anyTap(top fyne.CanvasObject) string {
	root := top
	if root == nil {
		root = m.canvas().Content()
	}
	var all []fyne.Tappable
	for _, o := range test.LaidOutObjects(root) {
		tappable, ok := o.(fyne.Tappable)
		if d, can := o.(fyne.Disableable); !ok || !o.Visible() || can && d.Disabled() {
			continue
		}
		if b, ok := o.(*control.Button); ok && (b.Text == "" || strings.HasPrefix(b.Text, "Open …")) {
			continue // ways to other folders
		}
		all = append(all, tappable)
	}
	if len(all) == 0 {
		return "nothing to tap"
	}
	o := all[m.pick(len(all))]
	what := "tap"
	if b, ok := o.(*control.Button); ok {
		what += " " + b.Text
	}
	size := o.(fyne.CanvasObject).Size()
	test.TapAt(o, fyne.NewPos(m.random.Float32()*size.Width, m.random.Float32()*size.Height))
	return what
}

// anyGesture uses the mouse on a picture.
func (m *monkey) anyGesture() string {
	panes := m.workbench.Panes()
	p := panes[m.pick(len(panes))]
	at := func() fyne.Position {
		return fyne.NewPos(m.random.Float32()*p.Size().Width, m.random.Float32()*p.Size().Height)
	}
	event := func(b desktop.MouseButton) *desktop.MouseEvent {
		e := &desktop.MouseEvent{Button: b, Modifier: []fyne.KeyModifier{0, 0, fyne.KeyModifierShift, fyne.KeyModifierControl}[m.pick(4)]}
		e.Position = at()
		return e
	}
	button := []desktop.MouseButton{desktop.MouseButtonPrimary, desktop.MouseButtonSecondary, desktop.MouseButtonTertiary}[m.pick(3)]
	switch m.pick(6) {
	case 0:
		p.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, float32(m.pick(5)-2)*10)})
		return "scroll"
	case 1:
		p.MouseMoved(event(0))
		return "point"
	case 2:
		p.DoubleTapped(&fyne.PointEvent{Position: at()})
		return "double click"
	case 3:
		p.TappedSecondary(&fyne.PointEvent{Position: at()})
		return "context menu"
	case 4:
		p.MouseOut()
		return "leave"
	}
	p.MouseDown(event(button))
	for range 1 + m.pick(4) {
		e := &fyne.DragEvent{Dragged: fyne.NewDelta(m.random.Float32()*40-20, m.random.Float32()*40-20)}
		e.Position = at()
		p.Dragged(e)
	}
	p.DragEnd()
	p.MouseUp(event(button))
	return "drag"
}

// check returns a fault of the workbench, "" for nothing.
func (m *monkey) check() string {
	shown := 0
	for _, d := range m.session().Documents.List() {
		if d.Shown {
			shown++
		}
	}
	overlays := len(m.canvas().Overlays().List())
	switch {
	case shown != 1 && m.session().Series() != nil || shown > 1:
		return "it shows " + strconv.Itoa(shown) + " documents"
	case overlays == 0 && m.workbench.OpenDialogs() > 0:
		return "a dialog that is closed is kept"
	case overlays > 6:
		return "dialogs pile up"
	}
	return ""
}

// Events at random leave the workbench usable. QUELL_MONKEY is their number, for make
// monkey; QUELL_MONKEY_SEED repeats a run.
func TestMonkey(t *testing.T) {
	events, seed := 100, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("QUELL_MONKEY")); err == nil {
		events, seed = n, uint64(time.Now().UnixNano())
	}
	if n, err := strconv.ParseUint(os.Getenv("QUELL_MONKEY_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Logf("%d events, seed %d", events, seed)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Chdir(home)
	b := newBench(t, large)
	m := &monkey{bench: b, random: rand.New(rand.NewPCG(seed, 1)), paths: b.openFiles(3)}
	failed := func(why any) {
		last := m.log[max(len(m.log)-30, 0):]
		t.Errorf("after %d events, seed %d: %v; the last were\n%s", len(m.log), seed, why, strings.Join(last, "\n"))
	}
	defer func() {
		if p := recover(); p != nil {
			failed(p)
			panic(p)
		}
	}()
	for i := range events {
		if i%100 == 99 {
			t.Logf("%d events, %d series open", i+1, len(b.session().Documents.List()))
		}
		m.log = append(m.log, m.step())
		if m.pick(4) > 0 {
			b.drain()
		}
		if wrong := m.check(); wrong != "" {
			failed(wrong)
			return
		}
	}
	b.drain()
	for i := 0; b.canvas().Overlays().Top() != nil && i < 20; i++ {
		b.press(fyne.KeyEscape)
	}
	if b.canvas().Overlays().Top() != nil {
		failed("Escape does not close " + b.question())
	}
	b.session().Tasks.Cancel()
	b.session().Wait()
	b.drain()
	b.workbench.Open(m.paths[0])
	b.until("a series can be opened", func() bool { return b.session().Documents.Path() == m.paths[0] || b.question() != "" })
	if text := b.question(); text != "" {
		failed(text)
	}
}
