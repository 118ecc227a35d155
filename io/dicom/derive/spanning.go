package derive

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
)

// waiting is a file with a source that has frames of several volumes: its frames come with
// these.
type waiting struct {
	sources      []series.Source // in the order in which they came
	descriptions []string        // of the derivation of each
	recipes      [][]byte        // of the volumes
	extremes     extremes
	precision    int // see pixel.Format.Precision
}

// waits returns the known parts of the k-th file if frames of its source belong to other volumes of
// the series, or may; nil for a file that is complete.
func (s *Series) waits(k int, m *image) *waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.waiting[k]
	if w == nil && s.begun < s.Volumes && len(m.slices) < m.inFile {
		w = new(waiting)
		s.waiting[k] = w
	}
	return w
}

// add takes the frames of a volume.
func (w *waiting) add(s *Series, m *image, sources []series.Source) {
	w.sources, w.recipes = append(w.sources, sources...), append(w.recipes, s.Recipe)
	for range sources {
		w.descriptions = append(w.descriptions, s.Description)
	}
	w.extremes.add(m.extremes)
	w.precision = max(w.precision, m.format.Precision(m.pixels))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Clipped += m.clipped
}

// Waiting returns the numbers of the files that are not made yet.
func (s *Series) Waiting() []int {
	var out []int
	for k := range s.waiting {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Output is the destination of a file.
type Output interface {
	io.Writer
	io.WriterAt
}

// Finish writes the k-th file, for which the volumes that were made had frames, all being made.
// frame returns the pixels of the i-th of them, in the order in which File returned them; they
// are changed, and used until its next call. One frame at a time is in memory, besides the
// source.
func (s *Series) Finish(k int, frame func(i int) ([]byte, error), b *Buffers, out Output) error {
	w := s.waiting[k]
	order := make([]int, len(w.sources))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(w.sources[a].Frame, w.sources[b].Frame) })
	sources, descriptions := make([]series.Source, len(order)), map[int]string{}
	for i, at := range order {
		sources[i] = w.sources[at]
		descriptions[sources[i].Frame] = w.descriptions[at]
	}
	m, err := s.image(k, sources, b)
	if err != nil {
		return err
	}
	if err := m.keep(len(sources)); err != nil {
		return err
	}
	d := s.Derived
	d.Recipe, d.Description = joinRecipes(w.recipes), strings.Join(slices.Compact(slices.Clone(w.descriptions)), "; ")
	m.Derived, m.descriptions, m.extremes = &d, descriptions, w.extremes
	s.identify(m, k, sources)
	next := func(i int) ([]byte, error) { return frame(order[i]) }
	if m.compressible() {
		err = m.finishCompressed(next, w.precision, out)
	} else {
		err = m.finish(next, out)
	}
	s.note(m)
	return err
}

// finish writes the file with its frames as they are.
func (s *image) finish(frame func(i int) ([]byte, error), out Output) error {
	edits, err := s.edits()
	if err != nil {
		return err
	}
	vr, n := s.File.Elements[s.File.PixelIndex].VR, s.format.Bytes()*int64(len(s.slices))
	head := part10.AppendElementHeader(s.appendHead(s.buffers.file[:0], edits), s.Encoding, part10.TagPixelData, vr, uint32(n+n%2))
	if _, err := out.Write(head); err != nil {
		return err
	}
	for i := range s.slices {
		pixels, err := frame(i)
		if err != nil {
			return err
		}
		part10.LittleEndian(pixels, s.Encoding, vr, s.format.Allocated)
		if _, err := out.Write(pixels); err != nil {
			return err
		}
	}
	_, err = out.Write(s.appendTail(make([]byte, n%2), edits))
	return err
}

// finishCompressed writes the file with its frames compressed. The offset table follows when
// their lengths are known.
func (s *image) finishCompressed(frame func(i int) ([]byte, error), precision int, out Output) error {
	edits, err := s.edits()
	if err != nil {
		return err
	}
	head := s.appendHead(s.buffers.file[:0], edits)
	at, lengths := int64(len(head)), make([]int, len(s.slices))
	if _, err := out.Write(pixel.AppendOffsetTable(head, lengths)); err != nil {
		return err
	}
	for i, h := range s.slices {
		pixels, err := frame(i)
		if err != nil {
			return err
		}
		stream := s.Compress.EncodeFrame(pixels, h.ImageFormat(), precision)
		lengths[i] = len(stream)
		if _, err := out.Write(part10.AppendItem(nil, part10.ExplicitLE, stream)); err != nil {
			return err
		}
	}
	if _, err := s.encapsulated(lengths); err != nil {
		return err
	}
	if _, err := out.Write(s.appendTail(pixel.AppendPixelsEnd(nil), edits)); err != nil {
		return err
	}
	_, err = out.WriteAt(pixel.AppendOffsetTable(nil, lengths), at)
	return err
}
