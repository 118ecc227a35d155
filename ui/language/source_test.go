package language_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"quell/ui/language"
)

// speakers are the packages below the workbench with texts that it shows, each with the ones
// of its files and texts that it does not show: mistakes of a programmer, names, and what
// files hold.
var speakers = map[string][]string{
	"app":          {"do.go", "phantom.go"},
	"app/engines":  {"fallback.go", "shapes.go"},                                                                             // of the command line, the log
	"app/executor": {"voxels without a value appeared", "execute.go", "judge.go", "slabinput.go", "slabs.go", "together.go"}, // of the command line
	"app/files":    {"log.go", "%s: %s files contain one volume; name a NIfTI file for all, or choose one with --series", "report on a series", "reader study", "a reader study", "the key of a reader study", "answers of a reader study", "a file for iMRMC", "the page of a document", "# The papers' experiments"},
	"app/job":      {"asked.go", "job.go", "memory.go", "nothing to attach is called %q; there are %s"}, // of the command line
	"app/judge":    {"cannot run", "strength %.0f: noise -%.0f %%, contrast %.0f %%, texture %.0f %%"},  // in the sheet of a gallery
	"app/open":     {"group.go", "openvolumes.go", "pseudonyms.go"},                                     // of the command line
	"app/output": {
		"page.go", "evensquares.go", "pictures.go", "products.go", "ranks.go", "scales.go", "series.go", "attached.go", "maps.go", "measured.go", // in reports and pictures, of the command line
		// in files
		"Noise filtered by Quell %s: %s", "Pixel by pixel addition", "Quell %s added %s. Not for clinical use.",
		"Converted from another file format", "Converted from %s by Quell %s%s. Not for clinical use.", ". Slices %s filtered by themselves",
		"%s%s. Not for clinical use.", "Noise that was removed: input less result. %s", "[Quell removed noise]",
		"Noise map (standard deviation) estimated by Quell %s. Not for clinical use.", "[Quell noise map]",
	},
	"app/pacs":      {"reference.go", "commitment.go"},                                                                                                      // of the command line
	"app/run":       {"uneven.go"},                                                                                                                          // of the command line
	"app/study":     {"%s of %.3g mm, contrast %.3g %s; %s", "Two-alternative forced choice with Quell: %s", `<script type="application/json" id="study">`}, // in files
	"app/workbench": nil,
	"denoise": {
		"in sigmas of the noise map", // of a recipe
		// of a filter that is registered
		"registered twice", "conformance case", "it has no %s", "its strength %s is no parameter", "parameter %s is there twice",
		"parameter %s implies %s, which does not exist", "name, label or help is missing", "the default is refused: %w",
		"choices belong to a Choice, which needs two or more", "slider from %g to %g by %g, domain %g to %g",
		"only a list has entries per axis, rising entries or a greatest length", "no pass computes the result", "a named rule computes a number in the volume's unit",
		"pass %s reads %q, which no pass before it computes", "pass %s writes %q, which exists already",
		"pass %s lacks a reference, a CPU form or a tile size", "pass %s has a negative reach",
		"its description and its passes disagree on whether it reads the noise map",
		// names of passes and fields
		"divide by sigma", "multiply by sigma", "voxels in sigmas", "filtered voxels in sigmas",
		"%s has no pass %q", // asked for by quell bench
		"stabilise noise", "restore signal", "stabilised voxels", "filtered stabilised voxels",
		"result at full strength",
		"a volume of %v voxels holds %d values and a mask of %d", "%s: the recipe is not resolved",
	},
	"denoise/cpu":      {"model name"},
	"denoise/equalise": nil,
	"denoise/lesions":  nil,
	"denoise/verdict":  nil,
	"denoise/noise":    {"surface fits", "finest detail", "homogeneous windows", "differences of slices", "volumes over time", "differences at the acquired resolution", "acquired %d x %d of %d x %d"},
	"denoise/tune":     {"the recipe is not resolved", "the result does not have the %v voxels that are inspected"},
	"gpu":              {"Error in initialization", "error while loading shared libraries", "the GPU computes voxels again"}, // of the driver, the log
	"io/atomic": { // in files, and what Quell does without
		"Quell is writing an output. This folder is removed when it is done,\nor by a later export: at once on the same machine, else an hour after Quell\nhas ended.",
		"locked in boot", "there are no locks",
	},
	"io/dicom": {
		"arrived.go", // of a node, which has a log
		"steps.go",   // names of coordinates
		"attribute %q of entry %d of %d", "entry %d of %d", "thumbnail of %d pixels of entry %d of %d",
		"frame %d of %s in place %d", "position of frame %d of %s", "pixels of %s differ", "frame %d of %s is missing", "%d volumes, not %d", "%d slices in volume %d", // in brackets
		"the series has its %d volumes", "%d of %d volumes were written", "slices of the volume before are missing", "no volume was begun",
		"%d voxels of slices of %d, of which %d are left",
	},
	"io/dicom/assemble": { // names of volumes
		"isotropic weighting", "temporal position", "frame reference time", "acquisition time", "trigger time", "echo time",
		"pixels of %.3g x %.3g mm", "without position, %s", "study %d of %d", "not given",
	},
	"io/dicom/instance": { // names of coordinates, and of products
		"filtered.go",
		"series number", "image type", "echo time", "inversion time", "temporal position", "frame reference time", "trigger time", "acquisition time",
	},
	"io/dicom/part10": {"no SOP class"},
	"io/dicom/pixel":  {"no compression is called %q"},
	"io/nifti": {
		"bval %06x bvec %06x", // in a header
	},
	"io/nrrd":      {"write.go", "types.go"}, // words of the format
	"io/metaimage": nil,
	"io/mgh":       nil,
	"io/raster": {
		"volume %d of %d", // of the command line
		"the file has its %d volumes", "volume %d lies on another grid than the first", "%d of %d volumes were written",
		"slices of %v voxels do not follow %d of %v", "%d of %d slices were written", "slices of volume %d are missing", "no volume was begun",
	},
	"io/dicom/derive": {
		// in the conformance statement
		"Source image for image processing operation", "new series", "unfinished series", "new unfinished series", "new instance", "new study", "new frame of reference", // in files, the log
		"echo time", "inversion time", "frame reference time", "trigger time", // names of coordinates
		"a slice has %d voxels, its source %d x %d", "the volume cannot be written: %w", "the voxels cannot be written: %w",
	},
	"io/dicom/presentation": {
		"Marks and what was measured in them", "presentation series", "Window, area and marks. Not for clinical use.", "presentation state", // in files
		"a presentation state of %d images for %d slices along axis %d", "the area of a presentation state ends at %v of %v pixels",
		"the area %v of a presentation state is empty", "a mark of %d points on slice %d of %d",
	},
	"io/attributes": {"no encoder of the syntax %q", "values of VR %s are not written", "a value of %d bytes"},
	"io/dicomweb": {
		"json.go",                                                                                                                                            // answers of a server against the standard
		"no token", "more than is read at a time", "silent for %s", "http: server gave HTTP response to HTTPS client", "http: server closed idle connection", // causes
		`multipart/related; type="application/dicom"; transfer-syntax=*`, `multipart/related; type="application/dicom"; boundary=%s`, "additional results",
	},
	"io/dimse": {
		"command.go", "pdu.go", // answers of a node against the protocol
		"commitment.go", "link.go", "accept.go", "session.go", "folder.go", // of a receiver, which has a log
		"%d presentation contexts; an association has 1 to %d", "the context %v was not proposed",
		"an instance UID of %d characters", "an answer for another instance", "data that was not asked for", "an answer of more than %d bytes",
		"more than one answer", "an answer to another request", "an answer without a status", "a result without attributes",
		"a result that cannot be read (%v)", "a result without a UID", "results without end", "a request that was not asked for",
		"an instance of another class than its context", "an instance without a UID", "a request over a context that was not agreed", "an instance twice", "more than is read",
	},
	"internal/connection": {"remote error"}, // of package net
	"internal/message":    nil,
	"internal/parallel":   nil,
	"internal/regular":    nil,
	"measure": {
		"MAX is %g; it must be a positive number", "%d bins; at least 1 is needed",
		"a histogram from %g to %g is not possible; the ends must be finite and in rising order",
		"the reference has %d x %d x %d voxels and the other volume %d x %d x %d; only equal grids can be compared",
		"the mask has %d voxels and the volumes %d",
	},
	"measure/physics": nil,
	"series":          {"temporal position", "acquisition time", "frame reference time"}, // axes
	"volume": {
		"region %v-%v is empty", "region %v-%v reaches outside %v", "unknown plane", "voxel %d is %v", "%d values for %d voxels",
		"mask and data differ in length", "affine cannot be inverted",
	},
}

