package noise_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/assets"
	"quell/denoise/noise"
	"quell/internal/shareddata"
	"quell/io/dicom"
	"quell/io/nifti"
	"quell/phantom"
	"quell/volume"
)

// full says whether the whole table is wanted: many seeds, all anatomies and every
// kind of data, which takes minutes. Without it a few rows are checked.
//
//	QUELL_NOISE_TABLE=1 go test -v -run Table ./denoise/noise
func full() bool { return os.Getenv("QUELL_NOISE_TABLE") == "1" }

// seeds returns the seeds of the table; the estimator was chosen on others.
func seeds() []uint64 {
	if full() {
		return []uint64{1001, 1002, 1003, 1004, 1005}
	}
	return []uint64{1001}
}

// series reads one series of the shared data: a NIfTI file, or series i of a folder
// of DICOM files.
func series(t *testing.T, name string, i int) *volume.Volume {
	t.Helper()
	path := shareddata.Path(t, name)
	if strings.Contains(name, ".nii") {
		s, err := nifti.Open.Read(t.Context(), os.DirFS(filepath.Dir(path)), filepath.Base(path), 0, "")
		if err != nil {
			t.Fatal(err)
		}
		return s.Volume
	}
	c, err := dicom.Scan(t.Context(), os.DirFS(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	if i < 0 {
		i = c.Default
	}
	s, err := c.Load(t.Context(), i, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Volume
}

// bundled returns the CT slices that are part of the program.
func bundled(t *testing.T) *volume.Volume {
	t.Helper()
	c, err := dicom.Scan(t.Context(), assets.Series, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Load(t.Context(), c.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Volume
}

func scaled(v *volume.Volume, c float32) *volume.Volume {
	out := v.Clone()
	for i := range out.Data {
		out.Data[i] *= c
	}
	return out
}

// slab returns the slices z0 <= z < z1.
func slab(v *volume.Volume, z0, z1 int) *volume.Volume {
	g := v.Geometry
	g.Dims[2] = z1 - z0
	out := volume.New(g)
	out.Unit = v.Unit
	copy(out.Data, v.Data[z0*v.SliceVoxels():z1*v.SliceVoxels()])
	return out
}

// worst collects the largest error of every row of the table.
type worst struct {
	names []string
	rows  map[string]*row
}

type row struct {
	off, allowed float64 // relative errors
	n            int
	confidence   map[noise.Confidence]int
}

func (w *worst) add(name string, e noise.Figure, sigma, allowed float64) {
	if w.rows == nil {
		w.rows = map[string]*row{}
	}
	r := w.rows[name]
	if r == nil {
		r = &row{allowed: allowed, confidence: map[noise.Confidence]int{}}
		w.rows[name], w.names = r, append(w.names, name)
	}
	off := e.Sigma/sigma - 1
	if math.Abs(off) > math.Abs(r.off) {
		r.off = off
	}
	r.n++
	r.confidence[e.Confidence]++
}

// report prints the table and fails if a row is beyond what is allowed.
func (w *worst) report(t *testing.T) {
	t.Helper()
	for _, name := range w.names {
		r := w.rows[name]
		var said []string
		for _, c := range []noise.Confidence{noise.High, noise.Fair, noise.Low, noise.None} {
			if n := r.confidence[c]; n > 0 {
				said = append(said, fmt.Sprintf("%d %s", n, c))
			}
		}
		text := fmt.Sprintf("%-44s worst of %d: %+.1f %% (allowed %.0f %%), confidence %s", name, r.n, 100*r.off, 100*r.allowed, strings.Join(said, ", "))
		t.Log(text)
		if !(math.Abs(r.off) <= r.allowed) {
			t.Error(text)
		}
	}
}

// White noise on the T1 template.
func TestTableTemplate(t *testing.T) {
	var w worst
	truth := template(t)
	sigmas := []float64{1, 3, 30}
	if full() {
		sigmas = []float64{1, 3, 5, 10, 20, 30}
	}
	for _, model := range noise.Models() {
		for _, sigma := range sigmas {
			for _, seed := range seeds() {
				allowed := 0.05
				if sigma == 1 {
					allowed = 0.4
				}
				e := estimate(t, noisy(t, truth, model, sigma, seed))
				name := fmt.Sprintf("T1 template, %s, sigma %g", model, sigma)
				w.add(name, e.Figure, sigma, allowed)
				if e.Model != model || !e.ModelKnown {
					t.Errorf("%s: detected %s (known: %v)", name, e.Model, e.ModelKnown)
				}
				if sigma < 3 {
					continue
				}
				for _, f := range e.PerSlice[3:] {
					w.add("  its slices, "+string(model), f, sigma, 0.2)
				}
			}
		}
	}
	w.report(t)
}

// White noise on other anatomies, phantoms of other sizes, few slices and odd
// spacings.
func TestTableWhite(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	var w worst
	type object struct {
		name   string
		v      *volume.Volume
		sigmas []float64
		allow  float64
	}
	mr := exact(t, "mr")
	objects := []object{
		{"MR phantom", mr, []float64{1}, 0.1},
		{"MR phantom", mr, []float64{3, 30}, 0.05},
		{"steps", exact(t, "steps"), []float64{1}, 0.1},
	}
	build := func(kind string, dims [3]int, spacing [3]float64) *volume.Volume {
		p, err := phantom.New(kind, phantom.Size{Dims: dims, Spacing: spacing})
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if full() {
		objects = append(objects,
			object{"MR phantom, 256 x 256 x 20 of 0.8 x 0.8 x 5 mm", build("mr", [3]int{256, 256, 20}, [3]float64{0.8, 0.8, 5}), []float64{3, 10, 30}, 0.05},
			object{"MR phantom, 128 x 128 x 9 of 1.7 x 1.7 x 4 mm", build("mr", [3]int{128, 128, 9}, [3]float64{1.7, 1.7, 4}), []float64{10, 30}, 0.15},
			object{"MR phantom, one slice of 0.8 mm", build("mr", [3]int{256, 256, 1}, [3]float64{0.8, 0.8, 1}), []float64{10, 30}, 0.2},
			object{"MR phantom, one slice of 1 mm", slab(mr, 24, 25), []float64{10, 30}, 0.2},
			object{"MR phantom, 80 x 96 x 12 of 2.2 mm", build("mr", [3]int{80, 96, 12}, [3]float64{2.2, 2.2, 2.2}), []float64{10, 30}, 0.2},
			object{"steps, 64 x 64 x 40", build("steps", [3]int{64, 64, 40}, [3]float64{1, 1, 1}), []float64{1, 5, 10}, 0.1},
			object{"FLAIR, skull-stripped", series(t, "nifti/niivue/FLAIR.nii.gz", -1), []float64{10, 30}, 0.05},
			object{"T1 of a man (chris_t1)", series(t, "nifti/niivue/chris_t1.nii.gz", -1), []float64{10, 30}, 0.05},
			object{"mean of 152 T1", series(t, "nifti/niivue/avg152T1_RL_nifti.nii.gz", -1), []float64{3, 10, 30}, 0.05},
			object{"3-D MPRAGE 170 slices, of 2803", slab(series(t, "mr/philips-t1-170", -1), 60, 110), []float64{100, 300}, 0.05},
		)
	}
	for _, o := range objects {
		for _, model := range noise.Models() {
			for _, sigma := range o.sigmas {
				for _, seed := range seeds() {
					e := estimate(t, noisy(t, o.v, model, sigma, seed))
					w.add(fmt.Sprintf("%s, %s, sigma %g", o.name, model, sigma), e.Figure, sigma, o.allow)
				}
			}
		}
	}
	w.report(t)
}

// What has no noise reads below 0.5 % of its range.
func TestTableClean(t *testing.T) {
	clean := map[string]*volume.Volume{"MR phantom": exact(t, "mr"), "steps": exact(t, "steps"), "T1 template": template(t)}
	if full() {
		clean["mean of 152 T1"] = series(t, "nifti/niivue/avg152T1_RL_nifti.nii.gz", -1)
		clean["MNI template"] = series(t, "template/mni152-2009-t1-1mm.nii.gz", -1)
		clean["constant"] = volume.New(volume.NewGeometry([3]int{64, 64, 20}, [3]float64{1, 1, 1}))
	}
	for name, v := range clean {
		e := estimate(t, v)
		lo, hi, err := v.Range(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		share := e.Sigma / math.Max(float64(hi-lo), 1e-30)
		t.Logf("%-20s %.2f %% of its range, %s", name, 100*share, e.Confidence)
		if share > 0.005 || !e.Negligible {
			t.Errorf("%s: sigma %.3f is %.2f %% of its range, negligible %v; want below 0.5 %%, true", name, e.Sigma, 100*share, e.Negligible)
		}
	}
}

// reconstruction is noise of the CT phantom in one kernel, with the truth.
type reconstruction struct {
	v, noise *volume.Volume // noise alone, HU
	sigma    float64        // its standard deviation in soft tissue
	inside   []bool         // the soft tissue
}

func reconstruct(t *testing.T, kernel string, size phantom.Size, photons float64, seed uint64) reconstruction {
	t.Helper()
	p, err := phantom.New("ct", size)
	if err != nil {
		t.Fatal(err)
	}
	views := 360
	if !full() {
		views = 90 // streaks do not matter to what the noise is
	}
	scan := phantom.Scan{Views: views, Recon: phantom.Recon{Method: "fbp", Kernel: kernel}}
	clean, err := p.Image(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	scan.Photons, scan.Seed = photons, seed
	r := reconstruction{inside: make([]bool, len(clean.Data))}
	if r.v, err = p.Image(t.Context(), scan); err != nil {
		t.Fatal(err)
	}
	r.noise = r.v.Clone()
	sum, n := 0.0, 0.0
	for i, x := range clean.Data {
		r.noise.Data[i] -= x
		if x > 20 && x < 60 {
			r.inside[i] = true
			sum, n = sum+float64(r.noise.Data[i])*float64(r.noise.Data[i]), n+1
		}
	}
	r.sigma = math.Sqrt(sum / n)
	return r
}

// rho returns the correlation of the noise in the tissue at an offset.
func (r reconstruction) rho(dx, dy int) float64 {
	var both, alone float64
	v := r.noise
	for z := range v.Dims[2] {
		for y := max(-dy, 0); y < v.Dims[1]-max(dy, 0); y++ {
			for x := max(-dx, 0); x < v.Dims[0]-max(dx, 0); x++ {
				i, j := v.Index(x, y, z), v.Index(x+dx, y+dy, z)
				if r.inside[i] && r.inside[j] {
					a, b := float64(v.Data[i]), float64(v.Data[j])
					both += a * b
					alone += (a*a + b*b) / 2
				}
			}
		}
	}
	return both / alone
}

// Correlated noise of known colour in the CT phantom; TestSigmaOfCorrelatedNoise is
// the short form.
func TestTableColour(t *testing.T) {
	if !full() {
		t.Skip("part of the full table: set QUELL_NOISE_TABLE=1")
	}
	var w worst
	sizes := map[string]phantom.Size{
		"256 x 256 of 1 mm":   {Dims: [3]int{256, 256, 2}, Spacing: [3]float64{1, 1, 2.5}},
		"400 x 400 of 0.6 mm": {Dims: [3]int{400, 400, 2}, Spacing: [3]float64{0.6, 0.6, 2.5}},
	}
	photons := []float64{3e4, 2e5, 2e6}
	for name, size := range sizes {
		for _, kernel := range []string{"sharp", "soft"} {
			for _, n := range photons {
				for _, seed := range seeds()[:2] {
					r := reconstruct(t, kernel, size, n, seed)
					e := estimate(t, r.v)
					w.add(fmt.Sprintf("CT phantom %s, %s, %g photons", name, kernel, n), e.Figure, r.sigma, 0.1)
					if e.Correlation == nil {
						t.Fatalf("%s, %s: no correlation", name, kernel)
					}
					off := 0.0
					for dy := 0; dy <= noise.MaxLag; dy++ {
						for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
							off = math.Max(off, math.Abs(e.Correlation.Rho(dx, dy, 0)-r.rho(dx, dy)))
						}
					}
					t.Logf("%s, %s, %g photons (sigma %.1f): rho(1,0) %.3f, true %.3f, largest error %.3f", name, kernel, n, r.sigma, e.Correlation.Rho(1, 0, 0), r.rho(1, 0), off)
					if off > 0.05 {
						t.Errorf("%s, %s, %g photons: rho is off by %.3f; allowed 0.05", name, kernel, n, off)
					}
				}
			}
		}
	}
	w.report(t)
}

// Noise of filtered projections on slices of a real CT.
func TestTableColourOnSlices(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	var w worst
	volumes := map[string]*volume.Volume{"bundled CT": slab(bundled(t), 3, 5)}
	if full() {
		volumes["bundled CT"] = bundled(t)
		volumes["CT of 5 mm"] = slab(series(t, "ct/philips-head-study", 1), 0, 12)
	}
	for name, v := range volumes {
		own := estimate(t, v)
		sigmas := []float64{10}
		if full() {
			sigmas = []float64{5, 10, 20}
		}
		t.Logf("%s as it is: sigma %.2f HU, rho %.2f", name, own.Sigma, own.Correlation.Rho(1, 0, 0))
		for _, kernel := range []string{"sharp", "soft"} {
			// Noise of its own for each of three slices: what slices two apart share is no noise.
			size := phantom.Size{Dims: [3]int{v.Dims[0], v.Dims[1], min(v.Dims[2], 3)}, Spacing: v.Spacing}
			r := reconstruct(t, kernel, size, 1e5, 1001)
			for _, sigma := range sigmas {
				out := v.Clone()
				for i := range out.Data {
					out.Data[i] += r.noise.Data[i%len(r.noise.Data)] * float32(sigma/r.sigma)
				}
				added := sigma * rms(r.noise, v) / r.sigma
				w.add(fmt.Sprintf("%s + %s noise of %g HU", name, kernel, sigma), estimate(t, out).Figure, math.Hypot(added, own.Sigma), 0.1)
			}
		}
	}
	w.report(t)
}

// rms returns the root mean square of slices of noise, again and again, over the soft tissue of a
// volume: the noise of a reconstruction is stronger in the middle of the field.
func rms(n, v *volume.Volume) float64 {
	sum, count := 0.0, 0.0
	for i, a := range v.Data {
		if a > 0 && a < 80 && v.Data[max(i-2, 0)] > 0 && v.Data[max(i-2, 0)] < 80 {
			b := float64(n.Data[i%len(n.Data)])
			sum, count = sum+b*b, count+1
		}
	}
	return math.Sqrt(sum / count)
}

// evenDiscs returns the standard deviation of even soft tissue in a slice, measured
// apart from the package: discs of 10 mm with a mean of soft tissue and no pixel 45 HU
// from it, a quadratic surface removed; the lower quartile over the discs of the
// slice, as those on anatomy read more. n is the number of discs.
func evenDiscs(v *volume.Volume, z int) (sd float64, n int) {
	const diameter = 10.0
	r := diameter / 2 / v.Spacing[0]
	reach := int(r)
	var sds []float64
	step := max(int(3/v.Spacing[0]), 1)
	plane := v.Plane(z)
	for cy := reach; cy < v.Dims[1]-reach; cy += step {
	discs:
		for cx := reach; cx < v.Dims[0]-reach; cx += step {
			var terms [][6]float64
			var values []float64
			sum := 0.0
			for y := -reach; y <= reach; y++ {
				for x := -reach; x <= reach; x++ {
					fx, fy := float64(x)/r, float64(y)/r
					if fx*fx+fy*fy > 1 {
						continue
					}
					a := float64(plane[(cy+y)*v.Dims[0]+cx+x])
					if a < -75 || a > 175 {
						continue discs
					}
					terms = append(terms, [6]float64{1, fx, fy, fx * fx, fx * fy, fy * fy})
					values = append(values, a)
					sum += a
				}
			}
			mean := sum / float64(len(values))
			if mean > -30 && mean < 130 && slices.Min(values) > mean-45 && slices.Max(values) < mean+45 {
				sds = append(sds, residualSD(terms, values))
			}
		}
	}
	if len(sds) < 20 {
		return 0, len(sds)
	}
	slices.Sort(sds)
	return sds[len(sds)/4], len(sds)
}

// residualSD returns the standard deviation after a least-squares fit.
func residualSD(terms [][6]float64, values []float64) float64 {
	var a [6][7]float64
	for k, t := range terms {
		for i := range 6 {
			for j := range 6 {
				a[i][j] += t[i] * t[j]
			}
			a[i][6] += t[i] * values[k]
		}
	}
	for i := range 6 {
		for j := range 6 {
			if j == i {
				continue
			}
			f := a[j][i] / a[i][i]
			for k := i; k < 7; k++ {
				a[j][k] -= f * a[i][k]
			}
		}
	}
	rest := 0.0
	for k, t := range terms {
		d := values[k]
		for i := range 6 {
			d -= a[i][6] / a[i][i] * t[i]
		}
		rest += d * d
	}
	return math.Sqrt(rest / float64(len(values)-6))
}

// Real CT, slice by slice.
func TestTableSlicesOfCT(t *testing.T) {
	cases := map[string]*volume.Volume{"bundled": bundled(t)}
	if full() {
		cases["tilted, thick"] = series(t, "ct/ge-head-tilted", -1)
		cases["5 mm"] = series(t, "ct/philips-head-study", 1)
	}
	for _, name := range slices.SortedFunc(keys(cases), cmp.Compare[string]) {
		v := cases[name]
		e := estimate(t, v)
		t.Logf("%s: sigma %.2f HU (%s)", name, e.Sigma, e.Confidence)
		for z, f := range e.PerSlice {
			sd, n := evenDiscs(v, z)
			if n < 20 {
				t.Logf("%s, slice %d: %.2f HU (%s), %d discs", name, z, f.Sigma, f.Confidence, n)
				continue
			}
			t.Logf("%s, slice %d: %.2f HU (%s), discs %.2f (%d): %+.0f %%", name, z, f.Sigma, f.Confidence, sd, n, 100*(f.Sigma/sd-1))
			if (f.Confidence == noise.High || f.Confidence == noise.Fair) && math.Abs(f.Sigma/sd-1) > 0.2 {
				t.Errorf("%s, slice %d: %.2f HU, in even discs %.2f", name, z, f.Sigma, sd)
			}
		}
	}
}

func keys[K comparable, V any](m map[K]V) func(yield func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// smoothed returns noise of standard deviation 1 that a Gaussian of s voxels went
// over, or for s = 0 white noise.
func smoothed(t *testing.T, g volume.Geometry, s float64, seed uint64) *volume.Volume {
	v := noisy(t, volume.New(g), noise.Gaussian, 1, seed)
	if s == 0 {
		return v
	}
	var kernel [7]float64
	for k := range kernel {
		kernel[k] = math.Exp(-0.5 * float64((k-3)*(k-3)) / (s * s))
	}
	strides := [3]int{1, g.Dims[0], g.Dims[0] * g.Dims[1]}
	for c := range 3 {
		out := make([]float32, len(v.Data))
		for i := range out {
			at := i / strides[c] % g.Dims[c]
			sum := 0.0
			for k, w := range kernel {
				j := (at + k - 3 + g.Dims[c]) % g.Dims[c]
				sum += w * float64(v.Data[i+(j-at)*strides[c]])
			}
			out[i] = float32(sum)
		}
		v.Data = out
	}
	squares := 0.0
	for _, a := range v.Data {
		squares += float64(a) * float64(a)
	}
	return scaled(v, float32(1/math.Sqrt(squares/float64(len(v.Data)))))
}

// Noise of MR that was smoothed or interpolated is found to be correlated and read
// rightly, or what is said about it is that it cannot be.
func TestTableSmoothed(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	objects := map[string]*volume.Volume{"MR phantom": exact(t, "mr")}
	if full() {
		objects["T1 template"] = template(t)
	}
	var w worst
	for name, clean := range objects {
		strengths := []float64{0.6}
		if full() {
			strengths = []float64{0.4, 0.6, 0.8, 1.2}
		}
		for _, s := range strengths {
			n := smoothed(t, clean.Geometry, s, 1001)
			for _, sigma := range []float64{3, 10} {
				v := clean.Clone()
				for i := range v.Data {
					v.Data[i] += float32(sigma) * n.Data[i]
				}
				e := estimate(t, v)
				row := fmt.Sprintf("%s, smoothed by %g voxels, sigma %g", name, s, sigma)
				if e.Confidence != noise.Low {
					w.add(row, e.Figure, sigma, 0.2)
					m, _, err := noise.Map(t.Context(), v)
					if err != nil {
						t.Fatal(err)
					}
					var inside []float64
					for i, x := range clean.Data {
						if x > 60 {
							inside = append(inside, float64(m.Data[i]))
						}
					}
					w.add("  the median of its map", noise.Figure{Sigma: medianOf(inside), Confidence: noise.Fair}, sigma, 0.25)
					continue
				}
				t.Logf("%-44s reads %.2f, low: %s", row, e.Sigma, e.Why)
				if e.Negligible && s < 1 && sigma == 10 {
					t.Errorf("%s: said to be negligible", row)
				}
			}
		}
	}
	w.report(t)
}

// Real MR: the volumes of a 4-D series are repeats. What one of them reads is within 20 % of what they show, or
// unknown, and then at most no less than that.
func TestTableRepeats(t *testing.T) {
	if !full() {
		t.Skip("part of the full table: set QUELL_NOISE_TABLE=1")
	}
	for _, name := range []string{
		"mr/siemens-mosaic", "mr/siemens-enhanced-xa10", "mr/philips-slope", "mr/ge-temporal",
		"nifti/niivue/pcasl.nii.gz", "nifti/nibabel/example4d.nii.gz", "nifti/nibabel/functional.nii",
	} {
		volumes := repeats(t, name)
		var s noise.Sequence
		for _, v := range volumes {
			if err := s.Add(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		}
		of, found := s.Repeats()
		if !found {
			t.Logf("%s: no repeats", name)
			continue
		}
		for k, v := range volumes {
			e := estimate(t, v)
			most, _, unknown := e.Unknown()
			t.Logf("%-30s volume %2d: sigma %.3g (%s), at most %.3g; of repeats %.3g (%s); %s", name, k+1, e.Sigma, e.Confidence, most, of.Sigma, of.Confidence, e.Why)
			switch {
			case unknown && most > 0 && most < of.Sigma:
				t.Errorf("%s, volume %d: at most %.3g, of repeats %.3g", name, k+1, most, of.Sigma)
			case !unknown && math.Abs(e.Sigma/of.Sigma-1) > 0.2:
				t.Errorf("%s, volume %d: sigma %.3g (%s), of repeats %.3g", name, k+1, e.Sigma, e.Confidence, of.Sigma)
			}
		}
	}
}

// repeats returns the volumes of a 4-D series of the shared data.
func repeats(t *testing.T, name string) (volumes []*volume.Volume) {
	t.Helper()
	path := shareddata.Path(t, name)
	if strings.Contains(name, ".nii") {
		for {
			s, err := nifti.Open.Read(t.Context(), os.DirFS(filepath.Dir(path)), filepath.Base(path), len(volumes), "")
			if err != nil {
				return volumes
			}
			volumes = append(volumes, s.Volume)
		}
	}
	c, err := dicom.Scan(t.Context(), os.DirFS(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := c.Load(t.Context(), len(volumes), nil)
		if err != nil {
			return volumes
		}
		volumes = append(volumes, s.Volume)
	}
}

// Weak noise on fine anatomy is unknown: anatomy is part of all that differences read. On an object with even parts it is
// an upper bound, and right.
func TestWeakNoiseOnAnatomy(t *testing.T) {
	const sigma, span = 3, 400
	plates := mrPhantom(t, [3]int{96, 112, 30}, [3]float64{2, 2, 2})
	_, hi, err := plates.Range(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plates = scaled(plates, span/hi)
	// Anatomy hardly coarser than a voxel, of a strength that changes from place to place.
	fine := smoothed(t, volume.NewGeometry([3]int{64, 64, 36}, [3]float64{3, 3, 3}), 0.5, 11)
	for i := range fine.Data {
		x, y := i%64, i/64%64
		fine.Data[i] = span*float32(i)/float32(len(fine.Data)) + fine.Data[i]*float32(4+40*math.Abs(math.Sin(float64(x)/20)*math.Sin(float64(y)/20)))
	}
	for name, c := range map[string]struct {
		v       *volume.Volume
		unknown bool
	}{"even parts": {plates, false}, "anatomy everywhere": {fine, true}} {
		e := estimate(t, noisy(t, c.v, noise.Gaussian, sigma, 5))
		most, _, unknown := e.Unknown()
		if unknown != c.unknown || unknown && most < sigma || !unknown && math.Abs(e.Sigma/sigma-1) > 0.1 {
			t.Errorf("%s: %+v", name, e.Figure)
		}
		for z, f := range e.PerSlice {
			if _, _, is := f.Unknown(); is != unknown && f.Confidence != noise.None {
				t.Errorf("%s: slice %d: %+v", name, z, f)
				break
			}
		}
	}
}

// The model is known if a background shows it, and unknown if there is none.
func TestTableModel(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	masked := func(v *volume.Volume) *volume.Volume {
		clean := exact(t, "mr")
		out := v.Clone()
		for i := range out.Data {
			if clean.Data[i] < 30 {
				out.Data[i] = 0
			}
		}
		return out
	}
	mr := exact(t, "mr")
	for _, sigma := range []float64{1, 3, 10, 30} {
		for _, model := range noise.Models() {
			v := noisy(t, mr, model, sigma, 1001)
			if e := estimate(t, v); e.Model != model || !e.ModelKnown {
				t.Errorf("%s, sigma %g: detected %s (known: %v)", model, sigma, e.Model, e.ModelKnown)
			}
			if e := estimate(t, masked(v)); e.ModelKnown {
				t.Errorf("%s, sigma %g, background set to 0: claims to know the model %s", model, sigma, e.Model)
			}
		}
	}
	if !full() {
		return
	}
	// Real data: FLAIR and chris_t1 are masked, the others hold ghosts, averages or
	// noise that a scanner processed; none is to be taken for Gaussian.
	for _, name := range []string{"nifti/niivue/FLAIR.nii.gz", "nifti/niivue/chris_t1.nii.gz", "nifti/niivue/avg152T1_RL_nifti.nii.gz", "mr/philips-t1-170", "mr/philips-pcasl-enhanced", "mr/siemens-12bit", "mr/siemens-mosaic", "mr/ge-temporal"} {
		e := estimate(t, series(t, name, -1))
		t.Logf("%-40s %s, known %v", name, e.Model, e.ModelKnown)
		if e.Model == noise.Gaussian && e.ModelKnown {
			t.Errorf("%s: magnitudes are said to hold Gaussian noise", name)
		}
	}
}

// A threefold ramp of sigma is mapped within 10 %.
func TestTableMap(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	cases := map[string]*volume.Volume{"MR phantom": exact(t, "mr")}
	sigmas := []float64{8}
	if full() {
		cases["T1 template"] = template(t)
		sigmas = []float64{6, 20}
	}
	check := func(name string, clean, unit *volume.Volume, sigma float64, axis int, counts func(x float32) bool) {
		v := clean.Clone()
		truth := make([]float64, len(v.Data))
		for i := range v.Data {
			at := [3]int{i % v.Dims[0], i / v.Dims[0] % v.Dims[1], i / v.SliceVoxels()}[axis]
			truth[i] = sigma * (0.5 + float64(at)/float64(v.Dims[axis]-1))
			v.Data[i] += float32(truth[i]) * unit.Data[i]
		}
		m, e, err := noise.Map(t.Context(), v)
		if err != nil || m == nil {
			t.Fatalf("%s: %v, %+v", name, err, e.Figure)
		}
		var off []float64
		for i, s := range truth {
			if counts(clean.Data[i]) {
				off = append(off, math.Abs(float64(m.Data[i])/s-1))
			}
		}
		median := medianOf(off)
		t.Logf("%s, ramp %g to %g along %c: median error %.1f %%", name, sigma/2, 1.5*sigma, "xyz"[axis], 100*median)
		if median > 0.1 {
			t.Errorf("%s along %c: median error %.1f %%, allowed 10 %%", name, "xyz"[axis], 100*median)
		}
	}
	for name, clean := range cases {
		for axis := range 3 {
			for _, sigma := range sigmas {
				check(name, clean, smoothed(t, clean.Geometry, 0, 1001), sigma, axis, func(x float32) bool { return x > 20 })
			}
		}
	}
	if full() {
		r := reconstruct(t, "soft", phantom.Size{Dims: [3]int{400, 400, 4}, Spacing: [3]float64{0.6, 0.6, 2.5}}, 2e5, 1001)
		clean, unit := r.v.Clone(), scaled(r.noise, float32(1/r.sigma))
		for i := range clean.Data {
			clean.Data[i] -= r.noise.Data[i]
		}
		for axis := range 2 {
			check("CT phantom", clean, unit, 10, axis, func(x float32) bool { return x > 20 && x < 60 })
		}
	}
}

// Whole numbers, other units and padding.
func TestTableStorage(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	var w worst
	v := noisy(t, exact(t, "mr"), noise.Gaussian, 10, 1001)
	for _, c := range []float32{1e-9, 1e-3, 1e3, 1e9} {
		f := estimate(t, scaled(v, c)).Figure
		f.Sigma /= float64(c)
		w.add("times 1e-9 to 1e9", f, 10, 0.05)
	}
	// Rounding adds a variance of 1/12.
	for _, sigma := range []float64{0.5, 1, 5} {
		r := noisy(t, exact(t, "mr"), noise.Gaussian, sigma, 1001)
		for i, a := range r.Data {
			r.Data[i] = float32(math.Round(float64(a)))
		}
		w.add(fmt.Sprintf("whole numbers, sigma %g", sigma), estimate(t, r).Figure, math.Sqrt(sigma*sigma+1.0/12), 0.1)
	}
	r := v.Clone()
	r.Mask = make([]bool, len(r.Data))
	for i := range r.Mask {
		x, y := i%r.Dims[0]-r.Dims[0]/2, i/r.Dims[0]%r.Dims[1]-r.Dims[1]/2
		if r.Mask[i] = x*x+y*y < 80*80; !r.Mask[i] {
			r.Data[i] = -2000
		}
	}
	w.add("padding around a cylinder", estimate(t, r).Figure, 10, 0.05)
	w.report(t)
}

func mrPhantom(t *testing.T, dims [3]int, spacing [3]float64) *volume.Volume {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: dims, Spacing: spacing})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}
