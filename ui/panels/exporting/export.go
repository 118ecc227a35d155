// Package exporting has the commands that write results: export, its sending to a PACS, the report and
// the presentation state.
package exporting

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"
	"weak"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/files"
	"quell/app/job"
	"quell/app/pacs"
	"quell/app/run"
	"quell/app/workbench"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/newest"
	"quell/ui/panel"
	"quell/ui/session/marks"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// Panel has the commands that write results. Create it with New.
type Panel struct {
	panel.Base
	h          *host.Host
	sendable   string // the folder of the last export of DICOM; "" for none
	rewrite    *rewrite
	exportPath string // of the export in progress or of the last that failed
	proposals  newest.Worker[proposed, proposed]
	unwatch    func() // ends the look at exported files; nil while there is none
}

// New returns the commands that write results of a workbench.
func New(h *host.Host) panel.Panel {
	p := &Panel{h: h}
	p.proposals = newest.Worker[proposed, proposed]{Go: h.Go, Do: h.Do, Done: p.showExport, Work: func(names proposed) proposed {
		names.free = names.of.Propose(dialogs.StartFolder(names.folder), names.hide)
		return names
	}}
	return p
}

// Opened implements panel.Opener.
func (p *Panel) Opened(string) { p.exportPath = "" }

// Close implements panel.Closer.
func (p *Panel) Close() {
	if p.unwatch != nil {
		p.unwatch()
	}
}

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	s := p.h.Session
	return []command.Command{
		{ID: "export", Title: "Export …", Menu: command.FileMenu, Gap: true, Chords: command.With(command.Ctrl, fyne.KeyE), Run: p.askExport,
			Enabled: func() bool { return p.h.Idle() && s.Results.Exportable() != nil }},
		{ID: "send", Title: "Send to PACS …", Menu: command.FileMenu, Run: p.askSend,
			Enabled: func() bool { return !s.Tasks.Busy() && p.sendable != "" }},
		{ID: "report", Title: "Save a report …", Menu: command.FileMenu, Run: p.askReport,
			Help:    "on the result of the volume: verdict, metrics, ROIs and pictures, as one HTML file",
			Enabled: func() bool { return p.h.Idle() && s.Results.Exportable() != nil }},
		{ID: "presentation", Title: "Save a presentation state …", Menu: command.FileMenu, Run: p.askPresentation, Enabled: p.presentable,
			Help: "window, area and marks as a DICOM object for other viewers"},
	}
}

// askExport asks where to export the run. Names that are free are looked for in the background,
// which is done before the dialog opens if the file system answers soon.
func (p *Panel) askExport() {
	run := p.h.Session.Results.Exportable()
	if run == nil || p.proposals.Busy() {
		return
	}
	p.proposals.Request(proposed{of: workbench.NewExporting(run, p.h.Session.Exports.Of(run)), folder: p.h.Settings.ExportFolder, hide: p.h.Settings.HideIdentity})
	const soon = 100 * time.Millisecond
	p.proposals.Await(time.After(soon))
}

func (p *Panel) showExport(names proposed) {
	if p.h.Session.Results.Exportable() != names.of.Run || p.h.Covered() {
		return // another series is shown by now
	}
	volumes := 0
	if p.h.Session.Exports.CanWriteAll() {
		g, _ := p.h.Session.Documents.Group()
		volumes = g.Len()
	}
	p.h.ShowDialog(dialogs.Export(dialogs.ExportRequest{
		Of: names.of, Stale: !p.h.Session.Results.Applied(), Proposed: names.free, Path: p.exportPath, Recipe: wording.Recipe(p.h.Session, names.of.Run.Recipe),
		Hide: names.hide, Compress: p.h.Settings.ExportCompressed, Attach: p.h.Settings.ExportAttached, Show: p.h.ShowDialog, Go: p.h.Go, Do: p.h.Do,
		Export:    func(out string, o job.Options) { p.export(out, o, p.h.Session.Exports.Write) },
		Volumes:   volumes,
		ExportAll: func(out string, o job.Options) { p.export(out, o, p.h.Session.Exports.WriteAll) },
	}, p.h.Window))
}

// askReport asks where to write the report on the result.
func (p *Panel) askReport() {
	run := p.h.Session.Results.Exportable()
	if run == nil {
		return
	}
	note := lang.L("One HTML file with verdict, metrics, ROIs and pictures of this slice in this window.")
	if p.h.Settings.HideIdentity {
		note += lang.L(" The patient's identity is left out, as on the screen.")
	} else {
		note += lang.L(" It names the patient; H hides the identity first.")
	}
	if !p.h.Session.Results.Applied() {
		note += lang.L(" The parameters were changed since; the report is on the volume as filtered.")
	}
	p.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save a report"), Note: note, Folder: p.h.Settings.ExportFolder, Name: dialogs.ReportName(run, p.h.Settings.HideIdentity), Check: files.CheckOf(files.ReportOutput, run.Source), Show: p.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			p.h.RememberFolder(path)
			p.h.Session.Exports.SaveReport(path, p.h.Settings.HideIdentity, overwrite)
		},
	}, p.h.Window))
}

// export remembers where an export goes and begins it.
func (p *Panel) export(out string, o job.Options, begin func(string, job.Options, func(job.Written))) {
	if files.Compresses(out) {
		p.h.Settings.ExportCompressed, p.h.Settings.ExportAttached = o.Compress != "", o.Attach
	}
	p.h.RememberFolder(out)
	p.exportPath = out
	run := weak.Make(p.h.Session.Results.Exportable())
	begin(out, o, func(r job.Written) {
		p.exportPath = ""
		p.watchExports()
		var send func()
		if files.Identified(r.Output) {
			p.sendable, send = r.Output, p.askSend
			p.rewrite = &rewrite{run: run, options: o, begin: begin}
		}
		p.h.ShowDialog(dialogs.Exported(r, p.h.OpenFolder, send, p.h.Window))
		p.h.Changed()
	})
}

