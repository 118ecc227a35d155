package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/report"
)

// Kind is what an output holds: it says which names it may have, which files are
// written, and which earlier ones may be replaced unasked.
type Kind struct {
	Name    string   // in words: "a report"
	Endings []string // of its names, in lower case; nil for any that belongs to no other kind
	Strict  bool     // a name without an ending is refused too

	members  func(path string) []string // what is written; nil for path alone
	folder   func(path string) bool     // path is a folder that is replaced as a whole; nil for a file
	own      func(path string) bool     // a file that is there is of this kind and Quell's; nil for never
	existing func(path string, overwrite bool) error
	writable func(path string) error
}

// The kinds of all outputs.
var (
	// SeriesOutput is a series in the format that its name asks for, see FormatOf, with its record.
	SeriesOutput = &Kind{
		Name:     "a series", // its endings and the endings of a map are set with the table of formats
		members:  func(path string) []string { return append([]string{path}, besides(path)...) },
		folder:   func(path string) bool { return FormatOf(path).Folder() },
		existing: CheckExisting, writable: checkWritable,
	}
	// MapOutput is a series as NIfTI, such as the scales of neighbourhoods.
	MapOutput = &Kind{
		Name:     "a NIfTI file",
		existing: CheckExisting, writable: checkWritable,
	}
	ReportOutput = &Kind{Name: "a report", Endings: []string{".html", ".htm"}, own: isPage}
	// PictureOutput is one picture, and PicturesOutput the folder of before.png, after.png and residual.png.
	PictureOutput  = &Kind{Name: "a picture", Endings: []string{".png"}, Strict: true, own: isPicture}
	PicturesOutput = &Kind{Name: "pictures", members: PictureFiles, own: isPicture}
	// ChartsOutput is a folder of pictures with names that are known only when they are
	// drawn.
	ChartsOutput       = &Kind{Name: "charts", existing: checkCharts, writable: func(path string) error { return checkFile(filepath.Join(path, "chart.png")) }}
	RecipeOutput       = &Kind{Name: "a recipe", Endings: []string{".json"}, own: isRecipe}
	TableOutput        = &Kind{Name: "a table", Endings: []string{".csv", ".txt"}, own: isBenchTable}
	PageOutput         = &Kind{Name: "a page", Endings: []string{".html", ".htm"}, own: isBenchPage}
	PresentationOutput = &Kind{Name: "a presentation state", Endings: []string{".dcm"}, Strict: true}
	// LogOutput is a file that lines are appended to: no other file is ever touched.
	LogOutput = &Kind{
		Name: "a log", Endings: []string{".log", ".json", ".jsonl", ".txt"},
		existing: func(path string, _ bool) error { return checkLog(path) }, writable: func(string) error { return nil },
	}
	// BatchOutput is the folder of a batch, in which its reports and its state have names of their own.
	BatchOutput = &Kind{Name: "the folder of a batch", members: batchFiles, existing: checkBatch, writable: checkBatchWritable}
)

func init() {
	for _, k := range []*Kind{ReportOutput, PictureOutput, PicturesOutput, RecipeOutput, TableOutput, PageOutput, PresentationOutput} {
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

// paths returns the files and folders that an output of that name is written to.
func (k *Kind) paths(path string) []string {
	if k.members == nil {
		return []string{path}
	}
	return k.members(path)
}

// replaces reports whether path is a folder that is replaced as a whole.
func (k *Kind) replaces(path string) bool { return k.folder != nil && k.folder(path) }

// checkFiles refuses to replace a file that is not of the kind.
func (k *Kind) checkFiles(path string, overwrite bool) error {
	for _, file := range k.paths(path) {
		info, err := os.Stat(file)
		if overwrite || !Exists(file) || err == nil && info.IsDir() { // which atomic.Check knows
			continue
		}
		if k.own == nil || !k.own(file) {
			return foreign(file)
		}
	}
	return nil
}

// otherEndings belong to formats that Quell does not write under an output's name.
var otherEndings = []string{
	".7z", ".avi", ".bmp", ".bval", ".bvec", ".bz2", ".csv", ".dcm", ".dicom", ".gif", ".gz", ".h5", ".hdf5", ".htm", ".html", ".ima", ".img", ".jp2", ".jpeg",
	".jpg", ".json", ".jsonl", ".log", ".mat", ".mgh", ".mgz", ".mha", ".mhd", ".mif", ".minc", ".mnc", ".mp4", ".nhdr", ".nifti", ".npy", ".npz", ".nrrd",
	".par", ".pdf", ".png", ".rar", ".raw", ".rec", ".svg", ".tar", ".tgz", ".tif", ".tiff", ".tsv", ".txt", ".v16", ".xml", ".xz", ".zip", ".zst",
}

// ending returns the ending of a name in lower case, with its dot; "" for none. A dot at the
// beginning is none, nor is one before a digit or before more than four letters, unless
// it begins the ending of a known format: sub-01.v2 and study_2.5mm are folders.
func ending(path string) string {
	name := strings.ToLower(filepath.Base(path))
	if _, known := SplitEnding(name); known != "" {
		return known
	}
	ext := filepath.Ext(name)
	if ext == name || ext == "." {
		return ""
	}
	if slices.Contains(otherEndings, ext) {
		return ext
	}
	letters := strings.TrimLeft(ext[min(1, len(ext)):], "abcdefghijklmnopqrstuvwxyz") == ""
	if letters && len(ext) > 1 && len(ext) <= 5 {
		return ext
	}
	return ""
}

// CheckName refuses the ending of another format.
func (k *Kind) CheckName(path string) error {
	end := ending(path)
	if end == "" && !k.Strict || slices.Contains(k.Endings, end) {
		return nil
	}
	if k.folder != nil {
		if info, err := os.Stat(filepath.Clean(path)); os.IsPathSeparator(path[len(path)-1]) || err == nil && info.IsDir() {
			return nil
		}
		return job.Usagef("%s: Quell does not write %s; give a name that ends in %s, or a folder of DICOM, with a slash at its end if its name has a dot", path, end, message.Or(FileEndings()))
	}
	if !k.Strict && (k.Endings == nil || !slices.Contains(otherEndings, end) && !slices.Contains(FileEndings(), end)) {
		return nil
	}
	return job.Usagef("%s: for %s give a name that ends in %s", path, message.Word(k.Name), strings.Join(k.Endings, " or "))
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

func isBenchPage(path string) bool { return holdsMark(path, report.Mark("benchmarks"), 1024) }

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

// batchState is the folder in the output of a batch that holds its results.
const batchState = ".quell-batch"

// batchFiles returns what a batch writes next to the outputs of its series.
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

// isPlaceError reports whether an error is about the place of an output and not its name.
func isPlaceError(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number) && number != syscall.ENAMETOOLONG && number != syscall.ENOTDIR && number != syscall.EINVAL && number != syscall.EXDEV
}

// checkWritable reports why a series cannot be written to out.
func checkWritable(out string) error {
	return unwritable(atomic.Check(out, FormatOf(out).Folder(), Companions(out)...))
}

// PageKind is what files of reports are known by.
const PageKind = "report on a series"

// isPage reports whether a file is a report.
func isPage(path string) bool { return holdsMark(path, report.Mark(PageKind), 1024) }

// isPicture reports whether a file is a picture of Quell.
func isPicture(path string) bool { return holdsMark(path, report.PictureMark, 256) }

// PictureNames are the files of the pictures of a slice, in their order.
var PictureNames = []string{"before.png", "after.png", "residual.png"}
