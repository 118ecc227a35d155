package lcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/filter/slab"
	"quell/denoise/lesions"
	"quell/measure"
	"quell/phantom"
	"quell/series"
	"quell/volume"
)

// SolidOptions say what is run in three dimensions: spheres, each as long as it is wide; a pair of spheres and a sphere with four
// spikes, each against a sphere of the same mass, which an observer must distinguish; and rods in a CT.
type SolidOptions struct {
	MR      bool
	Spacing float64  // of slices, mm
	Noise   float64  // SD in HU; 0: by the doses
	Across  float64  // width in slices of a Gaussian that blurs the noise of a CT across them: at 0.5 neighbours correlate by 0.26, at 1 by 0.78
	Volumes int      // of each kind and level
	Quick   bool     // the level of the least noise alone
	Filters []string // names; nil for all with a form in three dimensions
	Seed    uint64
	Engine  denoise.Engine
	// Progress receives the steps that are done; nil for none.
	Progress func(done, total int)
}

// Row is what one filter leaves: figures over those of the image as it is. Kept and Seen are in the order of Inserts.
type Row struct {
	Kernel   string               `json:"kernel,omitempty"`
	Level    float64              `json:"level"`
	SD       float64              `json:"noise_before"`
	Filter   string               `json:"filter"`
	Recipe   denoise.Recipe       `json:"recipe"`
	Problem  string               `json:"problem,omitempty"`  // why there are no figures
	Promised *lesions.Setting     `json:"promised,omitempty"` // by the dial; nil at full strength
	Noise    float64              `json:"noise"`
	Texture  float64              `json:"texture"`
	Bands    []float64            `json:"bands"` // power, see Solid.Edges
	Kept     []float64            `json:"kept"`
	Seen     map[string][]float64 `json:"seen"`          // d' of LG_CHO and NPW
	F50      []measure.Float      `json:"f50,omitempty"` // frequency of half the transfer function after over before, of Solid.Rods
}

// Solid is all rows.
type Solid struct {
	Object  string    `json:"object"`
	Unit    string    `json:"unit"`
	Spacing float64   `json:"spacing_mm"`
	Across  float64   `json:"noise_blurred_across_slices"`
	Inserts []string  `json:"inserts"`
	Rods    []float64 `json:"rods,omitempty"` // contrasts
	Edges   []float64 `json:"band_edges_per_pixel"`
	Volumes int       `json:"volumes"`
	Seed    uint64    `json:"seed"`
	Engine  string    `json:"engine"`
	Rows    []Row     `json:"rows"`
	Seconds float64   `json:"seconds"`
}

// bandEdges are in cycles per pixel: a region of 29 pixels resolves no lower band.
var bandEdges = []float64{0.02, 0.06, 0.1, 0.15, 0.25, 0.35, 0.5}

const (
	depth  = 24 // slices of a volume
	across = 4  // places along x and y
	apart  = 34 // pixels from one to the next
	kinds  = 2  // of what an observer tells from a sphere
	middle = 92 // of a rod, in pixels from the middle of the image
	radius = 8  // of a rod
)

// rods are contrasts in HU.
var rods = []float64{30, 100, 300}

// solid is one condition.
type solid struct {
	SolidOptions
	kernel string
	level  float64
	task   Task // whose Inserts are those of the places
	// Of the volumes as they are: noise alone, and f50 of the rods.
	before [][]float64
	f50    []float64
}

