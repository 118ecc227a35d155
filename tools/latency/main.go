// Command latency measures how fast the workbench answers on a virtual display: the time from a step of the wheel to the
// original and from a click on the slider to the denoised picture, and pictures a second. It reads the picture in the memory
// of the server, so that counted pictures were painted, and prints tables in Markdown.
package main

import (
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"quell/app/engines"
)

// The usual size of a workbench, and a large one.
var usual, large = image.Pt(1600, 1000), image.Pt(3840, 2160)

func main() {
	if len(os.Args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: latency; it runs bin/quell and bin/quell-workbench of the folder")
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	dir, err := os.MkdirTemp("", "quell-latency-series-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	deep, mr := filepath.Join(dir, "deep.nii"), filepath.Join(dir, "mr.nii")
	for path, dims := range map[string]string{deep: "512,512,400", mr: "256,256,128"} {
		if out, err := exec.Command("bin/quell", "phantom", path, "--kind", "mr", "--snr", "25", "--dims", dims).CombinedOutput(); err != nil { //nolint:gosec // paths of ours
			return fmt.Errorf("bin/quell: %w\n%s", err, out)
		}
	}
	engine, err := engines.Pick("cpu")
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s, %d cores, load before %s.\n", time.Now().UTC().Format(time.DateOnly), engine.Info().Device, runtime.NumCPU(), load())
	for _, measure := range []func(deep, mr string) error{slides, wheels, rates} {
		if err := measure(deep, mr); err != nil {
			return err
		}
	}
	fmt.Printf("\nLoad after %s.\n", load())
	return nil
}

// slides prints how long the slider takes.
func slides(_, mr string) error {
	fmt.Print("\n| slider to denoised picture | first change, ms: median (range) | last |\n| --- | --- | --- |\n")
	const clicks = 10
	for _, s := range []setting{{filter: "nlm", dims: 2}, {filter: "lpa", dims: 2}, {filter: "sadct", dims: 2}, {filter: "nlm", dims: 3, path: mr}} {
		s.column = true
		b, err := start(usual, s)
		if err != nil {
			return err
		}
		first, last, err := b.slide(clicks)
		if err := errors.Join(err, b.Close()); err != nil {
			return err
		}
		name := "bundled CT, 512 x 512"
		if s.path != "" {
			name = "MR phantom, 256 x 256 x 128"
		}
		fmt.Printf("| %s: %s %d-D | %s | %s |\n", name, s.filter, s.dims, spread(first), spread(last))
	}
	return nil
}

// wheels prints how long a step of the wheel takes.
func wheels(deep, _ string) error {
	b, err := start(usual, setting{filter: "nlm", dims: 3, path: deep, column: true})
	if err != nil {
		return err
	}
	const blocks = 3
	on, off, err := b.wheels(blocks)
	if err := errors.Join(err, b.Close()); err != nil {
		return err
	}
	fmt.Print("\n| one step of the wheel to original | preview on, ms: median (range) | off | ratio |\n| --- | --- | --- | --- |\n")
	fmt.Printf("| 512 x 512 x 400, nlm 3-D, %d steps each | %s | %s | %.2f |\n", len(on), spread(on), spread(off), quantile(on, 0.5)/quantile(off, 0.5))
	return nil
}

// rates prints how many pictures are shown in a second while the wheel turns, and how much processor time one takes.
func rates(deep, _ string) error {
	fmt.Print("\n| wheel, 50 notches a second, preview on | pictures a second, three runs | between two, ms: median (95 %) |",
		" processor time of one, ms: OpenGL in software, toolkit, all |\n| --- | --- | --- | --- |\n")
	const runs, seconds = 3, 3
	for _, size := range []image.Point{usual, large} {
		b, err := start(size, setting{filter: "nlm", dims: 3, path: deep})
		if err != nil {
			return err
		}
		var figures []string
		var between []float64
		var used usage
		for range runs {
			rate, gaps, per, one := b.pictures(seconds)
			err = errors.Join(err, one)
			used = per
			figures, between = append(figures, fmt.Sprintf("%.1f", rate)), append(between, gaps...)
			err = errors.Join(err, b.do("key Home"))
		}
		if err := errors.Join(err, b.Close()); err != nil {
			return err
		}
		fmt.Printf("| %d x %d | %s | %.0f (%.0f) | %.0f, %.0f, %.0f |\n", size.X, size.Y, strings.Join(figures, ", "),
			quantile(between, 0.5), quantile(between, 0.95), used.opengl, used.ui, used.all)
	}
	return nil
}

// spread writes the median and the range of some numbers.
func spread(all []float64) string {
	return fmt.Sprintf("%.0f (%.0f to %.0f)", quantile(all, 0.5), slices.Min(all), slices.Max(all))
}

// quantile returns the number below which a share of all lies; 0 for none.
func quantile(all []float64, share float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// load returns how many processes were runnable on average in the last minute.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(b))[0]
}
