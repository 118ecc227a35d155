//go:build cuda

package main

import (
	"errors"
	"fmt"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/kernels"
	"quell/volume"
)

// program is a bound recipe.
type program struct {
	denoise.Program
	geometry volume.Geometry
	halos    map[string][3]int // of kernels.Halos
	rung     kernels.Rung      // zero: the kernels that ship
	shapes   kernels.Shapes
}

// bind binds a recipe and checks that there are kernels for it.
func (w *worker) bind(q wire.Request) *wire.Fault {
	b := q.Binding
	if b == nil || q.Program == 0 || w.programs[q.Program] != nil {
		return broken("program %d cannot be bound", q.Program)
	}
	rung := kernels.Rung{Name: b.Rung, Block: b.Block}
	p, err := b.Program()
	if err == nil {
		err = rung.Check(p)
	}
	if err != nil {
		return &wire.Fault{Kind: wire.Unsupported, Text: err.Error()}
	}
	w.programs[q.Program] = &program{Program: p, geometry: volume.NewGeometry(b.Dims, b.Spacing), halos: kernels.Halos(p), rung: rung, shapes: b.Shapes}
	w.reply(wire.Reply{ID: q.ID})
	return nil
}

// run queues the passes of a program on a region, behind every copy to the device
// queued so far.
func (w *worker) run(q wire.Request) *wire.Fault {
	l, f := w.lane(q.Lane)
	if f != nil {
		return f
	}
	p := w.programs[q.Program]
	if p == nil || q.Run == nil {
		return broken("there is no program %d, or there are no arguments for it", q.Program)
	}
	launches, f := w.launches(p, q.Run)
	if f != nil {
		return f
	}
	start, err := w.events.take()
	if err == nil {
		err = l.compute.after(w.up)
	}
	for i := 0; i < len(launches) && err == nil; i++ {
		err = l.prepare(launches[i]) // outside the time on the GPU, as other copies are
	}
	if err == nil {
		err = start.Record(l.compute.stream)
	}
	for i := 0; i < len(launches) && err == nil; i++ {
		err = l.launch(launches[i])
	}
	if err != nil {
		return fault(fmt.Sprintf("the %s kernel does not start", p.Recipe.Filter), err)
	}
	return w.finish(l.compute, q.ID, &start)
}

// launches returns the launches of all passes. It checks that the run's buffers contain
// all that the kernels access: a bad address is a sticky error.
func (w *worker) launches(p *program, j *wire.RunArgs) ([]kernels.Launch, *wire.Fault) {
	if err := j.Region.Validate(p.geometry); err != nil {
		return nil, broken("%v", err)
	}
	known := map[string]kernels.Buffer{}
	for name, s := range j.Inputs {
		b, f := w.slices(p, name, s)
		if f != nil {
			return nil, f
		}
		known[name] = b
	}
	var launches []kernels.Launch
	beside, f := w.beside(p, j)
	if f != nil {
		return nil, f
	}
	scratch := int64(0) // bytes in use
	for _, pass := range p.Passes {
		part := kernels.Part{
			Dims: p.geometry.Dims, Region: j.Region.Grow(p.halos[pass.Output], p.geometry),
			Voxels: known[denoise.Voxels], Mask: known[wire.Mask], Shapes: p.shapes, Scratch: beside, Shared: w.maxShared,
		}
		for _, name := range pass.Inputs {
			b, ok := known[name]
			if !ok {
				return nil, broken("there is no %s for pass %s", name, pass.Name)
			}
			part.Inputs = append(part.Inputs, b)
		}
		buffer, at, n := j.Out, j.At, int64(part.Region.Voxels())
		if pass.Output != denoise.Result {
			buffer, at = j.Scratch, scratch/4
			scratch += wire.ScratchBytes(n)
		}
		out, f := w.span(buffer, at, n, 4)
		if f != nil {
			return nil, f
		}
		part.Out = uint64(out)
		ls, err := p.rung.Launches(p.Program, pass, part)
		if errors.Is(err, denoise.ErrUnsupported) {
			return nil, &wire.Fault{Kind: wire.Unsupported, Text: err.Error()}
		} else if err != nil {
			return nil, broken("%v", err)
		}
		launches = append(launches, ls...)
		known[pass.Output] = kernels.Buffer{Address: part.Out, Box: part.Region}
	}
	return launches, nil
}

// beside returns the address of the memory that the kernels of a run use beside their
// results: it follows the intermediate results. It is 0 if they use none.
func (w *worker) beside(p *program, j *wire.RunArgs) (uint64, *wire.Fault) {
	need := p.rung.Scratch(p.Program, p.geometry.Dims, j.Region.Dims())
	if need == 0 {
		return 0, nil
	}
	var voxels []int64
	for _, pass := range p.Passes {
		if pass.Output != denoise.Result {
			voxels = append(voxels, int64(j.Region.Grow(p.halos[pass.Output], p.geometry).Voxels()))
		}
	}
	at, f := w.span(j.Scratch, wire.ScratchBytes(voxels...)/4, (need+3)/4, 4)
	return uint64(at), f
}

// slices returns the buffer of an input.
func (w *worker) slices(p *program, name string, s wire.Slices) (kernels.Buffer, *wire.Fault) {
	dims := p.geometry.Dims
	if s.First < 0 || s.Count < 1 || s.First+s.Count > dims[2] {
		return kernels.Buffer{}, broken("slices %d to %d do not fit dims %v", s.First, s.First+s.Count, dims)
	}
	size := int64(4)
	if name == wire.Mask {
		size = 1
	}
	box := volume.Slices(p.geometry, s.First, s.First+s.Count)
	at, f := w.span(s.Buffer, 0, int64(box.Voxels()), size)
	return kernels.Buffer{Address: uint64(at), Box: box}, f
}