// RunSolid makes volumes, filters each with every filter in three dimensions where --strength visible stops, and slab at full
// strength too, and looks at the middle slices. The volumes with inserts have the noise of those without.
func RunSolid(ctx context.Context, o SolidOptions) (Solid, error) {
	started := time.Now()
	task, kernels := CT(), []string{"soft", "medium", "sharp"}
	r := Solid{Object: task.Object, Unit: task.Unit, Spacing: o.Spacing, Across: o.Across, Edges: bandEdges, Volumes: o.Volumes, Seed: o.Seed, Engine: o.Engine.Info().Name}
	task.Inserts = []Insert{{Contrast: 14, Diameter: 3}, {Contrast: 7, Diameter: 5}, {Contrast: 5, Diameter: 7}, {Contrast: 3, Diameter: 10}}
	if o.MR {
		task, kernels = MR(), []string{""}
		task.pixel = 0.8
		r.Object, r.Unit = task.Object, task.Unit
		task.Inserts = []Insert{{Contrast: 12, Diameter: 2}, {Contrast: 8, Diameter: 3}, {Contrast: 5, Diameter: 5}, {Contrast: 3, Diameter: 8}}
	}
	for _, i := range task.Inserts {
		r.Inserts = append(r.Inserts, fmt.Sprintf("%g of %g mm", i.Contrast, i.Diameter))
	}
	if r.Inserts = append(r.Inserts, "pair", "spikes"); !o.MR {
		r.Rods = rods
	}
	levels := task.Levels
	if o.Quick || o.Noise > 0 {
		levels = levels[:1]
	}
	done, filters := 0, o.filters()
	for _, kernel := range kernels {
		for _, level := range levels {
			rows, err := solid{SolidOptions: o, kernel: kernel, level: level, task: task}.rows(ctx, filters, func() {
				done++
				if o.Progress != nil {
					o.Progress(done, len(kernels)*len(levels)*(len(filters)+1))
				}
			})
			if err != nil {
				return r, err
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	r.Seconds = time.Since(started).Seconds()
	return r, nil
}

// solidFilter is a filter at a strength.
type solidFilter struct {
	name     string
	strength denoise.Value
}

// filters returns those that are run: slab alone too, which finds objects.
func (o SolidOptions) filters() (all []solidFilter) {
	for _, f := range denoise.Filters() {
		if !slices.Contains(f.Dims, 3) || o.Filters != nil && !slices.Contains(o.Filters, f.Name) {
			continue
		}
		if f.Name == slab.Filter.Name {
			all = append(all, solidFilter{f.Name, denoise.MixStrength.Default})
		}
		all = append(all, solidFilter{f.Name, denoise.Visible})
	}
	return all
}

// twins are volumes without and with inserts, one after the other.
type twins [][2]*volume.Volume

func (s solid) rows(ctx context.Context, filters []solidFilter, step func()) (rows []Row, err error) {
	all, err := s.images(ctx, s.Volumes+1) // the first one is for the dial
	if err != nil {
		return nil, err
	}
	step()
	dialled, all := all[0][1], all[1:]
	before := s.cut(all)
	s.before = s.ground(all)
	s.f50 = s.sharpness(all)
	for _, f := range filters {
		row := Row{Kernel: s.kernel, Level: s.level, Filter: f.name, SD: regions{{s.before}}.noise()}
		var refused *job.InputError
		if err := s.fill(ctx, &row, f, all, dialled, before); errors.As(err, &refused) {
			row.Problem = refused.Problem.String()
		} else if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		step()
	}
	return rows, nil
}

// fill filters the volumes with the recipe that --strength visible gives for a scan of its own, whose noise is not theirs.
func (s solid) fill(ctx context.Context, row *Row, f solidFilter, all twins, dialled *volume.Volume, before regions) error {
	r, err := denoise.NewRecipe(f.name, 3)
	if err != nil {
		return err
	}
	request := run.Request{Series: &series.Series{Volume: dialled}, Recipe: r.With(denoise.MixStrength.Name, f.strength)}
	r, tuned, err := request.Resolve(ctx, s.Engine, denoise.Input{Volume: dialled})
	if err != nil {
		return err
	}
	if tuned != nil {
		row.Promised = tuned.Dial
	}
	row.Recipe = r
	results := make(twins, len(all))
	for i, pair := range all {
		for k, v := range pair {
			if results[i][k], err = s.Engine.Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), nil); err != nil {
				return err
			}
		}
	}
	for i, f := range s.sharpness(results) {
		row.F50 = append(row.F50, measure.Float(f/s.f50[i]))
	}
	return s.look(ctx, row, before, s.cut(results), s.ground(results))
}

// place returns the column and the row of a place, and its kind: an insert, or after them the pair.
func (s solid) place(k int) (column, row, kind int) {
	at := func(i int) int { return pixels/2 + (2*i-across+1)*apart/2 }
	return at(k % across), at(k / across), k % (len(s.task.Inserts) + kinds)
}

// cut returns the regions of all places in the middle slices.
func (s solid) cut(all twins) regions {
	out := make(regions, len(s.task.Inserts)+kinds)
	for _, pair := range all {
		for k, v := range pair {
			middle := v.Crop(volume.Slices(v.Geometry, depth/2, depth/2+1))
			for p := range across * across {
				column, row, kind := s.place(p)
				out[kind][k] = append(out[kind][k], cut(middle, column, row)...)
			}
		}
	}
	return out
}

// shapes are the inserts and, with them, the rods. Instead of a sphere with spikes, and of a pair of spheres side by side, one of
// their mass is there without.
func (s solid) shapes(with bool) (all []phantom.Shape) {
	at := func(i int) float64 { return (float64(i) - float64(pixels-1)/2) * s.task.pixel }
	z := s.Spacing / 2 // of slice depth/2
	add := func(x, y, value, halfX, halfY, halfZ float64) {
		all = append(all, phantom.Shape{Centre: [3]float64{x, y, z}, Half: [3]float64{halfX, halfY, halfZ}, Value: value})
	}
	for p := range across * across {
		column, row, kind := s.place(p)
		x, y := at(column), at(row)
		i := s.task.Inserts[1]
		value, r := 2*i.Contrast, i.Diameter/2
		switch told := kind - len(s.task.Inserts); {
		case told < 0 && with:
			i = s.task.Inserts[kind]
			r = i.Diameter / 2
			add(x, y, i.Contrast, r, r, r)
		case told < 0:
		case !with:
			add(x, y, value, r, r, r)
		case told == 0:
			r /= math.Cbrt(2)
			add(x-1.2*r, y, value, r, r, r)
			add(x+1.2*r, y, value, r, r, r)
		default:
			add(x, y, value, 0.8*r, 0.8*r, 0.8*r)
			add(x, y, value, 1.6*r, 0.39*r, 0.39*r)
			add(x, y, value, 0.39*r, 1.6*r, 0.39*r)
		}
	}
	for i, contrast := range rods {
		if x, y := rod(i); with && !s.MR {
			all = append(all, cylinderOf(at(x), at(y), radius*s.task.pixel, radius*s.task.pixel, contrast))
		}
	}
	return all
}

// WriteMarkdown prints a table for every kernel and level.
func (r Solid) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Spheres in %s, %s %s; slices of %g mm, noise blurred across %g; %d volumes, seed %d, engine %s; bands from %s cycles a pixel.\n", r.Object, strings.Join(r.Inserts, ", "), r.Unit, r.Spacing, r.Across, r.Volumes, r.Seed, r.Engine, list(r.Edges))
	last := ""
	for _, row := range r.Rows {
		if title := strings.TrimSpace(fmt.Sprintf("%s %g", row.Kernel, row.Level)); title != last {
			fmt.Fprintf(&b, "\n### %s, noise %.3g\n\n| filter | strength | noise left | possible | mean frequency | bands | kept | d' LG-CHO | d' NPW | f50 |\n| --- | ---: | ---: | ---: | ---: | --- | --- | --- | --- | --- |\n", title, row.SD)
			last = title
		}
		if row.Problem != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", row.Filter, row.Problem)
			continue
		}
		possible := "–"
		if row.Promised != nil {
			possible = fmt.Sprintf("%.2f", row.Promised.Possible)
		}
		fmt.Fprintf(&b, "| %s | %s | %.2f | %s | %.2f | %s | %s | %s | %s | %s |\n", row.Filter, row.Recipe.Get(denoise.MixStrength.Name), row.Noise, possible, row.Texture, list(row.Bands), list(row.Kept), list(row.Seen["LG_CHO"]), list(row.Seen["NPW"]), list(row.F50))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
