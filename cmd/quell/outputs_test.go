package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise/noise"
)

// everyCommand calls visit for every command, with its own flags and the flags of the
// program.
func everyCommand(visit func(cmd *cobra.Command, flags []*pflag.Flag)) {
	root := newRoot()
	for _, cmd := range root.Commands() {
		var flags []*pflag.Flag
		for _, set := range []*pflag.FlagSet{cmd.LocalFlags(), root.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				if !slices.Contains(flags, f) {
					flags = append(flags, f)
				}
			})
		}
		visit(cmd, flags)
	}
}

// pathLike matches the help of a flag that may take a path.
var pathLike = regexp.MustCompile("(?i)`[^`]*(file|folder|path|dir)[^`]*`|`(OUT|IN)[0-9_A-Z]*`|\\b(write|written|draw|save|store|append)\\w* .*\\b(to|into) ")

// TestEveryPathIsDeclared: a flag that names a file or folder has a type by which the gate
// finds it.
func TestEveryPathIsDeclared(t *testing.T) {
	outputs := 0
	everyCommand(func(cmd *cobra.Command, flags []*pflag.Flag) {
		for _, f := range flags {
			switch f.Value.(type) {
			case option.Output:
				outputs++
			case option.Input:
			default:
				if f.Value.Type() != "bool" && pathLike.MatchString(f.Usage) {
					t.Errorf("quell %s --%s takes a path, it seems, and is neither an input nor an output: %s", cmd.Name(), f.Name, f.Usage)
				}
			}
		}
	})
	if outputs < 12 {
		t.Errorf("%d output flags", outputs)
	}
}

// TestEveryArgumentIsDeclared: words of a command's name in capitals are its inputs and outputs, but for names of other
// things.
func TestEveryArgumentIsDeclared(t *testing.T) {
	others := []string{"NODE", "NODE/SERIES-UID", "NAME", "ADDRESS"}
	var check func(c command.Command)
	check = func(c command.Command) {
		var args, in, out []string
		for _, word := range strings.Fields(c.Name)[1:] {
			word = strings.TrimSuffix(word, "...")
			if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "[") { // and no more arguments
				break
			}
			args = append(args, word)
			switch {
			case strings.HasPrefix(word, "OUT"):
				out = append(out, word)
			case word == strings.ToUpper(word) && !slices.Contains(others, word):
				in = append(in, word)
			}
		}
		var inputs, named []string
		if c.Inputs != nil {
			inputs = c.Inputs(args)
		}
		if c.Outputs != nil {
			for _, o := range c.Outputs(args) {
				if slices.Contains(args, *o.Path) { // else it lies beside one
					named = append(named, *o.Path)
				}
			}
		}
		if !slices.Equal(named, out) || !slices.Equal(inputs, in) {
			t.Errorf("%s: the inputs are %q and the outputs %q", c.Name, inputs, named)
		}
		for _, below := range c.Commands {
			check(below)
		}
	}
	for _, g := range table() {
		for _, c := range g.Commands {
			check(c)
		}
	}
}

// writing is one way in which a command writes.
type writing struct {
	command string
	option  string   // "" for the argument OUT
	args    []string // with the words IN, FOLDER (for an input that is a folder) and OUT
	kind    *files.Kind
	name    string // of the output
	file    string // in it, that an earlier file is replaced by; "" for itself
	only    bool   // there is no input
}

