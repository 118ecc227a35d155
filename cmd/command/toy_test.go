package command_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// toy is a whole command: it copies a file as often as asked for.
func toy() command.Command {
	times := 1
	dtype := "int16"
	return command.Command{
		Name:    "echo IN OUT",
		Short:   "Copy a file to another",
		Example: "  quell echo a.nii b.nii",
		Inputs:  command.Leading,
		Outputs: command.Last(files.SeriesOutput),
		Pipes:   true,
		First:   []command.First{{Flag: "times"}},
		Module:  &command.Module{Title: "Echo", Help: "Copy.", Output: "Copy", About: "The same."},
		Flags: func(cmd *cobra.Command) {
			cmd.Flags().IntVar(&times, "times", 1, "copy `N` times")
			option.AddName(cmd, &dtype, "dtype", "data type", []string{"int16", "float32"}, "voxel `type`")
			command.AddFormat(cmd)
			cmd.Flags().Bool("overwrite", false, "replace OUT")
		},
		Run: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			for range times {
				if err == nil {
					err = os.WriteFile(args[1], data, 0o666)
				}
			}
			if command.JSON(cmd) {
				return command.PrintJSON(cmd.OutOrStdout(), map[string]int{"bytes": len(data)})
			}
			fmt.Fprintln(cmd.OutOrStdout(), len(data), "bytes")
			return err
		},
	}
}

// toys is the line of the table.
func toys() []command.Group {
	return []command.Group{{Title: "Toys", Commands: []command.Command{toy()}}}
}

// TestAToyCommand: one file and one line of a table give a command its help, manual page, completion, suggestions, JSON,
// pipes, the gate and a description to 3D Slicer.
func TestAToyCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := niftitest.Write(t.Context(), "a.nii", volume.New(volume.NewGeometry([3]int{4, 4, 4}, [3]float64{1, 1, 1})), ""); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("a.nii")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args string) (int, string, string) {
		var out, errs strings.Builder
		code := command.Streams{In: strings.NewReader(string(data)), Out: &out, Errs: &errs}.Execute(t.Context(), toys(), strings.Fields(args))
		return code, out.String(), errs.String()
	}
	for _, c := range []struct {
		args        string
		code        int
		out, stderr string // parts of them
	}{
		{"--help", 0, "Toys:\n  echo", ""},
		{"echo --help", 0, "Usage: quell echo IN OUT", ""},
		{"help echo", 0, "  --times N", ""},
		{"help echo --all", 0, "--dtype type", ""},
		{"ehco", 2, "", "did you mean echo?"},
		{"echo a.nii", 2, "", "echo takes IN and OUT, not 1 arguments"},
		{"echo a.nii b.nii --tmies 2", 2, "", "did you mean --times?"},
		{"echo a.nii b.nii --dtype int61", 2, "", "did you mean int16?"},
		{"echo a.nii a.nii", 2, "", "is the input itself"},
		{"echo a.nii b.nii --times 2", 0, "608 bytes\n", ""},
		{"echo a.nii b.nii --overwrite --json", 0, "{\n  \"bytes\": 608\n}\n", ""},
		{"echo - c.nii", 0, "608 bytes\n", ""},
		{"echo - -", 0, string(data), "608 bytes"},
		{"echo - - --json", 2, `"kind": "usage"`, "not both"},
		{"__complete ec", 0, "echo\tCopy a file to another", ""},
		{"__complete echo --dtype i", 0, "int16\nfloat32\n", ""},
		{"--xml ecoh", 2, "", "did you mean echo?"},
	} {
		code, stdout, stderr := run(c.args)
		if code != c.code || !strings.Contains(stdout, c.out) || !strings.Contains(stderr, c.stderr) || c.stderr == "" && code == 0 && !strings.HasPrefix(c.args, "__") && stderr != "" {
			t.Errorf("quell %s: code %d, stdout %.300q, stderr %q", c.args, code, stdout, stderr)
		}
	}
	if code, _, stderr := run("man man"); code != 0 {
		t.Error(stderr)
	}
	page, err := os.ReadFile(filepath.Join("man", "quell-echo.1"))
	if err != nil || !strings.Contains(string(page), `\-\-times`) {
		t.Errorf("%v, %s", err, page)
	}
	_, text, _ := run("--xml echo")
	var module struct {
		Title string `xml:"title"`
	}
	if err := xml.Unmarshal([]byte(text), &module); err != nil || module.Title != "Echo" {
		t.Errorf("%v, %s", err, text)
	}
}
