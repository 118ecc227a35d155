package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/assets"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// Of every command that ran in this process cobra keeps the flags, pointers that each collection of garbage visits.
func TestMain(m *testing.M) {
	debug.SetGCPercent(200)
	testscript.Main(m, map[string]func(){"quell": main, ants: main})
}

// TestScripts runs testdata/*.txt, each in a folder with
//
//	ct/          the bundled series, nine slices of 512 x 512
//	small.nii    16 x 14 x 12 voxels from -50 to 150
//	plus2.nii    the same with 2 added to every voxel
//	holes.nii    the same with two voxels that are infinite and NaN
//	void.nii     a volume of NaN
//	half.nii     1 in the lower half of the slices, 0 in the upper
//	waves.nii    5 x 4 x 3 complex voxels, two volumes
//	colours.nii  5 x 4 x 3 RGB voxels
//	eight.nii    8 volumes of 16 x 14 x 12 voxels, with noise of sigma 10; seven.nii has 7 of them
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata",
		Setup: setup,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "json": jsonField, "await": await, "truncate": truncate,
		},
	})
}

func setup(env *testscript.Env) error {
	env.Setenv("HOME", filepath.Join(env.WorkDir, ".home")) // testscript's is one folder for all, where a script may create it
	if err := os.CopyFS(filepath.Join(env.WorkDir, "ct"), assets.Series); err != nil {
		return err
	}
	small := volume.New(volume.NewGeometry([3]int{16, 14, 12}, [3]float64{0.5, 0.75, 2}))
	plus2, half, zero := small.Clone(), small.Clone(), small.Clone()
	for i := range small.Data {
		small.Data[i] = float32((i*i*7+i*13)%201) - 50
		plus2.Data[i] = small.Data[i] + 2
		if i < len(half.Data)/2 {
			half.Data[i] = 1
		}
	}
	small.Data[1], plus2.Data[1] = 150, 152
	for name, v := range map[string]*volume.Volume{"small.nii": small, "plus2.nii": plus2, "half.nii": half, "zero.nii": zero} {
		if err := niftitest.Write(context.Background(), filepath.Join(env.WorkDir, name), v, ""); err != nil {
			return err
		}
	}
	for name, source := range map[string]string{"waves.nii": "complex64-be.nii", "colours.nii": "rgb24.nii"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "io", "nifti", "testdata", source))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), data, 0o666); err != nil {
			return err
		}
	}
	file, err := os.ReadFile(filepath.Join(env.WorkDir, "small.nii"))
	if err != nil {
		return err
	}
	for name, n := range map[string]int{"seven.nii": 7, "eight.nii": 8} {
		many := append([]byte{}, file[:352]...)
		many[40], many[48] = 4, byte(n)
		for i := range n * len(small.Data) {
			x := 1000 + 10*noise.Normal(1, uint64(i), 0)
			many = binary.LittleEndian.AppendUint32(many, math.Float32bits(float32(x)))
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), many, 0o666); err != nil {
			return err
		}
	}
	set := func(voxel int, x float64) { // the writer refuses these values
		binary.LittleEndian.PutUint32(file[352+4*voxel:], math.Float32bits(float32(x)))
	}
	set(7, math.Inf(1))
	set(8, math.NaN())
	if err := os.WriteFile(filepath.Join(env.WorkDir, "holes.nii"), file, 0o666); err != nil {
		return err
	}
	for i := range small.Data {
		set(i, math.NaN())
	}
	return os.WriteFile(filepath.Join(env.WorkDir, "void.nii"), file, 0o666)
}

// exits CODE COMMAND...: runs the command and checks its exit code. A code other
// than 0 must come with exactly one line on stderr, beginning "quell: ", after
// the warnings.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
	if code == 0 {
		return
	}
	lines := strings.Split(strings.TrimSpace(ts.ReadFile("stderr")), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "quell: ") {
		ts.Fatalf("the last line of stderr does not begin with quell: %q", last)
	}
	for _, line := range lines[:len(lines)-1] {
		if !strings.Contains(line, "warning") && !strings.Contains(line, "refused") && !strings.Contains(line, "series") {
			ts.Fatalf("more than one sentence on stderr: %q", lines)
		}
	}
}

