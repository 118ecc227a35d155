package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFlagsOfDenoiseImage(t *testing.T) {
	const common = "denoise in.nii.gz out.nii.gz --filter prinlm --overwrite "
	for args, want := range map[string]string{
		// As the interface of nipype writes them, and scripts for it.
		"-d 3 -i in.nii.gz -n Gaussian -o out.nii.gz -s 1":                                                                        common + "--dims=auto --stabilise=0",
		"-d 3 -i in.nii.gz -n Rician -o [ out.nii.gz, noise.nii.gz ] -s 2 -v":                                                     common + "--dims=auto --stabilise=1sigma --noise-out noise.nii.gz",
		"-i in.nii.gz -x mask.nii -p 1x1x1 -r 2x2x3 -o [out.nii.gz,n.nii] -v 0":                                                   common + "--dims=auto --stabilise=0 --noise-out n.nii --mask mask.nii --search-radius 3",
		"--image-dimensionality 2 --input-image in.nii.gz --noise-model rician --output out.nii.gz --verbose 1 --search-radius 4": common + "--dims=2 --stabilise=1sigma --search-radius 4",
		"-d 2 -i in.nii.gz -n Gaussian -o out.nii.gz -s 1":                                                                        common + "--dims=2 --stabilise=0",
		"-d 3 -i in.nii.gz -n Gaussian -o [ out.nii.gz, n.nii.gz ] -s 1 -v":                                                       common + "--dims=auto --stabilise=0 --noise-out n.nii.gz",
		"-i in.nii.gz -n Rician -o [ out.nii.gz, n.nii.gz ] -s 1x1x1 -v 1":                                                        common + "--dims=auto --stabilise=1sigma --noise-out n.nii.gz",
		"-d 3 -n Rician --input-image in.nii.gz --output out.nii.gz":                                                              common + "--dims=auto --stabilise=1sigma",
		"-d 3 -i in.nii.gz -v -o out.nii.gz -p 0 -r 0":                                                                            common + "--dims=auto --stabilise=0 --search-radius 0",
		"--output=out.nii.gz --input-image=in.nii.gz":                                                                             common + "--dims=auto --stabilise=0",
		"--version": "version",
		"-h":        "help DenoiseImage",
	} {
		if strings.HasPrefix(want, common) && !strings.Contains(want, "--search-radius") {
			want += " --search-radius 3"
		}
		command, verbose, err := fromANTs(strings.Fields(args))
		if err != nil || strings.Join(command, " ") != want {
			t.Errorf("%s: %v, %s", args, err, strings.Join(command, " "))
		}
		if wants := strings.Contains(args, "-v") && !strings.Contains(args, "-v 0") || want == "help DenoiseImage"; verbose != wants {
			t.Errorf("%s: verbose %t", args, verbose)
		}
	}
	for args, want := range map[string]string{
		"-i in.nii": "needs an input and an output", "-o out.nii": "needs an input and an output", "-d 5 -i a.nii -o b.nii": "-d is 5",
		"-n Poisson -i a.nii -o b.nii": "-n is Poisson", "-r many -i a.nii -o b.nii": "-r is many",
		"-r 3x-1 -i a.nii -o b.nii": "-r is 3x-1", "-s some -i a.nii -o b.nii": "-s is some", "-s 0 -i a.nii -o b.nii": "-s is 0; give 1 or more", "-s 1x0 -i a.nii -o b.nii": "-s is 1x0", "-p -1 -i a.nii -o b.nii": "-p is -1", "-q -i a.nii -o b.nii": "no flag -q", "": "needs an input",
	} {
		if _, _, err := fromANTs(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	// A list of outputs in one argument, with the spaces that a template or quotes leave in it.
	for _, list := range []string{"[a b/out.nii.gz,noise.nii.gz]", "[ a b/out.nii.gz, noise.nii.gz ]", " [a b/out.nii.gz , noise.nii.gz] "} {
		command, _, err := fromANTs([]string{"-i", "in.nii", "-o", list})
		if err != nil || command[2] != "a b/out.nii.gz" || !slices.Contains(command, "noise.nii.gz") {
			t.Errorf("%q: %q, %v", list, command, err)
		}
	}
	for _, args := range [][]string{{"/usr/bin/DenoiseImage", "-v"}, {"DenoiseImage.exe", "-v"}, {"quell", "DenoiseImage", "-v"}} {
		if flags, called := antsArguments(args); !called || len(flags) != 1 {
			t.Errorf("%s: %v, %t", args, flags, called)
		}
	}
	for _, args := range [][]string{{"quell"}, {"quell", "denoise", "DenoiseImage"}, {}} {
		if _, called := antsArguments(args); called {
			t.Errorf("%s is called by the name of ANTs", args)
		}
	}
}