// outputs are all of them. TestEveryOutputIsTried compares the table with the flags.
func outputs() []writing {
	words := strings.Fields
	denoise := "denoise IN main.nii --filter lpa --sigma 5 --engine cpu "
	bench := "bench klepaczko-table1 --engine cpu --quick --volume IN "
	return []writing{
		{"denoise", "", words("denoise IN OUT --filter median --engine cpu"), files.SeriesOutput, "x.nii", "", false},
		{"denoise", "noise-out", words(denoise + "--noise-out OUT"), files.SeriesOutput, "x.nii.gz", "", false},
		{"denoise", "scales-out", words(denoise + "--scales-out OUT"), files.MapOutput, "x.nii", "", false},
		{"denoise", "rank-out", words("denoise IN main.nii --filter lowrank --sigma 5 --rank-out OUT"), files.MapOutput, "x.nii", "", false},
		{"denoise", "sigma-out", words("denoise IN main.nii --filter lowrank --sigma 5 --sigma-out OUT"), files.MapOutput, "x.nii.gz", "", false},
		{"denoise", "pictures", words(denoise + "--pictures OUT"), files.PicturesOutput, "x", "after.png", false},
		{"denoise", "report", words(denoise + "--report OUT"), files.ReportOutput, "x.html", "", false},
		{"noise", "", words("noise IN OUT --model gaussian --sigma 1"), files.SeriesOutput, "x.nii", "", false},
		{"convert", "", words("convert IN OUT"), files.SeriesOutput, "x.hdr", "", false},
		{"estimate", "map", words("estimate IN --map OUT"), files.SeriesOutput, "x.nii", "", false},
		{"phantom", "", words("phantom OUT --kind steps --dims 8,8,4"), files.SeriesOutput, "x.nii", "", true},
		{"phantom", "truth", words("phantom main.nii --kind steps --dims 8,8,4 --truth OUT"), files.SeriesOutput, "x.nii", "", true},
		{"phantom", "ideal", words("phantom main.nii --kind steps --dims 8,8,4 --ideal OUT"), files.SeriesOutput, "x.nii", "", true},
		{"tune", "out", words("tune IN --filter gaussian --dims 2 --engine cpu --out OUT"), files.RecipeOutput, "x.json", "", false},
		{"detect", "chart", words("detect IN --filter all --contrast 1,2 --size 3 --engine cpu --chart OUT"), files.PictureOutput, "x.png", "", false},
		{"tune", "picture", words("tune IN --filter all --engine cpu --slices 3:3 --picture OUT"), files.PictureOutput, "x.png", "", false},
		{"measure", "chart", words("measure IN --chart OUT"), files.PictureOutput, "x.png", "", false},
		{"bench", "csv", words(bench + "--csv OUT"), files.TableOutput, "x.csv", "", false},
		{"bench", "plots", words(bench + "--plots OUT"), files.ChartsOutput, "x", "theirs.png", false},
		{"bench", "report", words(bench + "--report OUT"), files.PageOutput, "x.html", "", false},
		{"bench", "write", words(bench + "--write OUT"), files.DocumentOutput, "x", "papers.md", false},
		{"batch", "", words("batch IN OUT --filter median --no-verdict --engine cpu"), files.BatchOutput, "x", "report.csv", false},
		{"bids", "", words("bids DATASET OUT participant --filter median --no-verdict --engine cpu"), files.BatchOutput, "x", "report.html", false},
		{"info", "log", words("info IN --log OUT"), files.LogOutput, "x.log", "", false},
	}
}

// slow reports whether the command measures for seconds before it writes: in the short tier, what it refuses is tried.
func (o writing) slow() bool {
	return o.command == "bench" || o.command == "detect" || o.command == "tune" || o.command == "estimate"
}

// words returns the command line with the names that a case has.
func (o writing) words(names ...string) []string {
	return strings.Fields(strings.NewReplacer(names...).Replace(strings.Join(o.args, "\x00 ") + "\x00"))
}

func TestEveryOutputIsTried(t *testing.T) {
	tried := map[string]*files.Kind{}
	for _, o := range outputs() {
		tried[o.command+" --"+o.option] = o.kind
	}
	everyCommand(func(cmd *cobra.Command, flags []*pflag.Flag) {
		if cmd.Name() == "study" || cmd.Name() == "make" {
			return // needs more even tissue than the series here has: app/study tries its outputs
		}
		for _, f := range flags {
			if v, ok := f.Value.(option.Output); ok && f.Name != "log" && tried[cmd.Name()+" --"+f.Name] != v.Kind {
				t.Errorf("quell %s --%s is not tried", cmd.Name(), f.Name)
			}
		}
		// The OUT of a module has a rule of its own: app/hosts tests it.
		if strings.Contains(cmd.Use, " OUT") && cmd.Name() != "module" && tried[cmd.Name()+" --"] == nil {
			t.Errorf("OUT of quell %s is not tried", cmd.Name())
		}
	})
	if tried["info --log"] != files.LogOutput {
		t.Error("--log is not tried")
	}
}

