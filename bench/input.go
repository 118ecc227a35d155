package bench

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/phantom"
	"quell/volume"
)

// Input is the volume that a row filters.
type Input struct {
	Kind   Kind
	Dims   [3]int
	Model  noise.Model // of the noise that is added; "" for none
	Sigma  float64     // of it
	Slices int         // in a quick run, at most; 0: all
	Fixed  bool        // always a phantom of these dims, on which the figures depend
	Views  int         // of a Scan; 0: 90
	SNR    float64     // of the projections of a Scan; 0: 25

	Passes int // of the reconstruction of a Scan; 0: 5

	// Regularise is the filter and the setting that filter a Scan after every pass of its
	// reconstruction but the last, as "nlm h=60"; "" for none.
	Regularise string
}

// Kind is a sort of data.
type Kind string

// The kinds of inputs. A volume that the user names replaces MR, Slice and CT; Scan and
// Steps are always phantoms.
const (
	// MR is a head of T1 contrast with values of 0 to 255: the MR phantom.
	MR Kind = "mr"
	// Slice is the middle slice of MR, padded with zeros.
	Slice Kind = "slice"
	// CT is the CT phantom in HU.
	CT Kind = "ct"
	// Scan is a slice of the CT phantom, reconstructed from 90 noisy views.
	Scan Kind = "scan"
	// Abdomen is the CT phantom of an abdomen, with the streaks of bone and few views.
	Abdomen Kind = "abdomen"
	// Steps is a phantom of flat plates of rising value with discs in them.
	Steps Kind = "steps"
)

// grey is the range of MR and Slice.
const grey = 255

// The scan of Zheng, section IV: 90 parallel projections, SNR 25, iterative
// reconstruction; passes and relaxation of it the paper does not give.
var zhengScan = phantom.Scan{Views: 90, SNR: 25, Seed: seed, Recon: phantom.Recon{Method: "sart", Iterations: 5, Relaxation: 0.3}}

// seed of all noise.
const seed = 1

// fieldOfView of a scan in mm: the head phantom is 224 mm long.
const fieldOfView = 256

// softTissue is the window of pictures of CT phantoms, in HU: the range of their values
// is the range of bone and air, which hides noise and low contrast.
var softTissue = volume.Window{Center: 40, Width: 400}

// sample is an input as it was made.
type sample struct {
	truth *volume.Volume // nil if it is not known
	noisy *volume.Volume
	peak  float64 // MAX of PSNR
	text  string  // what it is, for the report
	key   string  // equal for equal voxels

	references map[string]*volume.Volume // by recipe and box

	phantom bool          // it is not the user's volume
	window  volume.Window // of pictures; zero for the range of its values
}

// inputs makes images and keeps small ones.
type inputs struct {
	path   string         // the user's volume; "" for none
	given  *volume.Volume // its voxels
	hash   string         // of its voxels
	quick  bool
	images map[Input]*sample
}

// kept is the largest image, in voxels, that is kept for the experiments to follow.
const kept = 1 << 24

// openInputs loads the user's volume, if there is one.
func openInputs(ctx context.Context, path string, quick bool, events job.Events) (*inputs, error) {
	in := &inputs{path: path, quick: quick, images: map[Input]*sample{}}
	if path == "" {
		return in, nil
	}
	opened, err := open.Open(ctx, job.Input{Path: path}, events)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	if mm := opened.Irregular; mm > 0 {
		return nil, &job.InputError{Path: path, Problem: message.New(message.SlicesUneven, "its slices lie up to %.1f mm off a regular grid", mm), Advice: message.Text("give a volume with even spacing")}
	}
	in.given, in.hash = opened.Volume, hashOf(opened.Volume)
	return in, nil
}

