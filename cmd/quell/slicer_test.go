package main

import (
	"encoding/xml"
	"os"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise"
)

// describedModule is a description as 3D Slicer reads it.
type describedModule struct {
	Title, Description, Version string
	Groups                      []struct {
		Label  string   `xml:"label"`
		Params []semAny `xml:",any"`
	} `xml:"parameters"`
}

type semAny struct {
	XMLName     xml.Name
	Name        string   `xml:"name"`
	Label       string   `xml:"label"`
	Flag        string   `xml:"longflag"`
	Channel     string   `xml:"channel"`
	Index       string   `xml:"index"`
	Default     string   `xml:"default"`
	Elements    []string `xml:"element"`
	Constraints *struct {
		Minimum float64 `xml:"minimum"`
		Maximum float64 `xml:"maximum"`
		Step    float64 `xml:"step"`
	} `xml:"constraints"`
}

// commandOf returns the arguments that 3D Slicer makes of a description at its defaults, which are those of quell denoise.
func commandOf(t *testing.T, name string) (args []string, params []semAny) {
	t.Helper()
	code, stdout, stderr := quell(t, "--xml", name)
	var m describedModule
	if err := xml.Unmarshal([]byte(stdout), &m); code != 0 || err != nil {
		t.Fatalf("%s: code %d, %v, %s", name, code, err, stderr)
	}
	if !strings.Contains(stdout, "Not for clinical use.") {
		t.Errorf("%s: without the notice", name)
	}
	for _, g := range m.Groups {
		for _, p := range g.Params {
			if p.Name == "" { // label and description of the group
				continue
			}
			params = append(params, p)
			if p.Flag != "" && p.XMLName.Local != "boolean" {
				args = append(args, p.Flag, p.Default)
			}
		}
	}
	return args, params
}

// TestModules: the description of a filter holds all its parameters, with values that it takes, and what 3D Slicer makes
// of it at its defaults is the recipe without any flag.
func TestModules(t *testing.T) {
	types := []string{"image", "string-enumeration", "string", "boolean", "integer", "double"}
	for _, f := range denoise.Filters() {
		args, params := commandOf(t, f.Name)
		flags := []string{"--dims"}
		for _, p := range f.Params {
			flags = append(flags, "--"+p.Name)
		}
		for i, p := range params {
			if !slices.Contains(types, p.XMLName.Local) || p.Label == "" {
				t.Errorf("%s: %+v", f.Name, p)
			}
			if i < 2 {
				if p.XMLName.Local != "image" || p.Channel != []string{"input", "output"}[i] || p.Index != []string{"0", "1"}[i] {
					t.Errorf("%s: %+v", f.Name, p)
				}
				continue
			}
			k := slices.Index(flags, p.Flag)
			if k < 0 {
				t.Errorf("%s: %s is no parameter, or there twice", f.Name, p.Flag)
				continue
			}
			flags = slices.Delete(flags, k, k+1)
			if p.Elements != nil && !slices.Contains(p.Elements, p.Default) {
				t.Errorf("%s %s: default %s, of %q", f.Name, p.Flag, p.Default, p.Elements)
			}
			if c := p.Constraints; c != nil && (c.Minimum >= c.Maximum || c.Step <= 0) {
				t.Errorf("%s %s: %+v", f.Name, p.Flag, c)
			}
		}
		if len(flags) > 0 {
			t.Errorf("%s: nothing about %q", f.Name, flags)
		}
		cmd := commandNamed(t, "denoise")
		if err := parse(cmd, args); err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		given := option.Params{}
		for _, flag := range command.ParametersOf(cmd) {
			given[flag.Name] = flag.Value.(*option.Param)
		}
		given.WithoutDefaults(f.Name)
		got, err := given.Recipe("", f.Name, option.DimsOf(cmd.Flags().Lookup("dims").Value.String()))
		want, _ := denoise.NewRecipe(f.Name, 0)
		if err != nil || got.String() != want.String() {
			t.Errorf("%s: %v, %v, want %v", f.Name, err, got, want)
		}
	}
	if code, _, stderr := quell(t, "--xml", "nml"); code != job.ExitUsage || !strings.Contains(stderr, "did you mean nlm?") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

// TestSlicerRuns: the commands of 3D Slicer give what the same command gives without its flags, with progress.
func TestSlicerRuns(t *testing.T) {
	at := folder(t)
	args, _ := commandOf(t, "nlm")
	code, stdout, stderr := quell(t, append(append([]string{"denoise", "--for-slicer", "--filter", "nlm"}, args...), at("a.nii"), at("s.nii"))...)
	if code != 0 || !strings.Contains(stdout, "<filter-progress>1.00</filter-progress>\n") {
		t.Fatalf("code %d, %s%s", code, stdout, stderr)
	}
	if code, _, stderr := quell(t, "denoise", "--filter", "nlm", at("a.nii"), at("p.nii")); code != 0 {
		t.Fatal(stderr)
	}
	one, _ := os.ReadFile(at("s.nii"))
	two, err := os.ReadFile(at("p.nii"))
	if err != nil || string(one) != string(two) {
		t.Errorf("%v, or another result", err)
	}
	args, params := commandOf(t, "denoise")
	if len(params) != 4 {
		t.Errorf("%+v", params)
	}
	if code, _, stderr := quell(t, append(append([]string{"denoise", "--for-slicer"}, args...), at("a.nii"), at("d.nrrd"))...); code != 0 {
		t.Error(stderr)
	}
	if _, params := commandOf(t, "estimate"); len(params) != 2 {
		t.Errorf("%+v", params)
	}
}