// verbs are those of package fmt; a translation may number them.
var verbs = regexp.MustCompile(`%[-+#0]*[\d.]*(?:\[(\d)\])?([a-zA-Z%])`)

// listeners are packages in which some texts have a translation: the others are labels, which the
// workbench translates, and cases of tests.
var listeners = "denoise/filter/*"

// said is a text in the code: the format that makes it, and the literals that are joined with
// values in it.
type said struct {
	file     string
	format   string
	literals []string
}

// prose matches texts with two words in lower case, which need a translation; names have capitals.
var prose = regexp.MustCompile(`(?:^|\s)[a-z]{2,}\S*\s(?:.*\s)?[a-z]{2,}`)

// parts are what the system says.
var parts = []string{
	syscall.ENOENT.Error(), syscall.EACCES.Error(), syscall.ENOSPC.Error(), syscall.EIO.Error(), syscall.EISDIR.Error(), syscall.ENOTDIR.Error(),
}

// texts returns what the code of a package says.
func texts(t *testing.T, dir string) (all []said) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatal(dir, names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		prefix := regexp.MustCompile("^(?:" + file.Name.Name + "|dicom): ") // a package's name, in errors of programmers
		trimmed := func(text string) string {
			return strings.TrimSpace(prefix.ReplaceAllString(text, ""))
		}
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			s, values := join(e)
			if len(s.literals) == 0 {
				return true
			}
			s.file, s.format = filepath.Base(name), trimmed(s.format)
			for i, text := range s.literals {
				s.literals[i] = trimmed(text)
			}
			all = append(all, s)
			for _, v := range values {
				ast.Inspect(v, visit)
			}
			return false
		}
		ast.Inspect(file, visit)
	}
	return all
}

