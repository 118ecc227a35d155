package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/job"
	"quell/cmd/command"
)

// newRoot is the command line.
func newRoot() *cobra.Command { return command.New(table()) }

// commandNamed is the command of a name.
func commandNamed(t *testing.T, name string) *cobra.Command {
	t.Helper()
	cmd, _, err := newRoot().Find([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

// commands returns all commands that the help lists.
func commands() (all []*cobra.Command) {
	for _, cmd := range newRoot().Commands() {
		if cmd.IsAvailableCommand() {
			all = append(all, cmd)
		}
	}
	return all
}

// TestEveryCommandHasExamples: the examples are commands that parse, most of them of the command itself.
func TestEveryCommandHasExamples(t *testing.T) {
	if n := len(commands()); n < 19 {
		t.Fatalf("%d commands", n)
	}
	for _, cmd := range commands() {
		own := 0
		for line := range strings.Lines(cmd.Example) {
			words := strings.Fields(strings.ReplaceAll(line, "'", ""))
			if len(words) > 0 && strings.Contains(words[0], "=") {
				words = words[1:] // a variable of the environment
			}
			if len(words) < 2 || words[0] != "quell" || !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: example %q", cmd.Name(), line)
				continue
			}
			of, args, err := newRoot().Find(words[1:])
			if err == nil {
				err = parse(of, args)
			}
			if err == nil {
				err = of.ValidateArgs(of.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %s: %v", cmd.Name(), strings.TrimSpace(line), err)
			}
			if of.Name() == cmd.Name() {
				own++
			}
		}
		if own == 0 {
			t.Errorf("quell %s --help has no example", cmd.Name())
		}
	}
}

// TestEveryCommandHasJSON: and no flag has a type of Go's in the help.
func TestEveryCommandHasJSON(t *testing.T) {
	root := newRoot()
	for _, cmd := range append(commands(), root) {
		if cmd.Flags().Lookup("json") == nil {
			t.Errorf("%s has no --json", cmd.CommandPath())
		}
		goTypes := []string{"string", "strings", "stringArray", "int", "ints", "uint", "float", "floats", "float64Slice", "duration", "name"}
		check := func(f *pflag.Flag) {
			if kind, _ := pflag.UnquoteUsage(f); slices.Contains(goTypes, kind) && (kind != "name" || f.Value.Type() != "name") {
				t.Errorf("%s --%s takes a %q", cmd.CommandPath(), f.Name, kind)
			}
		}
		cmd.Flags().VisitAll(check)
		if usages := cmd.Flags().FlagUsages(); strings.Contains(usages, "(default [") {
			t.Errorf("%s: the help shows the default of a list as Go does:\n%s", cmd.CommandPath(), usages)
		}
		cmd.PersistentFlags().VisitAll(check)
	}
}

// quell runs a command and returns its exit code and what it prints.
func quell(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = execute(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// TestMistypedWords: what is close to a word that is known gets a suggestion, in the one line of
// the error, and case does not matter for the names of things.
func TestMistypedWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"denois a b":                                     `there is no command "denois"; did you mean denoise?`,
		"denois a b --filter nlm":                        `there is no command "denois"; did you mean denoise?`,
		"compere a b":                                    `there is no command "compere"; did you mean compare?`,
		"DENOISE a b":                                    `did you mean denoise?`,
		"improve a b":                                    `there is no command "improve"; see quell --help`,
		"help denois":                                    `there is no command "denois"; did you mean denoise?`,
		"denoise a b --fliter nlm":                       "there is no flag --fliter; did you mean --filter?",
		"denoise a b --sigma-spacial 2":                  "there is no flag --sigma-spacial; did you mean --sigma-spatial?",
		"denoise a b -filter nlm":                        "there is no flag -filter; did you mean --filter?",
		"denoise a b --zzzzzz":                           "there is no flag --zzzzzz; see quell denoise --help",
		"denoise a b --filter nml":                       "--filter nml: no filter is called that; did you mean nlm?",
		"denoise a b --filter medain":                    "did you mean median?",
		"denoise a b --filter magic":                     "no filter is called that; there are nlm,",
		"denoise a b --preset mr-brain":                  "no preset is called that; did you mean mr-brain-3d, mr-brain-3d-fast",
		"denoise a b --filter nlm --engine cdua":         "--engine cdua: no engine is called that; did you mean cpu or cuda?",
		"denoise a b --filter nlm --dims 4":              "--dims 4: give 2, 3 or auto",
		"denoise a b --filter nlm --dims atuo":           "--dims atuo: did you mean auto?",
		"denoise a b --filter nlm --h atuo":              "--h atuo: did you mean auto?",
		"denoise a b --filter nlm --centre maxx":         "--centre maxx: did you mean max?",
		"denoise a b --filter nlm --dtype flaot32":       "no data type is called that; did you mean float32?",
		"denoise a b --filter nlm --compress=jpeg":       "no compression is called that; did you mean jpeg-lossless?",
		"denoise a b --filter nlm --uneven resampel=2":   "--uneven resampel=2: did you mean resample?",
		"denoise a b --filter nlm --component magnitute": "no component is called that; did you mean magnitude?",
		"noise a b --model gausian --sigma 3":            "no noise model is called that; did you mean gaussian?",
		"phantom p.nii --kind stesp":                     "no phantom is called that; did you mean steps?",
		"phantom p.nii --recon sarf":                     "no reconstruction is called that; did you mean sart?",
		"phantom p.nii --kernel sfot":                    "no kernel is called that; did you mean soft?",
		"tune a --objective shure":                       "no objective is called that; did you mean sure?",
		"tune a --filter nlmm":                           "no filter is called that; did you mean nlm",
		"bench zhegn":                                    "zhegn: no experiment is called that; did you mean zheng",
		"phantom p.nii --seed x":                         "--seed x: give a whole number",
		"compare a b --max x":                            "--max x: give a number",
		"phantom p.nii --dims 3,x":                       "--dims 3,x: give three numbers with commas between them: x,y,z",
		"info a --json=x":                                "--json x: give true or false, or the flag alone",
		"denoise a b --filter":                           "--filter needs a value; see quell denoise --help",
	} {
		code, stdout, stderr := quell(t, strings.Fields(args)...)
		if code != job.ExitUsage || stdout != "" || !strings.HasPrefix(stderr, "quell: ") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want %q", args, code, stdout, stderr, want)
		}
	}
	for _, args := range []string{
		"phantom a.nii --kind STEPS --dims 24,20,6 --dtype INT16", "noise a.nii b.nii --model Gaussian --sigma 3",
		"denoise b.nii c.nii --filter NLM --engine CPU --dims AUTO --h AUTO --centre Max", "tune b.nii --filter Gaussian --objective Residual",
		"denoise b.nii d.nii --preset MR-Brain-3D-Fast --h 2Sigma", "phantom p.nii --dims 9,9,1 --recon FBP --kernel Sharp", "bench --list ZHENG",
	} {
		if code, _, stderr := quell(t, strings.Fields(args)...); code != 0 {
			t.Errorf("%s: code %d, %s", args, code, stderr)
		}
	}
}

// TestHyphenH: -h is help; with a value it is an error that names --h.
func TestHyphenH(t *testing.T) {
	const run = "denoise in.nii out.nii --filter nlm "
	for args, value := range map[string]string{
		run + "-h 12": "12", run + "-h=12": "12", run + "-h=1": "1", run + "-h=0": "0", run + "-h12": "12", run + "-h auto": "auto", run + "-h AUTO": "AUTO", run + "-h 5.8sigma": "5.8sigma",
		run + "-h5.8sigma": "5.8sigma", run + "-h 10%": "10%", run + "-h sure --dims 3": "sure", run + "-h -5": "5",
		"denoise -h 12 in.nii out.nii": "12", "tune in.nii -h 12": "12", "batch in out --filter nlm -h 12": "12", "bids in out participant -h=2sigma": "2sigma",
	} {
		code, stdout, stderr := quell(t, strings.Fields(args)...)
		if want := fmt.Sprintf("quell: -h is for help and takes no value; write --h %s, with two hyphens\n", value); code != job.ExitUsage || stdout != "" || stderr != want {
			t.Errorf("%s: code %d, stdout %.40q, stderr %q", args, code, stdout, stderr)
		}
	}
	for _, args := range []string{"denoise -h", run + "-h", "denoise -h nlm", "denoise --help 12", run + "--help", "info -h 12", "-h", "tune -h", "help denoise"} {
		if code, stdout, stderr := quell(t, strings.Fields(args)...); code != 0 || !strings.Contains(stdout, "Usage:") || stderr != "" {
			t.Errorf("%s: code %d, stdout %.40q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// printedFailure is an error in the JSON of a command.
type printedFailure struct{ Kind, Code, Text, File string }

// TestErrorsAsJSON: with --json an error is an object on stdout, its sentence is on stderr as well,
// and the exit code is as without.
func TestErrorsAsJSON(t *testing.T) {
	at := folder(t)
	for args, want := range map[string]struct {
		code       int
		kind, file string
	}{
		"compare " + at("gone.nii") + " b.nii":                          {3, "input", at("gone.nii")},
		"compare " + at("a.nii") + " " + at("small.nii"):                {3, "input", at("small.nii")},
		"denoise " + at("a.nii") + " " + at("c.nii") + " --preset none": {2, "usage", ""},
		"denoise " + at("a.nii") + " " + at("c.nii") + " --fliter nlm":  {2, "usage", ""},
		"denoise " + at("a.nii") + " " + at("c.nii") + " --filter nml":  {2, "usage", ""},
		"denois":              {2, "usage", ""},
		"compare --json=true": {2, "usage", ""},
		"tune a -h=1":         {2, "usage", ""},
		"info " + at("zero.nii") + " --log " + at("no/log"):                              {1, "output", at("no/log")},
		"denoise " + at("a.nii") + " " + at("a.nii/c.nii") + " --filter median --dims 2": {2, "usage", at("a.nii/c.nii")},
		"send --to A@127.0.0.1:1 --echo":                                                 {1, "network", ""},
		"compare " + at("a.nii") + " " + at("b.nii") + " --mask " + at("zero.nii"):       {1, "failed", ""},
	} {
		plain, _, sentence := quell(t, strings.Fields(args)...)
		code, stdout, stderr := quell(t, append(strings.Fields(args), "--json")...)
		var got struct{ Error printedFailure }
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Errorf("%s: %v in %q", args, err, stdout)
			continue
		}
		e := got.Error
		if code != want.code || plain != code || stderr != sentence || e.Kind != want.kind || e.File != want.file || "quell: "+e.Text+"\n" != stderr {
			t.Errorf("%s: code %d, %+v, stderr %q; want code %d, %+v", args, code, e, stderr, plain, want)
		}
	}
}

// TestCodes: an error says in a code what is the matter.
func TestCodes(t *testing.T) {
	for code, args := range map[string][]string{
		"input.missing": {"info", "--json", "gone.nii"}, "usage.refused": {"denoise", "--json", "a.nii", "b.nii", "--filter", "pink"},
	} {
		var stdout strings.Builder
		execute(t.Context(), args, &stdout, &strings.Builder{})
		if !strings.Contains(stdout.String(), `"code": "`+code+`"`) {
			t.Errorf("%q: %s", args, &stdout)
		}
	}
}

// TestHelpAsJSON: a help is an object too.
func TestHelpAsJSON(t *testing.T) {
	if got := parsed[map[string]string](t, "denoise", "--help"); !strings.Contains(got["text"], "Usage:") {
		t.Errorf("help: %q", got)
	}
}

// TestCancelledAsJSON: a command that is cancelled says so.
func TestCancelledAsJSON(t *testing.T) {
	at := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	code := execute(ctx, []string{"denoise", at("a.nii"), at("c.nii"), "--filter", "median", "--dims", "2", "--json"}, &stdout, &stderr)
	var got struct{ Error printedFailure }
	if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil || code != job.ExitCancelled || got.Error.Kind != "cancelled" || got.Error.Text == "" {
		t.Errorf("code %d, %v, %q", code, err, stdout.String())
	}
}

// TestQuietAndVerbose: -q leaves out notes and what was written, and neither results nor warnings; -v adds the steps of
// the work, without the names of files. Nothing has a colour.
func TestQuietAndVerbose(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	t.Chdir(filepath.Dir(folder(t)("a.nii")))
	for _, c := range []struct{ args, stdout, stderr string }{ // patterns of all that is printed
		{"convert a.nii c.nii", "12 x 13 x 11 voxels; written to c.nii\n", ""},
		{"convert a.nii c.nii -q", "", ""},
		{"convert a.nii c.nii --quiet --json", `(?s)\{.*"output": "c.nii".*\}\n`, ""},
		{"phantom p.nii --kind steps --dims 8,8,2 -q", "", ""},
		{"compare a.nii a.nii -q", "(?s)mse .*", ""},
		{"info a.nii -v", "(?s)series 1\n.*", "(quell: msg=scan .*\n)+"},
		{"estimate . -v", "(?s)sigma .*", "(?s)quell: .*contains 7 series; .*quell: msg=load .*"},
		{"estimate . -q", "(?s)sigma .*", ""},
		{"info a.nii -v -q", "", "quell: give --verbose or --quiet, not both\n"},
		{"--help", "(?s).*Usage: .*", ""},
	} {
		_, stdout, stderr := quell(t, strings.Fields(c.args)...)
		if !regexp.MustCompile("^"+c.stdout+"$").MatchString(stdout) || !regexp.MustCompile("^"+c.stderr+"$").MatchString(stderr) {
			t.Errorf("quell %s: %q, %q", c.args, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, "\x1b") || strings.Contains(stderr, "msg=") && strings.Contains(stderr, "a.nii") {
			t.Errorf("quell %s has a colour, or names a file in the steps: %q", c.args, stderr)
		}
	}
	if code, stdout, _ := quell(t, "info", "a.nii"); code != 0 || stdout == "" {
		t.Error("steps are written after -v")
	}
}
