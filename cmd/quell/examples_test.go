package main

import (
	"encoding/pem"
	"maps"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

type elsewhereRow struct {
	of  *regexp.Regexp
	why string
}

// elsewhere are the examples that do not run here, and why. Every row has an example.
var elsewhere = []elsewhereRow{
	{regexp.MustCompile(`quell send\b|quell pacs (get|search|echo|send)\b|pacs:`), "a PACS node; TestScripts/pacs and send, scripts/pacs.sh"},
	{regexp.MustCompile(`quell worker\b|nats:`), "a server of NATS; TestScripts/worker, TestCluster"},
	{regexp.MustCompile(`quell serve( (status|retry))? `), "a node that listens; TestScripts/serve, app/serve"},
	{regexp.MustCompile(`noRF`), "volumes that a scanner acquired without excitation"},
	{regexp.MustCompile(`quell view\b`), "a window; TestScripts/view"},
	{regexp.MustCompile(`--tune\b|--engine cuda`), "a GPU"},
	{regexp.MustCompile(`quell bench (.*--quick|--report|zheng|upadhya|.*lcd)`), "minutes; TestScripts/bench"},
}

// makeData makes the data that examples read.
const makeData = `
quell phantom truth.nii.gz --kind mr --dims 40,44,24
quell noise truth.nii.gz brain.nii.gz --model rician --sigma 6
quell noise truth.nii.gz second.nii.gz --model rician --sigma 6 --seed 2
quell denoise brain.nii.gz denoised.nii.gz --filter gaussian
quell convert brain.nii.gz volume.nrrd
quell phantom reference.nii.gz --kind ct --dims 96,88,5 --spacing 1.3,1.3,1
quell noise reference.nii.gz ct.nii.gz --model gaussian --sigma 12
quell convert ct.nii.gz ct
quell denoise ct denoised --filter gaussian
quell noise reference.nii.gz repeat.nii.gz --model gaussian --sigma 12 --seed 2
quell convert repeat.nii.gz repeat
quell phantom plates.nii.gz --kind steps --dims 368,272,30
quell noise plates.nii.gz noisy.nii.gz --model gaussian --sigma 5
quell denoise reference.nii.gz flat.nii.gz --filter gaussian --dims 2 --sigma-spatial 1
quell convert noisy.nii.gz phantom
quell denoise phantom result --filter gaussian
mkdir -p cohort study/p1/CT
cp -r ct cohort/a
cp -r repeat cohort/b
cp -r ct study/p1/CT/a
cp -r ct gaps
rm "$(find gaps -name '*.dcm' | sort | sed -n 4p)"
printf 'path\n%s/ct\n%s/repeat\n' "$PWD" "$PWD" >list.csv
quell tune ct --filter gaussian --out R.json
for s in 01 02; do
	mkdir -p bids/sub-$s/anat bids/sub-$s/func
	cp brain.nii.gz bids/sub-$s/func/sub-${s}_task-rest_bold.nii.gz
	cp brain.nii.gz bids/sub-$s/anat/sub-${s}_T1w.nii.gz
	cp brain.nii.gz bids/sub-$s/anat/sub-${s}_FLAIR.nii.gz
done
printf '{"Name": "study", "BIDSVersion": "1.9.0"}' >bids/dataset_description.json
(cd cohort && python3 -c 'import shutil; shutil.make_archive("../study", "zip")')
for s in 1 2; do quell study make ct.nii.gz $s.html --filter gaussian --size 4 --contrast 20 --places 20 --seed $s; done
echo study,reader,trial,choice >answers.csv
for s in 1 2; do
	sed -n 's/.*"study": "\(.*\)",/\1,ann,1,left/p' $s.key.json >>answers.csv
	[ $s = 2 ] || cp answers.csv first.csv
done
`

// read are the words of examples that stand for data, beside the names of the data themselves.
var read = map[string]string{
	"SERIES": "ct", "BEFORE": "ct", "AFTER": "denoised", "REPEAT": "repeat", "PHANTOM": "phantom", "RESULT": "result", "OUT": "denoised", "TRUTH.nii.gz": "truth.nii.gz",
	"t1.nii.gz": "brain.nii.gz", "sub-01_T1w.nii.gz": "brain.nii.gz", "first.nii.gz": "brain.nii.gz", "in.nii": "volume.nrrd", "OUT.recipe.json": "denoised.recipe.json", "tuned.json": "R.json",
	"study.key.json": "1.key.json", "answers-*.csv": "first.csv", "a.key.json": "1.key.json", "b.key.json": "2.key.json", "answers/*.csv": "answers.csv",
	"T1.nii.gz": "brain.nii.gz", "N.nii": "ct.nii.gz", "nlm.json": "flat.nii.gz.recipe.json", "denoised.json": "R.json",
}

// example is a line that a page shows, and what it prints there. If want is empty the page shows none.
type example struct{ line, want string }

// outputBlock is what a page shows of an output: a block of text behind the line.
var outputBlock = regexp.MustCompile("(?s)^\\s*```text\n(.*?)```")

// examplesOf returns the examples of all documents and of the help, by page.
func examplesOf(t *testing.T) map[string][]example {
	t.Helper()
	pages := map[string][]example{}
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		outputs := strings.Count(string(text), "```text\n")
		for _, at := range codeLine.FindAllSubmatchIndex(text, -1) {
			e := example{line: remark.ReplaceAllString(string(text[at[2]:at[3]]), "")}
			if !regexp.MustCompile(`(^|\| |<\()(quell [a-z]|DenoiseImage )`).MatchString(e.line) {
				continue
			}
			if block := outputBlock.FindSubmatch(text[at[1]:]); block != nil {
				e.want = string(block[1])
				outputs--
			}
			page := strings.TrimPrefix(file, "../../")
			pages[page] = append(pages[page], e)
		}
		if outputs != 0 {
			t.Errorf("%s: %d outputs follow no example", file, outputs)
		}
	}
	var add func(page string, cmd *cobra.Command)
	add = func(page string, cmd *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(cmd.Example, "\\\n", "")) {
			pages[page] = append(pages[page], example{line: strings.TrimSpace(line)})
		}
		for _, below := range cmd.Commands() {
			add(page, below)
		}
	}
	for _, cmd := range commands() {
		add("help "+cmd.Name(), cmd)
	}
	return pages
}

