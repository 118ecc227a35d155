package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/job"
	"quell/app/open"
)

// tree makes files, each with its name as content.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// listed describes units: NAME, with a slash behind folders, and bytes.
func listed(units []Unit) (all []string) {
	for _, u := range units {
		text := u.Name
		if u.Folder {
			text += "/"
		}
		all = append(all, fmt.Sprintf("%s %d", text, u.Bytes))
	}
	return all
}

func TestList(t *testing.T) {
	root := tree(t, "b/IM1", "b/IM22", "a.nii", "b/c/d.nii.gz", "b/c/e.hdr", "b/c/e.img", "b/c/e.hdr.recipe.json", "b/x.zip", ".git/IM1", "b/._IM1", "b/.hidden.nii",
		"cd/DICOMDIR", "cd/DICOM/IM1", "out/z.nii", "p1/T1.nii", "p2/T1.nii", "p2/deep/T2.nii")
	if err := os.Symlink(filepath.Join(root, "a.nii"), filepath.Join(root, "p1", "link.nii")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	if err := os.Symlink(filepath.Join(root, "p2"), filepath.Join(root, "p1", "dir.nii")); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(root, name))
		}
		return paths
	}
	for _, x := range []struct {
		inputs []string
		want   []string
	}{
		{in("."), []string{"a.nii 5", "b/ 11", "b/c/d.nii.gz 12", "b/c/e.hdr 9", "b/x.zip 7", "cd/DICOMDIR 23", "p1/T1.nii 9", "p1/link.nii 5", "p2/T1.nii 9", "p2/deep/T2.nii 14"}},
		{in("b"), []string{"./ 11", "c/d.nii.gz 12", "c/e.hdr 9", "x.zip 7"}},
		{in("b/c"), []string{"d.nii.gz 12", "e.hdr 9"}},
		{in("a.nii"), []string{"a.nii 5"}},
		{in("p*"), []string{"p1/T1.nii 9", "p1/link.nii 5", "p2/T1.nii 9", "p2/deep/T2.nii 14"}},
		{in("p*/T1.nii"), []string{"p1/T1.nii 9", "p2/T1.nii 9"}},
		{in("p[2]"), []string{"p2/T1.nii 9", "p2/deep/T2.nii 14"}},
		{in("p1", "p2"), []string{"p1/T1.nii 9", "p1/link.nii 5", "p2/T1.nii 9", "p2/deep/T2.nii 14"}},
		{in("p2", "p2/deep", "a.nii", "a.nii"), []string{"a.nii 5", "p2/T1.nii 9", "p2/deep/T2.nii 14"}},
	} {
		units, err := List(t.Context(), x.inputs, filepath.Join(root, "out"))
		if err != nil {
			t.Errorf("%v: %v", x.inputs, err)
		}
		equal(t, strings.Join(x.inputs, " "), listed(units), x.want)
	}
	for _, x := range []string{"missing", "none*", "empty"} {
		if err := os.MkdirAll(filepath.Join(root, "empty"), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := List(t.Context(), in(x), ""); job.ExitCode(err) != job.ExitInput {
			t.Errorf("%s: %v", x, err)
		}
	}
	if _, err := List(t.Context(), in("p[1"), ""); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("a malformed pattern: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, in("."), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestListBIDS: of a BIDS dataset the subjects alone are taken, and their images.
func TestListBIDS(t *testing.T) {
	root := tree(t, "dataset_description.json", "participants.tsv", "sub-01/anat/sub-01_T1w.nii.gz", "sub-01/anat/sub-01_T1w.json", "derivatives/x/sub-01/sub-01_T1w.nii", "sourcedata/sub-01/IM1")
	units, err := List(t.Context(), []string{root}, "")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "units", listed(units), []string{"sub-01/anat/sub-01_T1w.nii.gz 29"})
}

func TestListCSV(t *testing.T) {
	root := tree(t, "a.nii", "b/IM1", "b/IM2", "c/d.nii")
	list := filepath.Join(root, "list.csv")
	write := func(text string) {
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("\ufeffoutput,path,series\nx/one.nii,a.nii,\n,b,3\n, " + filepath.Join(root, "c", "d.nii") + ",\n,missing.nii,\n,b,1\n")
	units, err := List(t.Context(), []string{list}, "")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "units", listed(units), []string{"a.nii 5", "b#1/ 10", "b#3/ 10", "c/d.nii 7", "missing.nii 0"})
	if units[0].Output != "x/one.nii" || *units[1].Series != 0 || *units[2].Series != 2 || units[3].Series != nil {
		t.Errorf("%+v", units)
	}
	for text, problem := range map[string]string{
		"":                                "line 1 cannot be read",
		"file\na.nii":                     "line 1 names no column path",
		"path,series\na.nii,-1":           "line 2 has a series that is no number",
		"path,series\nb,0":                "line 2 has a series that is no number from 1",
		"path,series\na.nii,x":            "line 2 has a series",
		"path,series\na.nii,1\n,1":        "line 3 has no path",
		"path\na.nii,0":                   "line 2 cannot be read",
		"path,output\na.nii,../x.nii":     "line 2 has an output outside",
		"path,output\na.nii,/x.nii":       "line 2 has an output outside",
		"path,output\n.,x":                "line 2 names a series or an output for a path of several",
		"path,series\na.nii,1\nc/d.nii,y": "line 3 has a series",
	} {
		write(text)
		if _, err := List(t.Context(), []string{list}, ""); job.ExitCode(err) != job.ExitInput || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOutputNames(t *testing.T) {
	for _, x := range []struct {
		unit Unit
		e    open.Entry
		want string
	}{
		{Unit{Name: "a/b.nii"}, open.Entry{}, "a/b.nii"},
		{Unit{Name: "a/b.NII.GZ"}, open.Entry{}, "a/b.nii.gz"},
		{Unit{Name: "a/b.c.hdr.gz"}, open.Entry{}, "a/b.c.hdr"},
		{Unit{Name: "b.hdr"}, open.Entry{}, "b.hdr"},
		{Unit{Name: "b.nii#1"}, open.Entry{Part: "magnitude, volume 2 of 5"}, "b_magnitude-volume-2-of-5.nii"},
	} {
		if got := outputOf(x.unit, x.e, false, "0123456789abcdef"); got != x.want {
			t.Errorf("%+v: %s, want %s", x.unit, got, x.want)
		}
	}
	dicom := open.Entry{Part: "echo 2"}
	dicom.Format, dicom.Number, dicom.Description = "DICOM", "7", "T1 MPR / sag ../ä"
	for name, want := range map[string]string{".": "7-T1-MPR-sag-ä-echo-2-01234567", "p/IM1.dcm": "p/IM1/7-T1-MPR-sag-ä-echo-2-01234567", "cd/DICOMDIR": "cd/7-T1-MPR-sag-ä-echo-2-01234567", "x.zip": "x/7-T1-MPR-sag-ä-echo-2-01234567"} {
		if got := outputOf(Unit{Name: name, Folder: name == "."}, dicom, false, "0123456789abcdef"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	dicom.Description = strings.Repeat("long-", 60)
	if got := outputOf(Unit{Name: ".", Folder: true}, dicom, false, "0123456789abcdef"); len(got) > 100 || !strings.HasSuffix(got, "echo-2-01234567") {
		t.Errorf("a long name: %s", got)
	}
}
