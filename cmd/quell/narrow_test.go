package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"quell/denoise"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// narrowSizes are the sizes of volumes that are one to four voxels wide along one axis, and along all; in the short tier
// one voxel.
func narrowSizes() (all [][3]int) {
	most := 4
	if testing.Short() {
		most = 1
	}
	for n := 1; n <= most; n++ {
		for axis := range 3 {
			size := [3]int{22, 22, 22}
			size[axis] = n
			all = append(all, size)
		}
		all = append(all, [3]int{n, n, n})
	}
	return append(all, [3]int{22, 2, 1}, [3]int{3, 22, 1}, [3]int{1, 2, 22})
}

// narrow writes noise about a level.
func narrow(t *testing.T, path string, dims [3]int, level, sigma float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 1))
	v := volume.New(volume.NewGeometry(dims, [3]float64{0.7, 0.7, 2.5}))
	for i := range v.Data {
		v.Data[i] = float32(level + sigma*rng.NormFloat64())
	}
	if err := niftitest.Write(t.Context(), path, v, ""); err != nil {
		t.Fatal(err)
	}
}

// TestNarrowVolumes: no command and no filter fails within itself on a volume of any least size. What cannot be measured
// there is refused with a sentence.
func TestNarrowVolumes(t *testing.T) {
	for _, dims := range narrowSizes() {
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, name) }
		narrow(t, at("in.nii"), dims, 40, 8) // soft tissue of a CT
		narrow(t, at("mr.nii"), dims, 400, 20)
		narrow(t, at("quiet.nii"), dims, 40, 2)
		narrow(t, at("mask.nii"), dims, 1, 0)
		narrow(t, at("sigma.nii"), dims, 8, 1) // so that automatic strengths are known
		runs := []string{
			"info in.nii", "estimate in.nii", "estimate mr.nii", "estimate in.nii mr.nii", "estimate in.nii --map map.nii", "estimate mr.nii --map map.nii",
			"denoise in.nii out.nii", "denoise mr.nii out.nii", "denoise in.nii out.nii --mask mask.nii --filter nlm --h 1.1sigma", "denoise in.nii out.nii --noise-out noise.nii --filter gaussian",
			"denoise in.nii out.nii --filter nlm --h sure", "denoise in.nii out.nii --filter nlm --strength visible", "denoise in.nii out.nii --filter median --assess --report report.html",
			"denoise in.nii out.nii --filter bnlm --h 30 --noise-map auto", "denoise in.nii out.nii --filter odct --noise-map sigma.nii",
			"assess in.nii quiet.nii", "compare in.nii quiet.nii", "tune in.nii --filter bilateral", "tune mr.nii --filter nlm --objective residual",
			"detect in.nii --filter median --size 2,3 --contrast 10", "measure in.nii quiet.nii", "measure in.nii quiet.nii --nps 1:2,1:2",
			"measure in.nii quiet.nii --disc 1:1,1:2", "measure in.nii quiet.nii --edge 1:2,1:1", "noise quiet.nii out.nii --model rician --sigma 3", "convert in.nii out.nrrd",
		}
		for _, f := range denoise.Filters() {
			for _, d := range f.Dims {
				runs = append(runs, fmt.Sprintf("denoise in.nii out.nii --filter %s --dims %d --noise-map sigma.nii", f.Name, d))
			}
		}
		for _, run := range runs {
			args := strings.Fields(run)
			for i, word := range args {
				if filepath.Ext(word) != "" && !strings.HasSuffix(word, "sigma") {
					args[i] = at(word)
				}
			}
			if args[0] == "denoise" || strings.Contains(run, "--map") || args[0] == "noise" || args[0] == "convert" {
				args = append(args, "--overwrite")
			}
			if run := args[0]; run != "info" && run != "compare" && run != "noise" && run != "convert" && strings.HasSuffix(args[1], "in.nii") {
				args = append(args, "--modality", "CT")
			}
			if _, _, said := quell(t, args...); strings.Contains(said, "internal error") {
				t.Errorf("%v: %s: %s", dims, run, said)
			}
		}
	}
}