// join returns the text of a literal, or of several that are joined with values.
func join(e ast.Expr) (s said, values []ast.Expr) {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, _ := strconv.Unquote(lit.Value)
		return said{format: text, literals: []string{text}}, nil
	}
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		a, x := join(sum.X)
		b, y := join(sum.Y)
		if len(x) == 0 && len(y) == 0 {
			return said{format: a.format + b.format, literals: []string{a.format + b.format}}, nil
		}
		return said{format: a.format + b.format, literals: append(a.literals, b.literals...)}, append(x, y...)
	}
	return said{format: "%s"}, []ast.Expr{e}
}

// readTexts reads a file of translations.
func readTexts(t *testing.T, name string) (texts map[string]string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestEverySentenceHasATranslation(t *testing.T) {
	german := readTexts(t, filepath.Join("sentences", language.German+".json"))
	shown := readTexts(t, filepath.Join("translations", language.German+".json"))
	translated := map[string]bool{}
	for english := range german {
		translated[key(english)] = true
	}
	known := func(text string) bool {
		return translated[key(text)] || shown[text] != "" || !prose.MatchString(verbs.ReplaceAllString(text, ""))
	}
	found := map[string]bool{}
	for _, text := range parts {
		found[text] = true
	}
	for _, s := range texts(t, listeners) {
		found[s.format] = true
	}
	for dir, unseen := range speakers {
		met := map[string]bool{}
		for _, s := range texts(t, dir) {
			for _, text := range append(s.literals, s.format) {
				found[text] = true
			}
			met[s.file], met[s.format] = true, true
			if !slices.Contains(unseen, s.file) && !slices.Contains(unseen, s.format) && !known(s.format) && slices.ContainsFunc(s.literals, func(text string) bool { return !known(text) }) {
				t.Errorf("German has no %q of %s", s.format, dir)
			}
		}
		for _, what := range unseen {
			if !met[what] {
				t.Errorf("%s has no %q, which is left out", dir, what)
			}
		}
	}
	for text := range german {
		if !found[text] {
			t.Errorf("no package says %q, which German translates", text)
		}
	}
}

// A kind of findings is one word, which TestEverySentenceHasATranslation does not ask for.
func TestEveryKindOfFindingHasATranslation(t *testing.T) {
	german := readTexts(t, filepath.Join("sentences", language.German+".json"))
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "series", "finding.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := v.Type.(*ast.Ident); ok && name.Name == "Kind" {
			for _, value := range v.Values {
				kind, _ := join(value)
				if kinds++; german[kind.format] == "" {
					t.Errorf("German has no %q, a kind of findings", kind.format)
				}
			}
		}
		return false
	})
	if kinds < 30 {
		t.Errorf("%d kinds of findings; there are 30 or more", kinds)
	}
}
