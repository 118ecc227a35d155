package network

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/app/pacs"
	"quell/cmd/command"
	"quell/internal/clean"
	"quell/internal/message"
	"quell/io/atomic"
)

// PACS is quell pacs.
func PACS() command.Command {
	c := command.Command{
		Name:  "pacs",
		Short: "Search a PACS, retrieve series from it and send series to it",
		Long: `Search a PACS, retrieve series from it and send series to it, by DICOMweb or by the DICOM
network. NODE is a PACS node that quell pacs nodes add keeps under a name, or an address:
https://pacs.example/dicom-web for DICOMweb, AETITLE@HOST:PORT for the DICOM network.

Other commands take a series of a node as they take a path, and quell denoise a node
as OUT:
  pacs:NODE/SERIES-UID            a series
  pacs:NODE/STUDY-UID/SERIES-UID  the same, where a PACS needs the study too
  pacs:NODE?Modality=CT&...       every series that a query finds, for quell batch
  pacs:NODE                       to send the result to

What is retrieved lies in a folder of this account until the command ends. Without a
command the nodes are listed.`,
		Example: `  quell pacs
  quell pacs nodes add home https://pacs.example/dicom-web
  quell denoise pacs:home/1.2.840.99.7 pacs:home --filter nlm`,
		Args:     command.Exactly(0, "a command, such as search,"),
		Commands: []command.Command{newPacsSearch(), newPacsGet(), newPacsSend(), newPacsEcho(), newPacsPlaces()},
	}
	c.Run = printPlaces
	return c
}