// proposed are names for an export of a run, as they were free when they were looked for.
type proposed struct {
	of     *workbench.Exporting
	folder string // to suggest; "" for the home folder
	hide   bool   // the identity is hidden
	free   workbench.Proposals
}

// lookAtExports is how often it is looked whether exported files stand.
const lookAtExports = 5 * time.Second

// watchExports keeps the badges of exported results true while there are any.
func (p *Panel) watchExports() {
	switch has := p.h.Session.Exports.Any(); {
	case has && p.unwatch == nil:
		p.unwatch = p.h.Every(lookAtExports, func() {
			p.h.Do(func() {
				if p.watchExports(); p.unwatch != nil {
					p.h.Session.Exports.Check(func() {})
				}
			})
		})
	case !has && p.unwatch != nil:
		p.unwatch()
		p.unwatch = nil
	}
}

// askSend asks where the last export is sent to. Nothing is sent before the answer.
func (p *Panel) askSend() {
	p.h.Session.Exports.PlanSend(p.sendable, func(plan pacs.Plan) { p.askTarget(plan, pacs.Place{}) })
}

// rewrite is how the last export of DICOM was made.
type rewrite struct {
	run     weak.Pointer[run.Run] // a result that is closed is not kept in memory for it
	options job.Options
	begin   func(out string, o job.Options, done func(job.Written))
}

// canWrite says whether the export of a plan can be written again: its result is there, and the folder holds nothing that
// was added to it.
func (p *Panel) canWrite(plan pacs.Plan) bool {
	w := p.rewrite
	result := p.h.Session.Results.Exportable()
	return w != nil && result != nil && w.run.Value() == result && plan.Folder == p.sendable && plan.Others == 0 && !plan.Has("PR")
}

// askTarget asks where a plan is sent to; at is proposed, unless it is empty.
func (p *Panel) askTarget(plan pacs.Plan, at pacs.Place) {
	kept, err := pacs.Places()
	if err != nil {
		p.h.Fail(err)
	}
	r := dialogs.SendRequest{
		Plan: plan, Nodes: slices.Concat(p.h.Settings.Nodes, kept), At: at, Hide: p.h.Settings.HideIdentity, Echo: p.h.Session.Exports.Echo,
		CanWrite: p.canWrite(plan),
	}
	if r.CanWrite {
		r.Attach = p.rewrite.options.Attach
	}
	r.Send = func(t pacs.Place, attach []string) {
		if !r.CanWrite || slices.Equal(attach, r.Attach) || !p.canWrite(plan) {
			p.send(plan, t)
			return
		}
		w := p.rewrite
		w.options.Attach, w.options.Overwrite = attach, false
		p.h.Settings.ExportAttached = attach
		p.h.SaveSettings()
		w.begin(plan.Folder, w.options, func(job.Written) {
			p.watchExports()
			p.h.Session.Exports.PlanSend(plan.Folder, func(plan pacs.Plan) { p.send(plan, t) })
		})
	}
	p.h.ShowDialog(dialogs.Send(r, p.h.Window))
}

// send sends a plan and shows what became of it. A node that stored nothing is not kept in the
// settings, and is asked for again before the next try: its address may be wrong.
func (p *Panel) send(plan pacs.Plan, t pacs.Place) {
	p.h.Session.Exports.Send(plan, t, func(r pacs.Report, err error) {
		again := func() { p.askTarget(plan, t) }
		if r.Stored > 0 {
			if t.Name == "" { // the others are kept as places
				p.h.Settings.SentTo(t)
				p.h.SaveSettings()
			}
			again = func() { p.send(plan.Only(r), t) }
		}
		p.h.ShowDialog(dialogs.Sent(r, err, again, p.h.Window))
	})
}

// askPresentation asks where to write a presentation state: for the exported series into its folder,
// so that both are sent together.
func (p *Panel) askPresentation() {
	folder, ok := p.h.Session.Exports.Presentable()
	if !ok {
		return
	}
	source := p.h.Session.Series()
	place, name := p.h.Settings.ExportFolder, dialogs.PresentationName(source, p.h.Settings.HideIdentity)
	note := lang.L("One DICOM file with the window, the area and the marks that are shown here, for the viewers of a PACS. It refers to ")
	if folder != "" {
		place, name = folder, workbench.PresentationName(folder)
		note += fmt.Sprintf(lang.L("the series exported to %s; marks have the figures of the denoised picture. Send to PACS sends both."), filepath.Base(folder))
	} else {
		note += lang.L("the series as it was opened; marks have the figures of the original.")
	}
	note += lang.L(" It names the patient as that series does.")
	p.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save a presentation state"), Note: note, Folder: place, Name: name, Show: p.h.ShowDialog,
		Check: files.CheckOf(files.PresentationOutput, source),
		Save: func(path string, overwrite bool) {
			if folder == "" {
				p.h.RememberFolder(path)
			}
			p.h.Session.Exports.SavePresentation(path, func(f marks.Figures, role viewer.Role) string {
				return wording.Mark(p.h.Session, f, role, source.Volume.Unit)
			}, overwrite)
		},
	}, p.h.Window))
}

// presentable says whether a presentation state can be saved.
func (p *Panel) presentable() bool {
	_, ok := p.h.Session.Exports.Presentable()
	return ok
}