// hashOf returns a hash of dims, voxels and mask.
func hashOf(v *volume.Volume) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, []int64{int64(v.Dims[0]), int64(v.Dims[1]), int64(v.Dims[2])})
	for z := range v.Dims[2] {
		_ = binary.Write(h, binary.LittleEndian, v.Plane(z)) // a hash takes everything
		_ = binary.Write(h, binary.LittleEndian, v.PlaneMask(z))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// key returns the key of an image without making it.
func (in *inputs) key(q Input) string {
	source := "phantom"
	if in.replaces(q) {
		source = in.hash
	}
	return fmt.Sprintf("%s %s %v %s %g seed %d views %d snr %g passes %d regularised by %q", source, q.Kind, in.dims(q), q.Model, q.Sigma, seed, q.Views, q.SNR, q.Passes, q.Regularise)
}

func (in *inputs) replaces(q Input) bool {
	return in.given != nil && !q.Fixed && q.Kind != Scan && q.Kind != Steps && q.Kind != Abdomen
}

// dims returns the size of an image.
func (in *inputs) dims(q Input) [3]int {
	d := q.Dims
	if in.replaces(q) && q.Kind != Slice {
		d = in.given.Dims
	}
	if in.quick && q.Slices > 0 {
		d[2] = min(d[2], q.Slices)
	}
	return d
}

// get returns the image of an input.
func (in *inputs) get(ctx context.Context, q Input) (*sample, error) {
	if m, ok := in.images[q]; ok {
		return m, nil
	}
	// One large image at a time.
	for other, m := range in.images {
		if m.noisy.Voxels() > kept {
			delete(in.images, other)
		}
	}
	m, err := in.make(ctx, q)
	if err != nil {
		return nil, err
	}
	m.key, m.phantom = in.key(q), !in.replaces(q)
	in.images[q] = m
	return m, nil
}

func (in *inputs) make(ctx context.Context, q Input) (*sample, error) {
	switch q.Kind {
	case Scan:
		return scan(ctx, q)
	case CT:
		return in.makeCT(ctx, q)
	case Steps:
		return in.makeSteps(ctx, q)
	case Abdomen:
		return in.makeAbdomen(ctx, q)
	}
	dims := in.dims(q)
	m := &sample{peak: grey}
	if in.replaces(q) {
		if q.Kind == Slice {
			cut := middle(in.given, dims[2])
			dims[2] = cut.Dims[2]
			from := (in.given.Dims[2] - dims[2]) / 2
			m.truth = padded(cut, dims)
			m.text = fmt.Sprintf("slices %d to %d of %s, cropped or padded with zeros to %s", from+1, from+dims[2], in.path, size(dims))
			if dims[2] == 1 {
				m.text = fmt.Sprintf("slice %d of %s, cropped or padded with zeros to %s", from+1, in.path, size(dims))
			}
		} else {
			m.truth = middle(in.given, dims[2])
			m.text = fmt.Sprintf("%s, %s", in.path, size(dims))
		}
		m.truth = toGrey(m.truth, in.given)
		m.text += ", scaled to 0..255"
	} else {
		clean, err := phantomVoxels(ctx, "mr", q, dims)
		if err != nil {
			return nil, err
		}
		m.truth, m.text = clean, "MR phantom, "+size(dims)
		if q.Kind == Slice {
			m.truth, m.text = padded(clean, dims), fmt.Sprintf("middle slice of the MR phantom, padded with zeros to %s", size(dims))
			if dims[2] > 1 {
				m.text = fmt.Sprintf("middle slices of the MR phantom, padded with zeros to %s", size(dims))
			}
		}
	}
	return m, m.addNoise(ctx, q)
}

// phantomVoxels returns a phantom of the paper's size; a quick run takes its middle.
func phantomVoxels(ctx context.Context, kind string, q Input, dims [3]int) (*volume.Volume, error) {
	if q.Kind == Slice {
		dims = [3]int{181, 217, dims[2]} // of BrainWeb
	}
	p, err := phantom.New(kind, phantom.Size{Dims: dims, Spacing: [3]float64{1, 1, 1}})
	if err != nil {
		return nil, err
	}
	return p.Voxels(ctx)
}

func (m *sample) addNoise(ctx context.Context, q Input) (err error) {
	m.noisy = m.truth
	if q.Model == "" {
		return nil
	}
	m.noisy, err = noise.AddNoise(ctx, m.truth, q.Model, q.Sigma, seed)
	m.text += fmt.Sprintf(", %s noise of sigma %.4g", q.Model, q.Sigma)
	return err
}

// scan reconstructs the slice of Zheng; the truth is the phantom itself.
func scan(ctx context.Context, q Input) (*sample, error) {
	mm := fieldOfView / float64(q.Dims[0])
	p, err := phantom.New("ct", phantom.Size{Dims: q.Dims, Spacing: [3]float64{mm, mm, mm}})
	if err != nil {
		return nil, err
	}
	made := zhengScan
	if q.Views > 0 {
		made.Views = q.Views
	}
	if q.SNR > 0 {
		made.SNR = q.SNR
	}
	if q.Passes > 0 {
		made.Recon.Iterations = q.Passes
	}
	filtered := ""
	if q.Regularise != "" {
		if made.Recon.Regularise, err = regularise(q.Regularise, made.Recon.Iterations); err != nil {
			return nil, err
		}
		filtered = fmt.Sprintf(", %s after each but the last", q.Regularise)
	}
	m := &sample{text: fmt.Sprintf("CT phantom, %dx%d pixels of %g mm, %d views, projections with SNR %g of their mean over the whole detector, SART with %d passes%s, air outside the circle that all views see",
		q.Dims[0], q.Dims[1], mm, made.Views, made.SNR, made.Recon.Iterations, filtered)}
	if m.truth, err = p.Voxels(ctx); err != nil {
		return nil, err
	}
	if m.noisy, err = p.Image(ctx, made); err != nil {
		return nil, err
	}
	lo, hi, err := m.truth.Range(ctx)
	m.peak, m.window = float64(hi)-float64(lo), softTissue
	fillCorners(m.noisy, lo)
	return m, err
}

// regularise returns the filter after the passes of the reconstruction of a slice. The
// last pass has none: its filter is the row's. It is Quell's on the CPU, whatever the
// engine of the row, so that all engines filter the same image at last.
func regularise(recipe string, passes int) (func(context.Context, *volume.Volume) (*volume.Volume, error), error) {
	name, set, _ := strings.Cut(recipe, " ")
	f, err := denoise.FilterByName(name)
	if err != nil {
		return nil, err
	}
	r, err := f.Recipe(denoise.Case{Dims: 2, Set: set})
	if err != nil {
		return nil, err
	}
	done := 0
	return func(ctx context.Context, slice *volume.Volume) (*volume.Volume, error) {
		if done++; done == passes {
			return slice, nil
		}
		return cpu.New().Run(ctx, r, denoise.Input{Volume: slice}, slice.Bounds(), nil)
	}, nil
}

// fillCorners gives a slice the value of air outside the circle that its sides touch.
// Not every view sees a pixel there, so that its reconstructed value is no measurement.
func fillCorners(v *volume.Volume, air float32) {
	nx, ny := v.Dims[0], v.Dims[1]
	radius := float64(min(nx, ny)) / 2
	for y := range ny {
		for x := range nx {
			if math.Hypot(float64(x)+0.5-float64(nx)/2, float64(y)+0.5-float64(ny)/2) > radius {
				v.Data[v.Index(x, y, 0)] = air
			}
		}
	}
}

// makeCT returns the CT phantom with white noise, or the user's volume.
func (in *inputs) makeCT(ctx context.Context, q Input) (*sample, error) {
	dims := in.dims(q)
	if in.replaces(q) {
		return in.givenCT(ctx, middle(in.given, dims[2]))
	}
	mm := fieldOfView / float64(dims[0])
	p, err := phantom.New("ct", phantom.Size{Dims: dims, Spacing: [3]float64{mm, mm, mm}})
	if err != nil {
		return nil, err
	}
	m := &sample{text: "CT phantom, " + size(dims), window: softTissue}
	if m.truth, err = p.Voxels(ctx); err != nil {
		return nil, err
	}
	err = m.addNoise(ctx, q)
	m.truth = nil // no figure needs it
	return m, err
}

// abdomenScan gives the streaks of few views and the noise of a low dose, which bone and
// the patient's width make stronger along x.
var abdomenScan = phantom.Scan{Views: 180, Photons: 2e5, Seed: seed, Recon: phantom.Recon{Method: "fbp", Kernel: "soft"}}

// makeAbdomen returns a reconstructed abdomen, voxels of 0.75 mm.
func (in *inputs) makeAbdomen(ctx context.Context, q Input) (*sample, error) {
	dims := in.dims(q)
	const mm = 0.75
	p, err := phantom.New("abdomen", phantom.Size{Dims: dims, Spacing: [3]float64{mm, mm, mm}})
	if err != nil {
		return nil, err
	}
	m := &sample{text: fmt.Sprintf("abdomen phantom, %s of %g mm, %d views of %g photons a detector element, filtered backprojection", size(dims), mm, abdomenScan.Views, abdomenScan.Photons), window: softTissue}
	m.noisy, err = p.Image(ctx, abdomenScan)
	return m, err
}

// added is the noise, in parts of the range, for a volume that has none: Upadhya's, 10
// of 255.
const added = 10. / grey

// givenCT returns the user's volume as it is, or with noise if its own is
// negligible: the automatic strength would be about 0.
func (in *inputs) givenCT(ctx context.Context, v *volume.Volume) (*sample, error) {
	m := &sample{noisy: v, text: fmt.Sprintf("%s, %s, as it is", in.path, size(v.Dims))}
	found, err := noise.Of(ctx, v)
	if err != nil || !found.Negligible {
		return m, err
	}
	lo, hi, err := v.Range(ctx)
	if err != nil {
		return nil, err
	}
	sigma := added * (float64(hi) - float64(lo))
	m.text = fmt.Sprintf("%s, %s, whose noise is negligible, gaussian noise of sigma %.4g", in.path, size(v.Dims), sigma)
	m.noisy, err = noise.AddNoise(ctx, v, noise.Gaussian, sigma, seed)
	return m, err
}

// makeSteps returns the phantom of steps with noise.
func (in *inputs) makeSteps(ctx context.Context, q Input) (*sample, error) {
	truth, err := phantomVoxels(ctx, "steps", q, in.dims(q))
	if err != nil {
		return nil, err
	}
	lo, hi, err := truth.Range(ctx)
	if err != nil {
		return nil, err
	}
	m := &sample{truth: truth, peak: float64(hi) - float64(lo), text: "phantom of steps, " + size(truth.Dims)}
	return m, m.addNoise(ctx, q)
}

// middle returns the n middle slices.
func middle(v *volume.Volume, n int) *volume.Volume {
	if n >= v.Dims[2] {
		return v
	}
	from := (v.Dims[2] - n) / 2
	return v.Crop(volume.Slices(v.Geometry, from, from+n))
}

// padded returns slices cut or padded with zeros, around their middle, to dims, which has
// as many slices.
func padded(v *volume.Volume, dims [3]int) *volume.Volume {
	out := volume.New(volume.NewGeometry(dims, v.Spacing))
	dx, dy := (dims[0]-v.Dims[0])/2, (dims[1]-v.Dims[1])/2
	for z := range dims[2] {
		for y := range v.Dims[1] {
			for x := range v.Dims[0] {
				if i, j := x+dx, y+dy; i >= 0 && i < dims[0] && j >= 0 && j < dims[1] {
					out.Data[out.Index(i, j, z)] = v.At(x, y, z)
				}
			}
		}
	}
	return out
}

// brightest is the share of voxels that may lie above the range: those of the T1
// template that anchors Upadhya's figures do.
const brightest = 0.0005

// toGrey maps the values of v so that the smallest voxel of whole is 0 and all but
// the brightest lie within 0..255, which the others are cut to.
func toGrey(v, whole *volume.Volume) *volume.Volume {
	values := make([]float32, 0, len(whole.Data))
	for i, x := range whole.Data {
		if whole.Valid(i) {
			values = append(values, x)
		}
	}
	out := v.Clone()
	if len(values) == 0 {
		return out
	}
	slices.Sort(values)
	lo, hi := float64(values[0]), float64(values[len(values)-1-int(brightest*float64(len(values)))])
	if hi <= lo {
		hi = lo + 1
	}
	for i, x := range v.Data {
		out.Data[i] = float32(math.Min(math.Max((float64(x)-lo)*grey/(hi-lo), 0), grey))
	}
	return out
}

// size returns "181x217x51 voxels".
func size(d [3]int) string { return fmt.Sprintf("%dx%dx%d voxels", d[0], d[1], d[2]) }
