// Package output makes the outputs of a job: series with their records, removed noise, scales,
// pictures and reports, each a sink of package executor; and sends series to other machines.
package output

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// Sinks returns the sinks of the outputs that a job asks for, in the order in which they finish: its
// verdict, the result, and products of it.
func Sinks(j job.Job, src *executor.Source, plan executor.MemoryPlan, events job.Events) (all []executor.Sink) {
	if j.Measure {
		all = append(all, &executor.Judge{Compare: true, AtATime: plan.Judged, Group: src.Group})
	}
	out := j.Output
	if out.Path == "" {
		return all
	}
	progress := events.Count(job.Writing)
	if src.Group != nil {
		progress = nil // the volumes are counted
	}
	all = append(all, &seriesSink{
		out: out.Path, options: out.Options, src: src, progress: progress, of: exportAs(out.Options), record: recordFor, attached: attachedTo(out),
		check: func(first *executor.Made) error { return executor.GateOf(j, files.SourcesOf(first.Source)...).Check() },
		report: func(r *executor.Outcome, w job.Written) {
			r.Output, r.Files, r.Clipped, r.Record, r.Written = w.Output, w.Files, w.Clipped, w.Recipe, w
		},
	})
	for _, p := range executor.Products() {
		if path := out.Beside[p.Name]; path != "" {
			all = append(all, p.Sink(executor.Beside{Path: path, Job: j, Source: src, Progress: progress}))
		}
	}
	return all
}

// save writes values on the grid of a series as files are derived from it.
func save(ctx context.Context, s *series.Series, values *volume.Volume, derived format.Derived, out string, o job.Options, events job.Events) (job.Written, error) {
	src := executor.InMemory(s)
	written := job.Written{}
	sink := &seriesSink{
		out: out, options: o, src: &src, progress: events.Count(job.Writing),
		of: func(*executor.Slab) (export, error) {
			return export{series: s, result: values, first: true, complete: true, derived: derived}, nil
		},
		report: func(_ *executor.Outcome, w job.Written) { written = w },
	}
	defer sink.Abort()
	made := &executor.Made{Source: s, Region: s.Volume.Bounds(), Result: values}
	if err := sink.Begin(ctx, made); err != nil {
		return written, err
	}
	if err := sink.Slab(ctx, &executor.Slab{Whole: made, Part: made, First: true, Last: true, Outcome: &executor.VolumeOutcome{}}); err != nil {
		return written, err
	}
	return written, sink.Finish(ctx, &executor.Outcome{})
}

// sliceOf returns the run on one slice of what it filtered, counted from its first, with copies of the
// voxels: slabs do not stay.
func sliceOf(r *run.Run, k int) *run.Run {
	one := *r
	region := r.Region
	region.Min[2] += k
	region.Max[2] = region.Min[2] + 1
	one.Source = run.Section(r.Source, region)
	source := *one.Source
	source.Volume = source.Volume.Clone()
	one.Source, one.Region, one.Result = &source, source.Volume.Bounds(), judge.PlanesOf(r.Result, k, k+1).Clone()
	if r.Maps.Noise != nil {
		one.Maps.Noise = r.Maps.Noise.Crop(region)
	}
	if n := r.Source.Volume.SliceVoxels(); r.Maps.Mask != nil {
		one.Maps.Mask = slices.Clone(r.Maps.Mask[region.Min[2]*n : region.Max[2]*n])
	}
	return &one
}

// ShownIn returns the run to draw pictures of, if the slab holds their slice: the whole run, or one on
// that slice alone; else nil.
func ShownIn(s *executor.Slab) *run.Run {
	if s.First && s.Last {
		return s.Part.Run
	}
	whole := s.Whole.Source.Volume.Geometry.Crop(s.Whole.Region)
	header := &volume.Volume{Geometry: whole}
	view := header.View(header.Acquired())
	z := view.Region(view.Size[2] / 2).Min[2] + s.Whole.Region.Min[2]
	if z < s.From || z >= s.From+s.Part.Region.Dims()[2] {
		return nil
	}
	return sliceOf(s.Part.Run, z-s.From)
}

// picturesSink draws the middle slice of every volume.
type picturesSink struct {
	dir       string
	overwrite bool
	src       *executor.Source
	inputs    []string
	drawn     []pictures // of the volumes
}

// pictures are the files of a volume, and the folder that they belong to.
type pictures struct {
	dir   string
	files [][]byte
}

// Begin refuses folders with pictures that are not Quell's.
func (w *picturesSink) Begin(_ context.Context, first *executor.Made) error {
	w.inputs = files.SourcesOf(first.Source)
	gate := files.Gate{Inputs: w.inputs, Overwrite: w.overwrite}
	for k := range w.src.Len() {
		gate.Outputs = append(gate.Outputs, files.Target{Option: "--pictures", Path: w.folder(k), Kind: files.PicturesOutput})
	}
	return gate.Check()
}

// folder returns the folder in which the pictures of volume k belong.
func (w *picturesSink) folder(k int) string {
	if w.src.Group == nil {
		return w.dir
	}
	return filepath.Join(w.dir, w.src.Group.FolderName(k))
}

// Slab draws the slice if the slab has it.
func (w *picturesSink) Slab(ctx context.Context, s *executor.Slab) error {
	run := ShownIn(s)
	if run == nil {
		return nil
	}
	drawn, err := Draw(ctx, run)
	if err != nil {
		return err
	}
	files, err := drawn.encode()
	w.drawn = append(w.drawn, pictures{w.folder(s.Volume), files})
	return err
}

// Finish writes the pictures.
func (w *picturesSink) Finish(context.Context, *executor.Outcome) error {
	for _, p := range w.drawn {
		if err := writePictures(p.dir, p.files, w.overwrite, w.inputs...); err != nil {
			return err
		}
	}
	return nil
}

// Abort forgets the pictures.
func (w *picturesSink) Abort() { w.drawn = nil }

// reportSink writes the report: on the volume, or on the one of a 4-D series that is judged worst, with
// the verdicts on all.
type reportSink struct {
	path string
	out  job.Output
	src  *executor.Source
	run  *run.Run // that is shown
	page *Page
}

// Begin refuses to replace a file that is no report.
func (w *reportSink) Begin(_ context.Context, first *executor.Made) error {
	return files.Check(files.ReportOutput, w.path, w.out.Overwrite, first.Source)
}

// Slab keeps what the report shows.
func (w *reportSink) Slab(_ context.Context, s *executor.Slab) error {
	if run := ShownIn(s); run != nil {
		w.run = run
	}
	if !s.Last {
		return nil
	}
	m := s.Outcome.Measures
	if w.page == nil || m != nil && m.Worse(w.page.Measures.Assessment) {
		w.page = &Page{Run: w.run, Measures: m, Hide: w.out.Deidentify, Now: w.out.Now}
		if s.Part != s.Whole { // of slabs
			w.page.Of = new(*s.Whole.Run)
			w.page.Of.Filter = time.Duration(s.Outcome.Seconds.Filter * float64(time.Second))
		}
		if g := w.src.Group; g != nil {
			w.page.Place = g.Places[s.Volume].String()
		}
	}
	return nil
}

// Finish writes the report.
func (w *reportSink) Finish(ctx context.Context, _ *executor.Outcome) error {
	return w.page.Write(ctx, w.path, w.out.Overwrite)
}

// Abort forgets the report.
func (w *reportSink) Abort() { w.run, w.page = nil, nil }
