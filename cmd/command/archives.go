package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/app/pacs"
)

// sendRetries is how many times the files of a result are sent again that a place did not store: after the command
// the result is gone.
const sendRetries = 2

// archives puts folders in the place of references to a PACS: the one that is retrieved before the command, and the one that is sent
// when it has succeeded.
func (p *pipes) archives(cmd *cobra.Command, c Command, args []string) error {
	var inputs []string
	if c.Pipes || c.Many {
		inputs = c.inputs(args)
	}
	if c.Pipes {
		for _, out := range c.outputs(args) {
			if !pacs.IsReference(*out.Path) {
				continue
			}
			if err := p.outputTo(cmd, out); err != nil {
				return err
			}
		}
	}
	for i, in := range inputs {
		if !pacs.IsReference(in) {
			continue
		}
		path, err := p.retrieve(cmd, in, c.Many)
		if err != nil {
			return err
		}
		if _, err := p.folder(); err != nil { // which makes the names
			return err
		}
		p.names[path], inputs[i] = in, path
	}
	return nil
}

// retrieve gets what a reference names into a folder of this account alone.
func (p *pipes) retrieve(cmd *cobra.Command, text string, many bool) (string, error) {
	reference, err := pacs.ParseReference(text)
	if err != nil {
		return "", err
	}
	if p.spool == nil {
		if p.spool, err = pacs.NewSpool(); err != nil {
			return "", err
		}
	}
	// A closed standard output would end the process, and the images would remain; writing to it fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	path, err := p.spool.Folder()
	if err != nil {
		return "", err
	}
	if reference.Match == nil {
		_, _, err = Fetch(cmd, text, path)
		return path, err
	}
	if !many {
		return "", job.Usagef("a query finds any number of series; give it to quell batch, or give pacs:%s/SERIES-UID", reference.Place)
	}
	return path, fetchAll(cmd, reference, path)
}

// mostOfQuery is how many series a query for a batch may find.
const mostOfQuery = 10_000

// fetchAll retrieves the series that a query finds into a folder each. Its name follows from the UID, so that the
// same query gives a batch the same names again.
func fetchAll(cmd *cobra.Command, reference pacs.Reference, dir string) error {
	archive, err := OpenPlace(reference.Place)
	if err != nil {
		return err
	}
	defer archive.Close()
	found, err := archive.Search(cmd.Context(), pacs.Query{Level: pacs.Series, Match: reference.Match, Most: mostOfQuery})
	if err != nil {
		return err
	}
	switch {
	case found.More:
		return job.Usagef("the query of pacs:%s finds more than %d series; narrow it", reference.Place, mostOfQuery)
	case len(found.Rows) == 0:
		return job.Usagef("the query of pacs:%s finds no series; see quell pacs search", reference.Place)
	}
	events, done := EventsOf(cmd)
	defer done()
	for i, r := range found.Rows {
		sum := sha256.Sum256([]byte(r.Series))
		path := filepath.Join(dir, hex.EncodeToString(sum[:4]))
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
		if _, err := archive.Fetch(cmd.Context(), r, path, nil); err != nil {
			return err
		}
		if events.Progress != nil {
			events.Progress(job.Retrieving, int64(i+1), int64(len(found.Rows)))
		}
	}
	return nil
}

// outputTo replaces an OUT of a place by a folder of DICOM. The place is asked whether it answers before any work is
// done.
func (p *pipes) outputTo(cmd *cobra.Command, output Output) error {
	reference, err := pacs.ParseReference(*output.Path)
	if err != nil {
		return err
	}
	if reference.Series != "" || reference.Match != nil {
		return job.Usagef("OUT is a PACS node alone, as in pacs:%s; the result gets UIDs of its own", reference.Place)
	}
	if output.Several {
		return job.Usagef("a PACS node takes one series; give OUT a name for several")
	}
	place, err := pacs.FindPlace(reference.Place)
	if err != nil {
		return err
	}
	if err := pacs.Echo(cmd.Context(), place); err != nil {
		return err
	}
	dir, err := p.folder()
	if err != nil {
		return err
	}
	p.place, p.made = &place, filepath.Join(dir, "result")
	p.names[p.made], *output.Path = *output.Path, p.made
	return nil
}

// send sends the result of a command that succeeded to the place of its OUT.
func (p *pipes) send(cmd *cobra.Command) error {
	plan, err := pacs.PlanSend(cmd.Context(), p.made)
	if err != nil {
		return err
	}
	events, done := EventsOf(cmd)
	report, err := pacs.Send(cmd.Context(), plan, *p.place, sendRetries, events.Count(job.Sending))
	done()
	if object, ok := cmd.OutOrStdout().(*oneObject); ok {
		object.add("sent", report)
		return err
	}
	return PrintSent(cmd, plan, report, err)
}

// OpenPlace opens the archive of a name or address, with or without pacs: before it.
func OpenPlace(text string) (*pacs.Archive, error) {
	p, err := pacs.FindPlace(strings.TrimPrefix(text, pacs.Scheme))
	if err != nil {
		return nil, err
	}
	return p.Open()
}

// Fetch retrieves the series that a reference names into a folder.
func Fetch(cmd *cobra.Command, text, dir string) (r pacs.Row, n int, err error) {
	reference, err := pacs.ParseReference(text)
	if err != nil {
		return r, 0, err
	}
	if reference.Series == "" {
		return r, 0, job.Usagef("pacs:%s names no series; give pacs:NODE/SERIES-UID", reference.Place)
	}
	archive, err := OpenPlace(reference.Place)
	if err != nil {
		return r, 0, err
	}
	defer archive.Close()
	if r, err = archive.Locate(cmd.Context(), reference.Study, reference.Series); err != nil {
		return r, 0, err
	}
	events, done := EventsOf(cmd)
	defer done()
	n, err = archive.Fetch(cmd.Context(), r, dir, events.Count(job.Retrieving))
	return r, n, err
}

// PrintSent prints what became of the files, also if err says that some are not stored.
func PrintSent(cmd *cobra.Command, plan pacs.Plan, report pacs.Report, err error) error {
	if JSON(cmd) {
		if e := PrintJSON(cmd.OutOrStdout(), report); e != nil {
			return e
		}
		return err
	}
	for _, f := range report.Files {
		if !f.Status.Same(pacs.Stored) && (report.Stored > 0 || !f.Status.Same(pacs.NotSent)) {
			Warn(cmd, "warning: %s: %s", f.Name, f.Status)
		}
	}
	if err != nil {
		return err
	}
	return Tell(cmd, nil, "%s; %s", plan.Text(), storedText(report))
}

// storedText says at which place files are stored, and whether that was verified.
func storedText(report pacs.Report) string {
	text := "stored on " + report.Target
	if report.Verified > 0 {
		text += fmt.Sprintf(", where a search finds %d", report.Verified)
	}
	return text
}