// shows says whether a page shows an output as it is. In its place ... stands for any text, and for any lines in a line of
// its own.
func shows(page, output string) bool {
	var b strings.Builder
	for line := range strings.Lines(page) {
		if strings.TrimSpace(line) == "..." {
			b.WriteString(`(.*\n)*`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(line, " \n")), `\.\.\.`, ".*") + " *\n")
	}
	return regexp.MustCompile(`^` + b.String() + `$`).MatchString(strings.TrimSuffix(output, "\n") + "\n")
}

// An output of a page is the one of the command, but for what it leaves out.
func TestShows(t *testing.T) {
	const output = "sigma 3.027 HU  high\nnoise white\nslice 1  3.1\nslice 2  2.9\n"
	for page, want := range map[string]bool{
		output: true,
		"sigma 3.027 HU  high\nnoise white\n...\n":              true,
		"...\nslice 2  2.9\n":                                   true,
		"sigma ... HU  high\n...\nslice 1  3.1\nslice 2  2.9\n": true,
		"sigma 3.028 HU  high\n...\n":                           false,
		"sigma 3.027 HU  high\nnoise white\n":                   false,
		"noise white\n...\n":                                    false,
		"sigma 3X027 HU  high\n...\n":                           false,
	} {
		if shows(page, output) != want {
			t.Errorf("%q is shown: %v", page, !want)
		}
	}
}

// TestElsewhere: what does not run here is an example yet.
func TestElsewhere(t *testing.T) {
	for _, row := range elsewhere {
		if !slices.ContainsFunc(slices.Concat(slices.Collect(maps.Values(examplesOf(t)))...), func(e example) bool { return row.of.MatchString(e.line) }) {
			t.Errorf("no example has %v, %s", row.of, row.why)
		}
	}
}

