package main

import (
	"strings"
	"testing"
)

func TestFlagsOfDenoiseImage(t *testing.T) {
	const common = "denoise in.nii.gz out.nii.gz --filter prinlm --overwrite "
	for args, want := range map[string]string{
		// As the interface of nipype writes them.
		"-d 3 -i in.nii.gz -n Gaussian -o out.nii.gz -s 1":                                                                        common + "--dims auto --stabilise 0",
		"-d 3 -i in.nii.gz -n Rician -o [ out.nii.gz, noise.nii.gz ] -s 2 -v":                                                     common + "--dims auto --stabilise 1sigma --noise-out noise.nii.gz",
		"-i in.nii.gz -x mask.nii -p 1x1x1 -r 2x2x3 -o [out.nii.gz,n.nii] -v 0":                                                   common + "--dims auto --stabilise 0 --noise-out n.nii --mask mask.nii --search-radius 3",
		"--image-dimensionality 2 --input-image in.nii.gz --noise-model rician --output out.nii.gz --verbose 1 --search-radius 4": common + "--dims 2 --stabilise 1sigma --search-radius 4",
		"--output=out.nii.gz --input-image=in.nii.gz":                                                                             common + "--dims auto --stabilise 0",
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
		"-r 3x-1 -i a.nii -o b.nii": "-r is 3x-1", "-s some -i a.nii -o b.nii": "-s is some", "-p -1 -i a.nii -o b.nii": "-p is -1", "-q -i a.nii -o b.nii": "no flag -q", "": "needs an input",
	} {
		if _, _, err := fromANTs(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
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