func newPacsSearch() command.Command {
	series, study, most, csv := new(bool), new(string), new(int), new(bool)
	c := command.Command{
		Name:  "search NODE [KEYWORD=VALUE...]",
		Short: "List the studies or series that a PACS has",
		Long: `List the studies of a PACS that fulfil all conditions, or their series. A condition is a
keyword of DICOM and a value, in which * and ? stand for any text and any character; a
range of dates is FROM-TO. How a PACS compares names is its own matter.`,
		Example: `  quell pacs search home PatientID=4711
  quell pacs search home --series Modality=CT 'StudyDate=20260101-20260131'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Exactly(1, "NODE and conditions")(cmd, args)
			}
			return nil
		},
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.BoolVar(series, "series", false, "list series instead of studies")
		flags.StringVar(study, "study", "", "list the series of the study of this `UID`")
		flags.IntVar(most, "most", 100, "list at most `N`")
		flags.BoolVar(csv, "csv", false, "print a table as CSV")
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		q := pacs.Query{Level: pacs.Studies, Study: *study, Most: *most, Match: map[string]string{}}
		if *series || *study != "" {
			q.Level = pacs.Series
		}
		if *csv && command.JSON(cmd) {
			return job.Usagef("give --csv or --json")
		}
		for _, condition := range args[1:] {
			keyword, value, ok := strings.Cut(condition, "=")
			if _, twice := q.Match[keyword]; !ok || twice {
				return job.Usagef("a condition is KEYWORD=VALUE, each keyword once, such as Modality=CT")
			}
			q.Match[keyword] = value
		}
		archive, err := command.OpenPlace(args[0])
		if err != nil {
			return err
		}
		defer archive.Close()
		found, err := archive.Search(cmd.Context(), q)
		if err != nil {
			return err
		}
		if found.More && !command.JSON(cmd) {
			command.Warn(cmd, "warning: there are more than %d; raise --most or narrow the search", *most)
		}
		if *csv {
			return writeRowsCSV(cmd.OutOrStdout(), q.Level, found.Rows)
		}
		return command.Print(cmd, found, func(w io.Writer) { printRows(w, q.Level, found.Rows) })
	}
	return c
}

// rowColumns are those of a table of studies or series.
func rowColumns(level pacs.Level) (heads []string, cells func(pacs.Row) []string) {
	count := func(n int) string {
		if n == 0 {
			return "" // unknown
		}
		return strconv.Itoa(n)
	}
	if level == pacs.Studies {
		return []string{"date", "patient", "patient_id", "modality", "description", "series", "instances", "study_uid"}, func(r pacs.Row) []string {
			return []string{r.Date, r.Patient, r.PatientID, r.Modality, r.Description, count(r.SeriesCount), count(r.Instances), r.Study}
		}
	}
	return []string{"date", "patient", "patient_id", "modality", "number", "description", "instances", "study_uid", "series_uid"}, func(r pacs.Row) []string {
		return []string{r.Date, r.Patient, r.PatientID, r.Modality, r.Number, r.Description, count(r.Instances), r.Study, r.Series}
	}
}

func writeRowsCSV(w io.Writer, level pacs.Level, rows []pacs.Row) error {
	heads, cells := rowColumns(level)
	t := clean.NewCSV(w)
	t.Row(heads...)
	for _, r := range rows {
		t.Row(cells(r)...)
	}
	return t.Flush()
}

func printRows(tw io.Writer, level pacs.Level, rows []pacs.Row) {
	heads, cells := rowColumns(level)
	fmt.Fprintln(tw, strings.Join(heads, "\t"))
	for _, r := range rows {
		line := cells(r)
		for i := range line {
			line[i] = clean.Line(line[i])
		}
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
}

func newPacsGet() command.Command {
	c := command.Command{
		Name:  "get NODE/SERIES-UID OUT",
		Short: "Retrieve a series into a folder",
		Long: `Retrieve a series into a new folder. Its files are as the PACS keeps them, and named by their
order of arrival. The command fails, and leaves nothing, unless every instance that the
PACS counts arrived once, is readable and belongs to the series.`,
		Example: `  quell pacs get home/1.2.840.99.7 ct/
  quell pacs get home/1.2.840.99.6/1.2.840.99.7 ct/`,
		Outputs: command.Last(files.SeriesOutput),
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		out := args[1]
		switch {
		case files.Exists(out):
			return job.Usagef("%s is there already; choose a new folder", out)
		case !files.IsFolder(out):
			return job.Usagef("%s is no name of a folder; leave its ending out", out)
		}
		stage, err := atomic.Begin(out)
		if err != nil {
			return err
		}
		defer stage.Close()
		dir := stage.Path(filepath.Base(out))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return atomic.WriteError(out, err)
		}
		r, n, err := command.Fetch(cmd, args[0], dir)
		if err != nil {
			return err
		}
		if err := stage.Commit(cmd.Context()); err != nil {
			return err
		}
		return command.Tell(cmd, map[string]any{"series": r, "files": n, "output": out}, "%s of %s; written to %s", message.Count(n, "file", "files"), describe(r), out)
	}
	return c
}

// describe names a series without its patient.
func describe(r pacs.Row) string {
	text := "a series"
	for _, s := range []string{r.Modality, r.Description} {
		if s != "" {
			text += ", " + s
		}
	}
	return text
}

func newPacsSend() command.Command {
	retry := new(int)
	c := command.Command{
		Name:  "send NODE FOLDER",
		Short: "Send a folder of DICOM to a PACS, and look whether it arrived",
		Long: `Send every DICOM file of a folder to a place, as it is, and search for every file there
afterwards. The command fails unless all are there, and names those that are not.`,
		Example: `  quell pacs send home denoised/`,
		JSON:    " with the status of every file",
		Inputs:  func(args []string) []string { return args[1:] },
	}
	c.Flags = func(cmd *cobra.Command) {
		cmd.Flags().IntVar(retry, "retry", 0, "send what was not stored again, at most this `number` of times")
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		place, err := pacs.FindPlace(strings.TrimPrefix(args[0], pacs.Scheme))
		if err != nil {
			return err
		}
		return sendFolder(cmd, place, args[1], *retry)
	}
	return c
}

func newPacsEcho() command.Command {
	c := command.Command{
		Name:    "echo NODE",
		Short:   "Ask whether a PACS answers",
		Long:    `Ask whether a PACS answers and lets this side in. Nothing is sent, and no result is kept.`,
		Example: `  quell pacs echo home`,
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		place, err := pacs.FindPlace(strings.TrimPrefix(args[0], pacs.Scheme))
		if err != nil {
			return err
		}
		return askEcho(cmd, place)
	}
	return c
}
