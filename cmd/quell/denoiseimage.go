package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"quell/app/job"
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

const antsUsage = "give DenoiseImage -i IN -o OUT or -o [OUT,NOISE], and, if wanted, -d 2|3|4, -n Gaussian|Rician, -x MASK, -r RADIUS, -v; -s and -p are taken and need nothing"

// antsArguments returns the flags of DenoiseImage if the program is called by that name.
func antsArguments(args []string) (flags []string, called bool) {
	switch {
	case len(args) > 0 && strings.TrimSuffix(filepath.Base(args[0]), ".exe") == ants:
		return args[1:], true
	case len(args) > 1 && args[1] == ants:
		return args[2:], true
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
		n := slices.IndexFunc(rest, func(a string) bool { return antsFlags[a] != 0 || strings.HasPrefix(a, "--") })
		if n < 0 {
			n = len(rest)
		}
		if !joined {
			value = strings.Join(rest[:n], "")
		}
		given[flag], args = value, rest[n:]
	}
	if _, asked := given['h']; asked {
		return []string{"denoise", "--help"}, true, nil
	}
	if _, asked := given['V']; asked {
		return []string{"version"}, true, nil
	}
	value, verbose := given['v']
	verbose = verbose && value != "0" && value != "false"
	out, noise, _ := strings.Cut(strings.Trim(given['o'], "[]"), ",")
	if given['i'] == "" || out == "" {
		return nil, verbose, job.Usagef("DenoiseImage needs an input and an output; %s", antsUsage)
	}
	command = []string{"denoise", given['i'], out, "--filter", "prinlm", "--overwrite"}
	switch given['d'] {
	case "", "3", "4":
		command = append(command, "--dims", "auto")
	case "2":
		command = append(command, "--dims", "2")
	default:
		return nil, verbose, job.Usagef("DenoiseImage: -d is %s; %s", given['d'], antsUsage)
	}
	switch strings.ToLower(given['n']) {
	case "", "gaussian":
		command = append(command, "--stabilise", "0")
	case "rician":
		command = append(command, "--stabilise", "1sigma")
	default:
		return nil, verbose, job.Usagef("DenoiseImage: -n is %s; %s", given['n'], antsUsage)
	}
	for _, f := range []struct{ flag, value string }{{"--noise-out", noise}, {"--mask", given['x']}} {
		if f.value != "" {
			command = append(command, f.flag, f.value)
		}
	}
	if text := given['r']; text != "" {
		radius := 0
		for number := range strings.SplitSeq(text, "x") {
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, verbose, job.Usagef("DenoiseImage: -r is %s; %s", text, antsUsage)
			}
			radius = max(radius, n)
		}
		command = append(command, "--search-radius", strconv.Itoa(radius))
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
	// Pipelines limit the threads of ITK by this variable.
	if threads := os.Getenv("ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS"); threads != "" {
		command = append(command, "--threads", threads)
	}
	if !verbose {
		out = io.Discard
	}
	return min(execute(ctx, command, out, errs), job.ExitFailed)
}
