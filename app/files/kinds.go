package files

import (
	"os"
	"path/filepath"
	"strings"

	"quell/app/job"
	"quell/io/atomic"
	"quell/report"
)

// The kinds of all outputs.
var (
	// SeriesOutput is a series in the format that its name asks for, see formatOf, with its record.
	SeriesOutput = &Kind{
		Name:     "a series", // its endings and the endings of a map are set with the table of formats
		members:  func(path string) []string { return append([]string{path}, besides(path)...) },
		folder:   func(path string) bool { return formatOf(path).Folder() },
		existing: CheckExisting, writable: checkWritable,
	}
	// MapOutput is a series as NIfTI, such as the scales of neighbourhoods.
	MapOutput = &Kind{
		Name:     "a NIfTI file",
		existing: CheckExisting, writable: checkWritable,
	}
	ReportOutput = &Kind{Name: "a report", Endings: []string{".html", ".htm"}, own: isPage}
	// PictureOutput is one picture, and PicturesOutput the folder of before.png, after.png and residual.png.
	PictureOutput = &Kind{Name: "a picture", Endings: []string{".png"}, Strict: true, own: isPicture}
	// ScreenOutput is a picture of the panes of the workbench, and CineOutput all slices of them.
	ScreenOutput   = &Kind{Name: "a picture", Endings: []string{".png", ".tif", ".tiff"}, Strict: true, own: func(path string) bool { return isPicture(path) || isTIFF(path) }}
	CineOutput     = &Kind{Name: "a cine", Endings: []string{".png", ".apng", ".mp4"}, Strict: true, own: isCine}
	MeasuresOutput = &Kind{Name: "a table", Endings: []string{".csv"}, own: func(path string) bool { return holdsMark(path, MeasuresHead, int64(len(MeasuresHead))) }}
	PicturesOutput = &Kind{Name: "pictures", members: PictureFiles, own: isPicture}
	// ChartsOutput is a folder of pictures with names that are known only when they are
	// drawn.
	ChartsOutput = &Kind{Name: "charts", existing: checkCharts, writable: func(path string) error { return checkFile(filepath.Join(path, "chart.png")) }}
	// DocumentOutput is the folder of the page that a run of the papers' experiments writes, with its tables and charts, and
	// DocumentPage the page.
	DocumentOutput = &Kind{Name: "a document", members: func(dir string) []string { return []string{filepath.Join(dir, "papers.md")} }, own: isDocument}
	DocumentPage   = &Kind{Name: "the page of a document", Endings: []string{".md"}, own: isDocument}
	RecipeOutput   = &Kind{Name: "a recipe", Endings: []string{".json"}, own: isRecipe}
	TableOutput    = &Kind{Name: "a table", Endings: []string{".csv", ".txt"}, own: isBenchTable}
	// PageOutput is the page of the papers' experiments, with a page for each paper next to it.
	PageOutput = &Kind{Name: "a page", Endings: []string{".html", ".htm"}, members: paperPages, own: isBenchPage}
	// StudyOutput is the page of a reader study, StudyKeyOutput what scores its answers, and IMRMCOutput those in the form of
	// the FDA's program.
	StudyOutput    = &Kind{Name: "a reader study", Endings: []string{".html", ".htm"}, own: isStudy}
	StudyKeyOutput = &Kind{Name: "the key of a reader study", Endings: []string{".json"}, own: isStudyKey}
	// AnswersOutput holds the answers of a reader to a study.
	AnswersOutput      = &Kind{Name: "answers of a reader study", Endings: []string{".csv"}, own: isAnswers}
	IMRMCOutput        = &Kind{Name: "a file for iMRMC", Endings: []string{".imrmc", ".txt"}}
	PresentationOutput = &Kind{Name: "a presentation state", Endings: []string{".dcm"}, Strict: true}
	// ProjectOutput holds the open series of the workbench.
	ProjectOutput = &Kind{Name: "a project", Endings: []string{".quell"}, Strict: true, own: func(path string) bool { return holdsMark(path, projectMark, 64) }}
	// LogOutput is a file that lines are appended to: no other file is ever touched.
	LogOutput = &Kind{
		Name: "a log", Endings: []string{".log", ".json", ".jsonl", ".txt"},
		existing: func(path string, _ bool) error { return checkLog(path) }, writable: func(string) error { return nil },
	}
	// BatchOutput is the folder of a batch, in which its reports and its state have names of their own.
	BatchOutput = &Kind{Name: "the folder of a batch", members: batchFiles, existing: checkBatch, writable: checkBatchWritable}
)

