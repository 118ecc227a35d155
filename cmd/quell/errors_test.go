package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"quell/io/nifti/niftitest"
	"quell/volume"
)

// put writes a volume of the given dims with voxels made by value.
func put(t *testing.T, path string, dims [3]int, value func(i int) float32) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = value(i)
	}
	if err := niftitest.Write(t.Context(), path, v, ""); err != nil {
		t.Fatal(err)
	}
	return v
}

// folder returns a folder with images: a.nii, b.nii with 2 more in every voxel, small.nii
// of other dims, zero.nii, and moved.nii, a.nii 3 mm away.
func folder(t *testing.T) (at func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	at = func(name string) string { return filepath.Join(dir, name) }
	dims := [3]int{12, 13, 11}
	wavy := func(i int) float32 { return float32((i*i*7 + i*13) % 201) }
	a := put(t, at("a.nii"), dims, wavy)
	put(t, at("b.nii"), dims, func(i int) float32 { return wavy(i) + 2 })
	put(t, at("small.nii"), [3]int{3, 4, 5}, wavy)
	put(t, at("zero.nii"), dims, func(int) float32 { return 0 })
	a.Affine[0][3] += 3
	if err := niftitest.Write(t.Context(), at("moved.nii"), a, ""); err != nil {
		t.Fatal(err)
	}
	return at
}

// TestRefusedCommands: what cannot be done ends with its exit code and one line that says
// why, prints nothing, and writes nothing.
func TestRefusedCommands(t *testing.T) {
	at := folder(t)
	t.Chdir(filepath.Dir(at("a.nii")))
	t.Setenv("PATH", "")
	before, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for args, c := range map[string]struct {
		code int
		want string
	}{
		"compare a.nii":                                        {2, "compare takes REFERENCE and TEST, not 1 arguments; see quell compare --help"},
		"compare gone.nii b.nii":                               {3, "gone.nii: there is no such file"},
		"compare a.nii gone.nii":                               {3, "gone.nii: there is no such file"},
		"compare a.nii small.nii":                              {3, "small.nii: is 3 x 4 x 5 voxels, the reference 12 x 13 x 11; compare series of the same dims"},
		"compare a.nii b.nii --max 0":                          {2, "--max 0: give a positive number"},
		"compare a.nii b.nii --max -1":                         {2, "--max -1"},
		"compare a.nii b.nii --max Inf":                        {2, "--max +Inf"},
		"compare a.nii b.nii --max NaN":                        {2, "--max NaN"},
		"compare a.nii b.nii --mask gone.nii":                  {3, "gone.nii"},
		"compare a.nii b.nii --mask small.nii":                 {3, "small.nii: is 3 x 4 x 5"},
		"compare a.nii b.nii --mask zero.nii":                  {1, "there is no voxel to compare"},
		"compare a.nii b.nii --best":                           {2, "see quell compare --help"},
		"estimate":                                             {2, "estimate takes IN, or IN and REPEAT, not 0 arguments"},
		"estimate gone.nii":                                    {3, "gone.nii"},
		"estimate a.nii --series 7":                            {2, "counted from 1; there is no series 7"},
		"estimate a.nii --component red":                       {2, "leave --component out"},
		"estimate a.nii --series 1 --component red":            {2, "not both"},
		"estimate a.nii --map a.nii":                           {2, "is the input itself"},
		"estimate a.nii --map m.nii --dtype int3":              {2, "no data type is called"},
		"estimate small.nii --map m.nii":                       {1, "the noise cannot be mapped"},
		"noise a.nii n.nii":                                    {2, "which noise? Give --model"},
		"noise a.nii n.nii --sigma 3":                          {2, "which noise?"},
		"noise a.nii n.nii --model gaussian":                   {2, "which noise?"},
		"noise a.nii n.nii --model pink --sigma 1":             {2, "no noise model is called"},
		"noise a.nii n.nii --model gaussian --sigma -1":        {2, "a noise sigma of -1"},
		"noise gone.nii n.nii --model gaussian --sigma 1":      {3, "gone.nii"},
		"convert a.nii a.nii":                                  {2, "is the input itself"},
		"convert gone.nii n.nii":                               {3, "gone.nii"},
		"info gone.nii":                                        {3, "gone.nii"},
		"view a.nii b.nii":                                     {2, "view takes one PATH, not 2"},
		"view gone.nii":                                        {3, "gone.nii: there is no such file or folder; check the name"},
		"view a.nii":                                           {1, "the workbench is missing: install the package quell-workbench, or put"},
		"version now":                                          {2, "version takes no arguments, not 1"},
		"devices now":                                          {2, "devices takes no arguments, not 1"},
		"improve a.nii":                                        {2, `there is no command "improve"; see quell --help`},
		"info a.nii --threads 0":                               {2, "--threads 0: give 1 or more"},
		"info a.nii --log gone/log":                            {1, "the log cannot be written"},
		"denoise a.nii n.nii --filter magic":                   {2, "magic"},
		"denoise a.nii n.nii --filter median --engine warp":    {2, "no engine is called"},
		"denoise a.nii n.nii --filter median --slices 5:99":    {2, "slices"},
		"denoise a.nii n.nii --filter median --compress=magic": {2, "no compression is called that"},
		"denoise a.nii n.nii --filter median --slices 0:10":    {2, "--slices 0:10: slices count from 1, both ends included; give 1:10 for the first 10"},
		"denoise a.nii n.nii --filter median --series 0":       {2, "series count from 1, as quell info numbers them"},
		"denoise a.nii n.nii --filter median --series all:0":   {2, "series count from 1, as quell info numbers them"},
		"denoise a.nii n.nii --filter median --series 2":       {2, "contains 1 series, counted from 1; there is no series 2"},
		"measure a.nii --nps 0:9,1:9":                          {2, "--nps 0:9,1:9: columns count from 1, both ends included; give 1:9 for the first 9"},
		"measure a.nii --nps 1:9,0:9":                          {2, "--nps 1:9,0:9: rows count from 1"},
		"measure a.nii --nps 1:13,1:9":                         {2, "--nps 1:13,1:9: the slices have 12 columns and 13 rows"},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), strings.Fields(args), &stdout, &stderr)
		lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
		if last := lines[len(lines)-1]; code != c.code || stdout.Len() > 0 || !strings.HasPrefix(last, "quell: ") || !strings.Contains(last, c.want) {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want code %d and %q", args, code, &stdout, &stderr, c.code, c.want)
		}
	}
	after, err := os.ReadDir(".")
	if err != nil || len(after) != len(before) {
		t.Errorf("%d files became %d", len(before), len(after))
	}
}