// contents returns the files below dir, other than the main output and what is in hidden
// folders, with their contents.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path] = "a folder"
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			files[path], err = os.Readlink(path)
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEveryOutputPassesTheGate tries each output on an input, in an input's folder, on a file
// of another program, on that with --overwrite, and on its own earlier output.
func TestEveryOutputPassesTheGate(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, o := range outputs() {
		t.Run(strings.TrimSpace(o.command+" "+o.option), func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			dims, at := [3]int{24, 24, 6}, func(i int) float32 { return 100 + float32((i*i*7+i*13)%31) }
			if o.command == "detect" { // which needs room for its lesions, and noise
				dims, at = [3]int{72, 72, 3}, func(i int) float32 { return 100 + 9*float32(noise.Normal(1, uint64(i), 0)) }
			}
			put(t, "in.nii", dims, at)
			data, err := os.ReadFile("in.nii")
			must(err)
			if slices.Contains(o.args, "lowrank") { // eight volumes
				const header = 352
				data[40], data[48] = 4, 8
				data = append(data[:header:header], bytes.Repeat(data[header:], 8)...)
				must(os.WriteFile("in.nii", data, 0o644))
			}
			must(errors.Join(os.MkdirAll("set/sub-01/anat", 0o755), os.Mkdir("scans", 0o755)))
			must(os.WriteFile("set/sub-01/anat/sub-01_T1w.nii", data, 0o644))
			must(os.WriteFile("set/dataset_description.json", []byte(`{"Name": "x", "BIDSVersion": "1.8.0"}`), 0o644))
			must(os.WriteFile("scans/in.nii", data, 0o644))
			must(errors.Join(os.Symlink("scans", "linked"), os.Symlink("set", "other")))
			run := func(in, set, out string, flags ...string) (int, string) {
				args := append(o.words("IN\x00", in, "DATASET\x00", set, "OUT\x00", out, "main.nii\x00", "main.nii", "\x00", ""), flags...)
				var stdout, stderr bytes.Buffer
				code := execute(t.Context(), args, &stdout, &stderr)
				return code, stderr.String()
			}
			refused := func(what, in, set, out string, flags ...string) {
				t.Helper()
				before := contents(t, dir)
				code, text := run(in, set, out, flags...)
				if code != job.ExitUsage || !strings.Contains(text, "quell: ") {
					t.Errorf("%s: exit code %d, %s", what, code, text)
				}
				after := contents(t, dir)
				for path, content := range before {
					if after[path] != content {
						t.Errorf("%s: %s changed", what, path)
					}
				}
				if len(after) != len(before) {
					t.Errorf("%s: %d files became %d", what, len(before), len(after))
				}
			}
			file := o.name
			if o.file != "" {
				file = filepath.Join(o.name, o.file)
			}
			var overwrite []string
			if o.kind != files.LogOutput {
				overwrite = []string{"--overwrite"}
			}
			if !o.only {
				// As a name, by a link, and by a hard link, with an ending that the kind has.
				refused("an input", "in.nii", "set", "in.nii", overwrite...)
				refused("an input by a folder that is not there", "in.nii", "set", "gone/../in.nii", overwrite...)
				must(os.Link("in.nii", o.name))
				refused("an input by that and a hard link", "in.nii", "set", "gone/../"+o.name)
				must(os.Remove(o.name))
				for what, link := range map[string]func(from, to string) error{"a link": os.Symlink, "a hard link": os.Link} {
					must(os.MkdirAll(filepath.Dir(file), 0o755))
					must(link(filepath.Join(dir, "in.nii"), file))
					refused("an input by "+what, "in.nii", "set", o.name)
					if o.command != "bids" && o.kind != files.ChartsOutput { // which has other inputs, and names of its own
						refused("an input by "+what+", with overwrite", "in.nii", "set", o.name, overwrite...)
					}
					must(os.RemoveAll(o.name))
				}
				for _, in := range []string{"scans", "linked", "scans/../scans/.", filepath.Join(dir, "scans")} {
					for _, out := range []string{"scans", "linked/", "scans/new/..", "./set/../scans/deep"} {
						set := map[string]string{"linked": "other"}[in]
						if set == "" {
							set = strings.ReplaceAll(in, "scans", "set")
						}
						if o.command == "bids" {
							out = strings.NewReplacer("scans", "set", "linked", "other").Replace(out)
						}
						path := filepath.Clean(out) + "/" + o.name
						if strings.HasSuffix(out, "..") {
							path = out + "/" + o.name
						}
						refused("in the folder of the input "+in+", "+path, in, set, path, overwrite...)
						if o.kind == files.BatchOutput {
							refused("the folder of the input "+in+", "+out, in, set, out, overwrite...)
						}
					}
				}
			}
			must(os.MkdirAll(filepath.Dir(file), 0o755))
			must(os.WriteFile(file, []byte("the only copy"), 0o644))
			refused("a foreign file", "in.nii", "set", o.name)
			if testing.Short() && o.slow() {
				t.Skip("full tier")
			}
			if o.kind == files.LogOutput {
				must(os.Remove(file))
			} else if code, text := run("in.nii", "set", o.name, overwrite...); code != job.ExitDone {
				t.Errorf("a foreign file, with overwrite: exit code %d, %s", code, text)
			}
			if o.kind == files.ChartsOutput {
				must(os.Remove(file)) // its own have other names
			}
			for range 2 {
				if code, text := run("in.nii", "set", o.name); code != job.ExitDone {
					t.Errorf("its own earlier output: exit code %d, %s", code, text)
				}
			}
		})
	}
}