func init() {
	for _, k := range []*Kind{ReportOutput, PictureOutput, ScreenOutput, CineOutput, MeasuresOutput, PicturesOutput, RecipeOutput, TableOutput, PageOutput, DocumentOutput, DocumentPage, StudyOutput, StudyKeyOutput, AnswersOutput, IMRMCOutput, PresentationOutput, ProjectOutput} {
		k.existing = k.checkFiles
		k.writable = func(path string) error {
			for _, file := range k.paths(path) {
				if err := checkFile(file); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// PictureFiles returns the pictures of a slice in a folder.
func PictureFiles(dir string) []string {
	var files []string
	for _, name := range PictureNames {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}

// benchHead begins the tables of quell bench.
const benchHead = "experiment,row,engine,device,status,figure,unit,paper,here,ratio,"

// Papers are the names of the papers that bench reproduces.
var Papers = []string{"zheng", "upadhya", "bethel", "horacek", "klepaczko"}

// PaperPage returns the path of the page of a paper next to the page path of all papers:
// "papers-zheng.html" next to "papers.html".
func PaperPage(path, paper string) string {
	ending := filepath.Ext(path)
	return strings.TrimSuffix(path, ending) + "-" + paper + ending
}

// paperPages returns the page of all papers and the pages next to it.
func paperPages(path string) []string {
	all := []string{path}
	for _, paper := range Papers {
		all = append(all, PaperPage(path, paper))
	}
	return all
}

func isBenchPage(path string) bool { return holdsMark(path, report.Mark("benchmarks"), 1024) }

// documentHead begins the page of DocumentOutput.
const documentHead = "# The papers' experiments"

func isDocument(path string) bool { return holdsMark(path, documentHead, int64(len(documentHead))) }

func isBenchTable(path string) bool { return holdsMark(path, benchHead, int64(len(benchHead))) }

// isRecipe reports whether a file is a recipe.
func isRecipe(path string) bool {
	_, err := LoadRecipe(path)
	return err == nil
}

// checkCharts refuses a folder with files that are no pictures of Quell.
func checkCharts(dir string, overwrite bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil || overwrite {
		return nil //nolint:nilerr // it is made, or refused when it is tried
	}
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); !isPicture(path) {
			return foreign(path)
		}
	}
	return nil
}

// projectMark begins projects.
const projectMark = `"quell": "project"`

// batchState is the folder in the output of a batch that holds its results.
const batchState = ".quell-batch"

// batchFiles returns the files that a batch writes next to the outputs of its series.
func batchFiles(dir string) []string {
	return []string{filepath.Join(dir, "report.csv"), filepath.Join(dir, "report.html"), filepath.Join(dir, batchState)}
}

// checkBatch refuses a folder with reports of another program.
func checkBatch(dir string, overwrite bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return job.Usagef("%s is a file, and a batch needs a folder; choose another name", dir)
	}
	files := batchFiles(dir)
	if overwrite || Exists(files[2]) {
		return nil
	}
	for _, file := range files[:2] {
		if Exists(file) {
			return foreign(file)
		}
	}
	return nil
}

func checkBatchWritable(dir string) error { return checkFile(batchFiles(dir)[0]) }

// checkWritable reports why a series cannot be written to out.
func checkWritable(out string) error {
	return unwritable(atomic.Check(out, formatOf(out).Folder(), Companions(out)...))
}

// StudyKind is what pages of reader studies are known by.
const StudyKind = "reader study"

func isStudy(path string) bool { return holdsMark(path, report.Mark(StudyKind), 1024) }

func isStudyKey(path string) bool { return holdsMark(path, `"study": "`, 16) }

// AnswersHead is the first line of a file of answers.
const AnswersHead = "study,reader,trial,choice"

func isAnswers(path string) bool { return holdsMark(path, AnswersHead, int64(len(AnswersHead))) }

// PageKind is what files of reports are known by.
const PageKind = "report on a series"

// isPage reports whether a file is a report.
func isPage(path string) bool { return holdsMark(path, report.Mark(PageKind), 1024) }

// isPicture reports whether a file is a picture of Quell.
func isPicture(path string) bool { return holdsMark(path, report.PictureMark, 256) }

// isTIFF reports whether a file is a picture of Quell as TIFF, which its mark ends.
func isTIFF(path string) bool { return endsWith(path, report.TIFFMark) }

// MeasuresHead begins tables of the measures in the workbench.
const MeasuresHead = "measure,value,unit,of,plane,slice,run,recipe"

// PictureNames are the files of the pictures of a slice, in their order.
var PictureNames = []string{"before.png", "after.png", "residual.png"}

// checkLog refuses a file that lines must not be appended to.
func checkLog(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil //nolint:nilerr // it is made, or refused when it is tried
	case info.Mode()&(os.ModeCharDevice|os.ModeNamedPipe) != 0, info.Mode().IsRegular() && info.Size() == 0, holdsMark(path, logMark, 256):
		return nil
	}
	return job.Usagef("%s exists and is no log of Quell, so nothing is appended to it; choose another name", path)
}

// logMark is in the first line of every log, by which it is known again.
const logMark = `"msg":"log","program":"quell"`

func init() { ListEndings() }

// ListEndings gives the kinds of outputs the endings of the table.
func ListEndings() {
	SeriesOutput.Endings = FileEndings()
	for _, f := range Formats { // a file of voxels is refused by output.CheckOptions
		if f.Voxels != "" {
			SeriesOutput.Endings = append(SeriesOutput.Endings, f.Voxels)
		}
	}
	MapOutput.Endings = endingsOf(func(f *Format) bool { return f.Frames })
}

// isCine reports whether a file is a cine of Quell, of either form.
func isCine(path string) bool { return holdsMark(path, report.CineMark, 1<<20) }
