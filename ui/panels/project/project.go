// Package project has the commands that save the open series to a project, and open one.
package project

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/files"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/session/documents"
	"quell/ui/wording"
)

// Panel has the commands of projects. Create it with New.
type Panel struct {
	panel.Base
	h     *host.Host
	path  string              // of the project that is open; "" for none
	saved workbench.Workspace // as it stands there
}

// New returns the commands of projects of a workbench.
func New(h *host.Host) panel.Panel {
	p := &Panel{h: h}
	h.Session.Reader.Altered = p.askAltered
	return p
}

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	open := func() bool { _, ok := p.h.Session.Documents.ProjectWork(); return ok && !p.h.Session.Tasks.Busy() }
	return []command.Command{
		{ID: "open-project", Title: "Open a project …", Menu: command.FileMenu, Gap: true,
			Run:  func() { p.h.AskFile(lang.L("Open a project"), p.h.Open) },
			Help: "series, recipes, marks and view as they were saved, in the place of what is open"},
		{ID: "save-project", Title: "Save the project", Menu: command.FileMenu, Run: p.save, Enabled: open,
			Help: "series by their paths, recipes, runs, marks and view in a file that opens here and elsewhere"},
		{ID: "save-project-as", Title: "Save the project as …", Menu: command.FileMenu, Run: p.askPath, Enabled: open},
		{ID: "project-runs", Title: "Runs of the project", Menu: command.FileMenu, List: p.runs},
	}
}

// OpenPath implements panel.PathOpener: it opens a project.
func (p *Panel) OpenPath(path string) bool {
	if !strings.EqualFold(filepath.Ext(path), workbench.ProjectEnding) {
		return false
	}
	var missing []workbench.Source
	var w workbench.Workspace
	var err error
	p.h.Go(func() {
		if w, err = workbench.ReadProject(path); err == nil {
			missing = w.Missing()
		}
		p.h.Do(func() {
			if err != nil {
				p.h.Fail(err)
				return
			}
			p.h.Session.Exports.Check(func() {
				text := strings.TrimSpace(p.h.Losses(p.h.Session.Documents.Loss()) + " " + p.Unsaved())
				saved := w
				saved.Open = slices.Clone(w.Open) // as it stands in the file, wherever the sources are now
				p.h.Ask(text, func() { p.locate(path, w, saved, missing, len(missing)) })
			})
		})
	})
	return true
}

// locate asks for the sources that are missing, one by one, and opens the project. saved is the project as it stands.
func (p *Panel) locate(path string, w, saved workbench.Workspace, missing []workbench.Source, all int) {
	if len(missing) == 0 {
		p.open(path, w, saved)
		return
	}
	one := missing[0]
	text := fmt.Sprintf(lang.L("%s is not there. The project was saved with it."), one.Path)
	if all > 1 {
		text = fmt.Sprintf(lang.L("%s (%d of %d that are missing)"), text, all-len(missing)+1, all)
	}
	p.h.ShowDialog(dialogs.MissingSource(text, func() {
		p.ask(one.Path, func(at string) {
			w.Locate(one, at)
			left := slices.DeleteFunc(w.Missing(), func(s workbench.Source) bool { return !slices.Contains(missing[1:], s) }) // asked for before
			p.locate(path, w, saved, left, all)
		})
	}, func() { p.locate(path, w, saved, missing[1:], all) }, p.h.Window))
}

// ask asks where a file or folder is now.
func (p *Panel) ask(path string, use func(string)) {
	if filepath.Ext(path) == "" {
		p.h.AskFolder(lang.L("Where is it now?"), use)
		return
	}
	p.h.AskFile(lang.L("Where is it now?"), use)
}

// open opens a project whose sources are there, or are to stay missing.
func (p *Panel) open(path string, w, saved workbench.Workspace) {
	p.path, p.saved = path, saved
	p.h.RestoreDisplay(w)
	p.h.Session.Reader.OpenProject(w)
	p.h.Settings.Opened(path)
	p.h.SaveSettings()
	p.h.RefreshMenu()
}

// askAltered asks what to do about a source that is not what it was.
func (p *Panel) askAltered(q documents.Altered) {
	p.h.ShowDialog(dialogs.AlteredSource(q.Err, func() {
		p.ask(q.Path, q.Locate)
	}, q.Use, p.h.Window))
}

// save saves the project where it stands, or asks where to.
func (p *Panel) save() {
	if p.path == "" {
		p.askPath()
		return
	}
	p.write(p.path, false)
}

// askPath asks where to save the project.
func (p *Panel) askPath() {
	note := lang.L("One small file with the paths of the series, recipes, runs, marks and view. It has no voxels and no patient data; the paths of your files are in it.")
	if p.h.Session.Documents.Passing() {
		note += lang.L(" A series from a PACS is not kept on this machine: whoever opens the project has to say where it is.")
	}
	name := "quell" + workbench.ProjectEnding
	if p.path != "" {
		name = filepath.Base(p.path)
	}
	p.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save the project"), Note: note, Folder: p.h.Settings.ExportFolder, Name: name, Check: files.CheckOf(files.ProjectOutput), Show: p.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			p.h.RememberFolder(path)
			p.write(path, overwrite)
		},
	}, p.h.Window))
}

func (p *Panel) write(path string, overwrite bool) {
	p.h.Session.Documents.Project(p.h.Display(), func(w workbench.Workspace, of []*series.Series) error {
		return w.WriteProject(path, overwrite, of...)
	}, func(saved workbench.Workspace) {
		p.path, p.saved = path, saved
		p.h.Settings.Opened(path)
		p.h.SaveSettings()
		p.h.RefreshMenu()
	})
}

// Unsaved implements panel.Unsaved.
func (p *Panel) Unsaved() string {
	if p.path == "" {
		return ""
	}
	if now, _ := p.h.Session.Documents.ProjectWork(); workbench.SameWork(now, p.saved) {
		return ""
	}
	return fmt.Sprintf(lang.L("The changes of the project %s are not saved."), filepath.Base(p.path))
}

// runs make the runs that the project lists again.
func (p *Panel) runs() (out []command.Command) {
	s := p.h.Session
	for _, r := range s.Documents.Unmade() {
		out = append(out, command.Command{Title: wording.Recipe(s, r.Resolved), Enabled: p.h.Idle, Run: func() {
			if r.Mapped != s.Noise.Follows() {
				p.h.Note(lang.L("That run followed the noise map, or did not, other than the filter now: change \"Filter by the noise map\" in Tools first."))
				return
			}
			s.Tuning.Take(r.Resolved)
			s.Results.Apply()
		}})
	}
	return out
}