// fullPipe takes no output.
type fullPipe struct{}

func (fullPipe) Write([]byte) (int, error) { return 0, errors.New("no room for output") }

// TestOutputThatCannotBePrinted ends every command that prints with an error.
func TestOutputThatCannotBePrinted(t *testing.T) {
	at := folder(t)
	t.Chdir(filepath.Dir(at("a.nii")))
	for _, args := range []string{
		"compare a.nii b.nii", "compare a.nii b.nii --json", "estimate a.nii", "estimate a.nii --json", "info a.nii", "info a.nii --json",
		"devices", "devices --json", "version", "version --json", "convert a.nii c.nii", "noise a.nii n.nii --model gaussian --sigma 1", "denoise a.nii d.nii --filter median --dims 2",
	} {
		var stderr bytes.Buffer
		if code := execute(t.Context(), strings.Fields(args), fullPipe{}, &stderr); code != 1 || stderr.String() != "quell: no room for output\n" {
			t.Errorf("%s: code %d, stderr %q", args, code, &stderr)
		}
	}
}

// TestPrintedComparison pins every line, and of two grids only another position is reported.
func TestPrintedComparison(t *testing.T) {
	at := folder(t)
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), []string{"compare", at("a.nii"), at("b.nii"), "--max", "200"}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("code %d, stderr %q", code, &stderr)
	}
	want := regexp.MustCompile(`^mse +4\npsnr +40\nssim +0\.99\d+\nssim_3d +0\.99\d+\nmax_abs_diff +2\nmax +200\nvoxels +1716\n$`)
	if !want.Match(stdout.Bytes()) {
		t.Errorf("%q", &stdout)
	}
	stdout.Reset()
	if code := execute(t.Context(), []string{"compare", at("a.nii"), at("a.nii")}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "psnr          identical\n") {
		t.Errorf("equal volumes: code %d, %q", code, &stdout)
	}
	stdout.Reset()
	code := execute(t.Context(), []string{"compare", at("a.nii"), at("moved.nii"), "--json"}, &stdout, &stderr)
	if code != 0 || !strings.HasPrefix(stderr.String(), "quell: warning: "+at("moved.nii")+": the dims agree but the positions differ") || !strings.Contains(stdout.String(), `"mse": 0,`) {
		t.Errorf("code %d, stderr %q, stdout %q", code, &stderr, &stdout)
	}
	stdout.Reset()
	stderr.Reset()
	if code := execute(t.Context(), []string{"compare", at("a.nii"), at("b.nii"), "--mask", at("small.nii"), "--help"}, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "Measure how TEST differs") {
		t.Errorf("help: code %d, %q", code, &stdout)
	}
	if code := execute(t.Context(), nil, &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), "Usage:") {
		t.Errorf("no arguments: code %d", code)
	}
}

// TestChosenSeriesIsTold: if a folder holds several, a note names the one that is taken.
func TestChosenSeriesIsTold(t *testing.T) {
	at := folder(t)
	dir := filepath.Dir(at("a.nii"))
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), []string{"estimate", dir}, &stdout, &stderr); code != 0 || !strings.HasPrefix(stderr.String(), "quell: "+dir+" contains 5 series; using series 1, the largest") {
		t.Errorf("code %d, stderr %q", code, &stderr)
	}
	stderr.Reset()
	if code := execute(t.Context(), []string{"estimate", dir, "--series", "4"}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("code %d, stderr %q", code, &stderr)
	}
}

// TestTheLogIsWritten: a line for each step, the log is closed, and a second run appends.
func TestTheLogIsWritten(t *testing.T) {
	at := folder(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	lines := 0
	for range 2 {
		var stdout, stderr bytes.Buffer
		if code := execute(context.Background(), []string{"info", at("a.nii"), "--log", at("log"), "--threads", "1"}, &stdout, &stderr); code != 0 {
			t.Fatalf("code %d, %q", code, &stderr)
		}
		data, err := os.ReadFile(at("log"))
		if err != nil || strings.Count(string(data), "\n") <= lines || !strings.Contains(string(data), `"msg":"scan"`) || strings.Contains(string(data), "a.nii") {
			t.Errorf("%v, log %q", err, data)
		}
		lines = strings.Count(string(data), "\n")
		if n := runtime.GOMAXPROCS(0); n != 1 {
			t.Errorf("%d processors are used; want 1", n)
		}
	}
}
