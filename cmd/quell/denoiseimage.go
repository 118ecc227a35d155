package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/cmd/command"
)

// ants is the name of the denoising program of ANTs. Called by it, or with it as the first argument, this program takes
// the flags of that one, so that pipelines which call DenoiseImage run unchanged. The filter is prinlm.
const ants = "DenoiseImage"

// antsFlags are the flags of DenoiseImage by both of their names.
var antsFlags = map[string]byte{
	"-d": 'd', "--image-dimensionality": 'd', "-i": 'i', "--input-image": 'i', "-n": 'n', "--noise-model": 'n',
	"-x": 'x', "--mask-image": 'x', "-s": 's', "--shrink-factor": 's', "-p": 'p', "--patch-radius": 'p',
	"-r": 'r', "--search-radius": 'r', "-o": 'o', "--output": 'o', "-v": 'v', "--verbose": 'v', "-h": 'h', "--help": 'h', "--version": 'V',
}

const antsUsage = "give DenoiseImage -i IN -o OUT or -o [OUT,NOISE]; DenoiseImage --help lists all flags"

// antsCommand is DenoiseImage for help and the manual page; main runs it.
func antsCommand() command.Command {
	return command.Command{
		Name:  ants + " -i IN -o [OUT,NOISE]",
		Short: "Denoise an image by the flags of ANTs' DenoiseImage",
		Long: `Denoise an image by the flags of the program of ANTs, which pipelines call. A link of the name DenoiseImage to quell is the same. The filter is prinlm; an earlier output is replaced.

  -i, --input-image IN         the image
  -o, --output OUT             or [OUT,NOISE]: also the noise
  -d, --image-dimensionality D 2, 3 or 4
  -n, --noise-model MODEL      Gaussian (default) or Rician
  -x, --mask-image MASK        where the noise is estimated
  -r, --search-radius R        3 (default), or 3x3x3
  -s, --shrink-factor, -p, --patch-radius: without effect
  -v, --verbose                print what was done; -h, --help; --version`,
		Example: "  quell DenoiseImage -d 3 -i t1.nii.gz -n Rician -o [t1_denoised.nii.gz,t1_noise.nii.gz]",
		Hidden:  true, // programs call it
		Args:    cobra.ArbitraryArgs,
		Flags:   func(cmd *cobra.Command) { cmd.DisableFlagParsing = true },
		Run:     func(*cobra.Command, []string) error { return job.Usagef("give %s as the first argument", ants) },
	}
}

// antsArguments returns the flags of DenoiseImage if the program is called by that name.
func antsArguments(args []string) (flags []string, called bool) {
	for n, name := range args[:min(len(args), 2)] {
		if strings.TrimSuffix(filepath.Base(name), ".exe") == ants {
			return args[n+1:], true
		}
	}
	return nil, false
}

// fromANTs returns the command of Quell for flags of DenoiseImage, and whether it prints its result. As there the value of
// a flag is all that follows until the next one, without spaces.
//
// The shrink factor and the patch have no counterpart: the image is filtered at its full resolution, and prinlm compares
// single voxels of a prefiltered image.
func fromANTs(args []string) (command []string, verbose bool, err error) {
	given := map[byte]string{}
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		flag, known := antsFlags[name]
		if !known {
			return nil, false, job.Usagef("DenoiseImage has no flag %s; %s", args[0], antsUsage)
		}
		rest := args[1:]
		n := slices.IndexFunc(append(slices.Clone(rest), "--"), func(a string) bool { return antsFlags[a] != 0 || strings.HasPrefix(a, "--") })
		if !joined {
			value = strings.Join(rest[:n], "")
		}
		given[flag], args = value, rest[n:]
	}
	for flag, command := range map[byte][]string{'h': {"help", ants}, 'V': {"version"}} {
		if _, asked := given[flag]; asked {
			return command, true, nil
		}
	}
	value, verbose := given['v']
	verbose = verbose && value != "0" && value != "false"
	out, noise, _ := strings.Cut(strings.Trim(given['o'], "[] "), ",")
	if given['i'] == "" || out == "" {
		return nil, verbose, job.Usagef("DenoiseImage needs an input and an output; %s", antsUsage)
	}
	command = []string{"denoise", given['i'], strings.TrimSpace(out), "--filter", "prinlm", "--overwrite"}
	options := map[byte]map[string]string{
		'd': {"": "--dims=auto", "2": "--dims=2", "3": "--dims=auto", "4": "--dims=auto"},
		'n': {"": "--stabilise=0", "gaussian": "--stabilise=0", "rician": "--stabilise=1sigma"},
	}
	for _, flag := range []byte("dn") {
		option, known := options[flag][strings.ToLower(given[flag])]
		if !known {
			return nil, verbose, job.Usagef("DenoiseImage: -%c is %s; %s", flag, given[flag], antsUsage)
		}
		command = append(command, option)
	}
	least, largest := map[byte]int{'s': 1}, map[byte]int{} // -s and -p are checked, and have no effect
	for _, flag := range []byte("spr") {
		for number := range strings.SplitSeq(cmp.Or(given[flag], "3"), "x") {
			n, err := strconv.Atoi(number)
			if err != nil || n < least[flag] {
				return nil, verbose, job.Usagef("DenoiseImage: -%c is %s; give %d or more", flag, given[flag], least[flag])
			}
			largest[flag] = max(largest[flag], n)
		}
	}
	for _, f := range []struct{ flag, value string }{{"--noise-out", strings.TrimSpace(noise)}, {"--mask", given['x']}, {"--search-radius", strconv.Itoa(largest['r'])}} {
		if f.value != "" {
			command = append(command, f.flag, f.value)
		}
	}
	return command, verbose, nil
}

// denoiseImage runs DenoiseImage and returns its exit code, which is 1 for every failure.
func denoiseImage(ctx context.Context, flags []string, out, errs io.Writer) int {
	command, verbose, err := fromANTs(flags)
	if err != nil {
		fmt.Fprintf(errs, "quell: %v\n", err)
		return job.ExitFailed
	}
	// Pipelines limit the threads of ITK by this variable; ITK ignores values that are no number of threads.
	if n, _ := strconv.Atoi(os.Getenv("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS")); n > 0 {
		command = append(command, "--threads", strconv.Itoa(n))
	}
	if !verbose {
		out = io.Discard
	}
	return min(execute(ctx, command, out, errs), job.ExitFailed)
}