// json PATH REGEXP: checks that stdout is exactly one JSON object and that its
// field at PATH ("series.0.dims") matches.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var at any
	ts.Check(dec.Decode(&at))
	if _, ok := at.(map[string]any); !ok {
		ts.Fatalf("stdout is not a JSON object")
	}
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("stdout holds more than one JSON value")
	}
	for _, key := range strings.Split(args[0], ".") {
		switch x := at.(type) {
		case map[string]any:
			at = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(x) {
				ts.Fatalf("%s: no element %q of %d", args[0], key, len(x))
			}
			at = x[i]
		default:
			ts.Fatalf("%s: %q is not in an object", args[0], key)
		}
	}
	text := fmt.Sprint(at)
	if ok, err := regexp.MatchString("^(?:"+args[1]+")$", text); err != nil || ok == neg {
		ts.Fatalf("%s is %s, want %s (negated: %v) %v", args[0], text, args[1], neg, err)
	}
}

// await FILE TEXT: waits until the file, which another process writes, holds the
// text. A text that never comes ends with the test binary's time limit.
func await(ts *testscript.TestScript, neg bool, args []string) {
	for {
		if data, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && bytes.Contains(data, []byte(args[1])) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// truncate FILE BYTES: removes bytes from the end of a file.
func truncate(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs(args[0])
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()-n))
}

// TestCancelled: a cancelled context is exit code 130 and one sentence.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	v := volume.New(volume.NewGeometry([3]int{4, 4, 4}, [3]float64{1, 1, 1}))
	in := filepath.Join(dir, "in.nii")
	if err := niftitest.Write(t.Context(), in, v, ""); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := execute(ctx, []string{"denoise", in, filepath.Join(dir, "out.nii"), "--filter", "median"}, &stdout, &stderr)
	if code != job.ExitCancelled || stderr.String() != "quell: cancelled; nothing was written\n" || stdout.Len() != 0 {
		t.Errorf("code %d, stderr %q, stdout %q", code, &stderr, &stdout)
	}
}

// TestOutputNameThatIsNotUTF8: on Linux a name is any bytes.
func TestOutputNameThatIsNotUTF8(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux keeps names that are not UTF-8")
	}
	dir := t.TempDir()
	v := volume.New(volume.NewGeometry([3]int{4, 4, 4}, [3]float64{1, 1, 1}))
	in := filepath.Join(dir, "in.nii")
	if err := niftitest.Write(t.Context(), in, v, ""); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"\xff.nii", "\xff", "\xfe.hdr"} {
		var stdout, stderr bytes.Buffer
		out = filepath.Join(dir, out)
		if code := execute(t.Context(), []string{"denoise", in, out, "--filter", "median"}, &stdout, &stderr); code != job.ExitDone {
			t.Errorf("%q: code %d, stderr %q", out, code, &stderr)
		}
		if _, err := os.Stat(out); err != nil {
			t.Error(err)
		}
	}
}

// TestFlagsAreTheParameters: every parameter of every filter is a flag that takes its default; TestHelpOfFilters reads
// the help.
func TestFlagsAreTheParameters(t *testing.T) {
	cmd := commandNamed(t, "denoise")
	for _, f := range denoise.Filters() {
		for _, text := range []string{f.Name, f.Help, f.Source, fmt.Sprintf("%d-D", f.Dims[0]), fmt.Sprintf("%d-D", f.Dims[len(f.Dims)-1])} {
			if !strings.Contains(cmd.Long, text) {
				t.Errorf("the help does not say of %s: %s", f.Name, text)
			}
		}
		for _, p := range f.Params {
			flag := cmd.Flags().Lookup(p.Name)
			if flag == nil {
				t.Errorf("%s: --%s is missing", f.Name, p.Name)
				continue
			}
			if err := flag.Value.Set(p.Default.String()); err != nil {
				t.Errorf("--%s %s: %v", p.Name, p.Default, err)
			}
		}
	}
}

// parse parses flags as a command does that runs: a bound by --memory would last until the process ends, with a collection
// of garbage after every few allocations of the tests that follow.
func parse(cmd *cobra.Command, args []string) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	return cmd.ParseFlags(args)
}

// TestMemoryLimit: the bound of --memory for the runtime ends with its command, and with the test that parses it.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	quell(t, "denoise", "missing.nii", "out.nii", "--filter", "median", "--memory", "600MB")
	if err := parse(commandNamed(t, "denoise"), []string{"--memory", "600MB"}); err != nil {
		t.Fatal(err)
	}
	if n := debug.SetMemoryLimit(-1); n != before {
		t.Errorf("%d afterwards", n)
	}
}