// TestTwoOutputsOfOneName are refused before anything is done.
func TestTwoOutputsOfOneName(t *testing.T) {
	at := folder(t)
	t.Chdir(filepath.Dir(at("a.nii")))
	if err := errors.Join(os.Mkdir("real", 0o755), os.Symlink("real", "link"), os.Symlink("real/x.nii", "dangling.log")); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"denoise a.nii x.nii --filter median --noise-out ./x.nii":                            "OUT and --noise-out",
		"denoise a.nii real/x.nii --filter median --noise-out link/x.nii":                    "OUT and --noise-out",
		"denoise a.nii out --filter median --noise-out real/../out/":                         "OUT and --noise-out",
		"denoise a.nii out --filter median --report out/report.html":                         "OUT and --report",
		"denoise a.nii out --filter median --log out/log":                                    "OUT and --log",
		"denoise a.nii out --filter median --pictures out":                                   "OUT and --pictures",
		"denoise a.nii out/x --filter median --noise-out out":                                "OUT and --noise-out",
		"denoise a.nii x.nii --filter median --log x.nii.recipe.json":                        "OUT and --log",
		"denoise a.nii x.hdr --filter median --noise-out x.img":                              "OUT and --noise-out",
		"denoise a.nii x.nii --filter median --report r.html --log r.html":                   "--log",
		"denoise a.nii real/x.nii --filter median --log dangling.log":                        "OUT and --log",
		"phantom x.nii --truth y.nii --ideal y.nii":                                          "--truth and --ideal",
		"phantom x.nii --kind steps --dims 8,8,4 --repeats 2 --truth x-2.nii":                "OUT and --truth",
		"bench klepaczko-table1 --csv b.csv --report b.html --plots p --log ./b.csv":         "b.csv",
		"batch a.nii b.nii o --filter median --log o/.quell-batch":                           "OUT and --log",
		"batch a.nii b.nii o --filter median --log o/report.csv":                             "report.csv",
		"tune a.nii --filter gaussian --out r.json --log r.json":                             "--log and --out",
		"denoise a.nii x.nii --filter nlm --recipe in.json --noise-out in.json":              "in.json",
		"denoise a.nii x.nii --filter median --mask b.nii --noise-out b.nii":                 "is the input itself",
		"denoise a.nii x.nii --filter median --noise-map b.nii --scales-out b.nii":           "is the input itself",
		"bench klepaczko-table1 --engine cpu --quick --volume a.nii --csv c.csv --log a.nii": "--log",
	} {
		before := contents(t, ".")
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), strings.Fields(args), &stdout, &stderr)
		if code != job.ExitUsage || !strings.Contains(stderr.String(), want) && !strings.Contains(stderr.String(), "give a name that ends in") {
			t.Errorf("%s: exit code %d, %s", args, code, &stderr)
		}
		if after := contents(t, "."); len(after) != len(before) {
			t.Errorf("%s: %d files became %d", args, len(before), len(after))
		}
	}
}
