// Command trust makes the pictures of docs/TRUST.md, docs/benchmarks/quality.md and of the filters in
// docs/FILTERS.md from phantoms and the bundled series, with Quell's own filters and
// estimates:
//
//	go run ./tools/trust docs/images
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"quell/app/open"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/phantom"
	"quell/report"
	"quell/report/chart"
	"quell/volume"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 2 {
		return fmt.Errorf("give the folder for the pictures")
	}
	for name, draw := range map[string]func(context.Context, string) error{
		"trust-map.png": rampMap, "trust-residual.png": residuals, "trust-sure.png": sureCurve,
	} {
		if err := draw(ctx, filepath.Join(os.Args[1], name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return filters(ctx, os.Args[1])
}

// head returns the MR phantom on a small grid.
func head(ctx context.Context) (*volume.Volume, error) {
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{192, 224, 24}, Spacing: [3]float64{1, 1, 1}})
	if err != nil {
		return nil, err
	}
	return p.Voxels(ctx)
}

// rampMap shows a slice with noise that grows threefold from left to right, its true
// sigma and the map.
func rampMap(ctx context.Context, path string) error {
	clean, err := head(ctx)
	if err != nil {
		return err
	}
	unit, err := noise.AddNoise(ctx, volume.New(clean.Geometry), noise.Gaussian, 1, 1)
	if err != nil {
		return err
	}
	noisy, truth := clean.Clone(), volume.New(clean.Geometry)
	for i := range noisy.Data {
		truth.Data[i] = 8 * (0.5 + float32(i%clean.Dims[0])/float32(clean.Dims[0]-1))
		noisy.Data[i] += truth.Data[i] * unit.Data[i]
	}
	sigma, e, err := noise.Map(ctx, noisy)
	if err != nil {
		return err
	}
	if sigma == nil {
		return fmt.Errorf("no map: %s", e.Why)
	}
	c := newCanvas(3, 1, clean.Dims[0], clean.Dims[1])
	c.slice(0, 0, noisy, 12, 0, 255)
	c.slice(1, 0, truth, 12, 0, 15)
	c.slice(2, 0, sigma, 12, 0, 15)
	return c.write(path)
}

// residuals shows what three strengths of nlm remove from the bundled CT.
func residuals(ctx context.Context, path string) error {
	s, err := open.Bundled(ctx)
	if err != nil {
		return err
	}
	v := s.Volume
	e, err := noise.Of(ctx, v)
	if err != nil {
		return err
	}
	x0, y0, side := v.Dims[0]/2-120, v.Dims[1]/2-140, 240
	z := v.Dims[2] / 2
	c := newCanvas(3, 2, side, side)
	for k, h := range []float64{0.5, 1.5, 6} {
		r, err := denoise.NewRecipe("nlm", 2)
		if err != nil {
			return err
		}
		r, err = r.With("h", denoise.Number(h*e.Sigma)).ResolveFor(ctx, denoise.Input{Volume: v})
		if err != nil {
			return err
		}
		region := v.Bounds()
		region.Min[2], region.Max[2] = z, z+1
		after, err := cpu.New().Run(ctx, r, denoise.Input{Volume: v}, region, nil)
		if err != nil {
			return err
		}
		result, rest := volume.New(after.Geometry), volume.New(after.Geometry)
		for i, a := range after.Data {
			result.Data[i], rest.Data[i] = a, v.Data[z*v.SliceVoxels()+i]-a
		}
		c.part(k, 0, result, 0, x0, y0, 0, 80)
		c.part(k, 1, rest, 0, x0, y0, -15, 15)
	}
	return c.write(path)
}

// sureCurve shows the estimated and the true error of nlm over its strength.
func sureCurve(ctx context.Context, path string) error {
	clean, err := head(ctx)
	if err != nil {
		return err
	}
	noisy, err := noise.AddNoise(ctx, clean, noise.Gaussian, 10, 1)
	if err != nil {
		return err
	}
	e, err := noise.Of(ctx, noisy)
	if err != nil {
		return err
	}
	use, err := noise.Foreground(ctx, noisy)
	if err != nil {
		return err
	}
	in := denoise.Input{Volume: noisy}
	r, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		return err
	}
	found, err := tune.Search(ctx, cpu.New(), in, r, e, tune.Options{})
	if err != nil {
		return err
	}
	estimated, actual := chart.Curve{Name: "estimated (sure)", Series: 1, Width: 1, Mark: 2.5}, chart.Curve{Name: "true", Width: 1, Mark: 2.5}
	for _, p := range found.Points {
		if p.Strength > 4 {
			continue
		}
		one, err := r.With(found.Param, p.Value).ResolveFor(ctx, in)
		if err != nil {
			return err
		}
		after, err := cpu.New().Run(ctx, one, in, noisy.Bounds(), nil)
		if err != nil {
			return err
		}
		sum, n := 0.0, 0.0
		for i, a := range after.Data {
			if use(i) {
				d := float64(a) - float64(clean.Data[i])
				sum, n = sum+d*d, n+1
			}
		}
		estimated.Points = append(estimated.Points, chart.Point{X: p.Strength, Y: p.MSE})
		actual.Points = append(actual.Points, chart.Point{X: p.Strength, Y: sum / n / (e.Sigma * e.Sigma)})
	}
	m, _, _, err := chart.Draw(chart.Light, 576, 336, 96, chart.Chart{
		X: chart.Axis{Label: "h in sigmas"}, Y: chart.Axis{Label: "mean squared error / sigma²", Zero: true}, Curves: []chart.Curve{actual, estimated},
	})
	if err != nil {
		return err
	}
	file, err := report.PNG(m, "")
	if err != nil {
		return err
	}
	return os.WriteFile(path, file, 0o666)
}