// TestExamplesRun: every example of the documents and of the help runs in a folder that has nothing but the data that it
// names, and what examples before it on its page made. It prints what its page shows.
func TestExamplesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	data := t.TempDir()
	series, err := filepath.Abs("../../assets/series")
	if err != nil {
		t.Fatal(err)
	}
	if shell(t, data, "mkdir assets; cp -r "+series+" assets\n"+makeData); t.Failed() {
		return
	}
	makeSeries(t, filepath.Join(data, "dwi.nii.gz"))
	server := httptest.NewTLSServer(nil)
	server.Close()
	if err := os.WriteFile(filepath.Join(data, "hospital.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for page, lines := range examplesOf(t) {
		t.Run(page, func(t *testing.T) {
			dir := t.TempDir()
			for _, line := range lines {
				if slices.ContainsFunc(elsewhere, func(row elsewhereRow) bool { return row.of.MatchString(line.line) }) {
					continue
				}
				for _, name := range inputs(line.line) {
					if from := filepath.Join(data, name[1]); files.Exists(from) {
						shell(t, dir, "[ -e "+name[0]+" ] && [[ "+name[1]+" != @(bids|*.key.json) ]] || { mkdir -p "+filepath.Dir(name[0])+"; cp -rT "+from+" "+name[0]+"; }")
					}
				}
				ran++
				got := shell(t, dir, strings.NewReplacer("quell batch", "rm -rf denoised; quell batch", "NAME", "nlm").Replace(line.line)) // denoised is another example's
				if line.want != "" && !shows(line.want, got) {
					t.Errorf("%s: the page shows\n%s\nit prints\n%s", line.line, line.want, got)
				}
				shell(t, dir, "rm -rf hosted")
			}
		})
	}
	t.Logf("%d examples", ran)
}

// makeSeries writes a 4-D series whose volumes have one anatomy and fading values.
func makeSeries(t *testing.T, path string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var volumes []*volume.Volume
	for k := range 10 {
		v := volume.New(volume.NewGeometry([3]int{20, 20, 8}, [3]float64{2, 2, 2}))
		for i := range v.Data {
			v.Data[i] = float32(float64(200+10*(i/7%20))*math.Exp(-0.1*float64(k)) + 5*r.NormFloat64())
		}
		volumes = append(volumes, v)
	}
	if err := niftitest.Write4D(t.Context(), path, 0, volumes...); err != nil {
		t.Fatal(err)
	}
}

// shell runs a script in a folder, as a person would, and returns what it prints.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	const others = "ssh() { shift; \"$@\"; }; other-program() { cat >/dev/null; }; "
	cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", others+script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir+".home", "MERCURE_IN_DIR=ct", "MERCURE_OUT_DIR=hosted")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", script, err, out)
	}
	if used := cmd.ProcessState.UserTime(); used > time.Second {
		t.Logf("%v of processor time: %s", used, script)
	}
	return string(out)
}

// inputs returns the names that a line may read, and the data that they are. What it writes is none.
func inputs(line string) (names [][2]string) {
	words := strings.Fields(strings.NewReplacer("'", " ", "/*/CT", "/", " - ", " ").Replace(line))
	if words[0] == "zcat" {
		words = words[:2]
	}
	at := 0 // of the arguments
	for _, w := range words {
		w = strings.TrimSuffix(w, "/")
		if strings.HasPrefix(w, "-") {
			at = len(words) // values of flags
		}
		writes := at == 3 && slices.Contains([]string{"batch", "bids", "convert", "denoise", "module", "noise"}, words[1])
		switch at++; {
		case writes:
		case w == "study" && words[1] == "bids":
			names = append(names, [2]string{w, "bids"})
		case words[1] == "measure" && w == "denoised":
			names = append(names, [2]string{w, "result"})
		case read[w] != "":
			names = append(names, [2]string{w, read[w]})
		default:
			names = append(names, [2]string{w, w})
		}
	}
	if words[1] == "module" && len(words) < 4 { // by the environment
		names = append(names, [2]string{"ct", "ct"})
	}
	return names
}
