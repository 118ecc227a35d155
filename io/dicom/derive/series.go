package derive

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"sync"

	"quell/internal/message"
	"quell/io/dicom/deid"
	"quell/io/dicom/part10"
	"quell/series"
)

// Series makes the files of a derived series, volume after volume. File may be called from
// several goroutines, but not along with Next.
type Series struct {
	Derived  // of the volume that is made
	src      *series.Series
	result   *Voxels
	sum      []byte // hash of result
	studyUID string // for sources without one
	// UID is stated by the files that are made. It is final when the last volume was begun;
	// until then it is one of the same length for all, because UIDs follow from all voxels.
	UID      string
	encoding string // transfer syntax of the first file
	names    deid.Pseudonyms
	begun    int    // volumes
	voxels   int    // of a slice
	keys     []byte // of the sources of those
	sums     []byte // the hashes of their voxels
	recipes  [][]byte

	mu       sync.Mutex // guards the fields below
	waiting  map[int]*waiting
	Clipped  int64
	plain    int                        // files that could not be compressed
	replaced map[part10.Tag]bool        // sequences that could not be extended
	identity map[string]message.Message // warnings about what de-identification leaves
}

// New prepares the derived series of src; its voxels are not needed unless the series has no UID: read
// reads them again if they are not there. It reads the first source file for the transfer syntax. If d
// says that the series has several volumes, src is the first. Errors: from ctx and of reading.
func New(ctx context.Context, src *series.Series, d Derived, read func() (series.Slices, error)) (*Series, error) {
	studyUID, err := studyOf(ctx, src, read)
	if err != nil {
		return nil, err
	}
	s := &Series{Derived: d, studyUID: studyUID, encoding: d.seriesSyntax(ctx, src), names: deid.Pseudonyms{Secret: d.Secret},
		waiting: map[int]*waiting{}, replaced: map[part10.Tag]bool{}, identity: map[string]message.Message{}}
	if d.Deidentify {
		s.studyUID = string(s.names.UID([]byte(s.studyUID)))
	}
	return s, nil
}

// Next prepares the next volume, on the grid of src, when all of its voxels are there: the UIDs follow from
// them, so that the same sources, recipes and voxels give the same series. Padding, which keeps the bits of the
// source, is the padding of src if it has voxels, else of result. The files of the volume before are made.
func (s *Series) Next(src *series.Series, result *Voxels, d Derived) {
	s.Derived, s.src, s.result, s.sum, s.voxels = d, src, result, result.sum.Sum(nil), result.Grid().SliceVoxels()
	if d.Deidentify {
		s.Now = deid.DummyTime
	}
	s.begun++
	s.keys, s.sums, s.recipes = append(s.keys, sourceKey(src.Sources)...), append(s.sums, s.sum...), append(s.recipes, d.Recipe)
	switch {
	case s.begun >= s.Volumes:
		s.UID = s.seriesUID("series", []byte(src.UID), s.keys, joinRecipes(s.recipes), s.sums)
	case s.begun == 1:
		s.UID = s.seriesUID("unfinished series", s.keys)
	}
}

// seriesUID returns the UID of these parts and of the encoding.
func (s *Series) seriesUID(kind string, parts ...[]byte) string {
	own := func(uid string) string {
		if s.Deidentify {
			return string(s.names.UID([]byte(uid)))
		}
		return uid
	}
	parts = encodingParts(s.encoding, append([][]byte{[]byte(kind)}, parts...)...)
	if s.Volumes < 2 {
		return own(part10.HashUID(parts...))
	}
	// The first file may be the only one that cannot be compressed.
	return uidOfLength(append(parts, []byte(s.Compress.SyntaxUID())), own)
}

// joinRecipes returns the recipe of all volumes if it is one, else the list of theirs.
func joinRecipes(recipes [][]byte) []byte {
	if !slices.ContainsFunc(recipes, func(r []byte) bool { return !bytes.Equal(r, recipes[0]) }) {
		return recipes[0]
	}
	return slices.Concat([]byte("["), bytes.Join(recipes, []byte(",")), []byte("]"))
}

// Release drops the voxels of the volume once its files are made.
func (s *Series) Release() { s.src, s.result = nil, nil }

// Buffers are the memory of one file in the making, to be used again for the next. Their
// zero value is ready.
type Buffers struct{ source, pixels, file []byte }

// File returns the k-th file of the series, of the slices at of the volume, and the pixels of
// each of them, little endian, in b: until its next use. The file is nil if its source has
// frames of volumes to come: the caller keeps the pixels for Finish. It may be called from
// several goroutines, each with buffers of its own.
func (s *Series) File(k int, at []int, b *Buffers) (file []byte, pixels [][]byte, err error) {
	sources := make([]series.Source, len(at))
	for i, z := range at {
		sources[i] = s.src.Sources[z]
	}
	m, err := s.image(k, sources, b)
	if err != nil {
		return nil, nil, err
	}
	w := s.waits(k, m)
	kept := len(at)
	if w != nil {
		kept = min(m.inFile, s.Volumes*len(at)) // at most
	}
	if err := m.keep(kept); err != nil {
		return nil, nil, err
	}
	err = m.store(func(i int) ([]float32, []bool, error) {
		part, err := s.result.Part(at[i], at[i]+1)
		switch {
		case err != nil:
			return nil, nil, err
		case s.src.Volume.Data != nil:
			return part.Data, s.src.Volume.PlaneMask(at[i]), nil
		}
		return part.Data, part.Mask, nil
	})
	if err != nil {
		return nil, nil, err
	}
	if w != nil {
		w.add(s, m, sources)
	} else {
		s.identify(m, k, sources)
		if file, err = m.encode(); err != nil {
			return nil, nil, err
		}
		s.note(m)
	}
	for i := range at {
		pixels = append(pixels, m.slicePixels(i))
	}
	return file, pixels, nil
}

// image opens the source of the k-th file and prepares it for the changes of the new one.
func (s *Series) image(k int, sources []series.Source, b *Buffers) (*image, error) {
	var err error
	if b.source, err = readSource(sources[0], b.source); err != nil {
		return nil, err
	}
	m, err := newImage(sources, b.source)
	if err != nil {
		return nil, err
	}
	if m.format.Rows*m.format.Cols != s.voxels {
		return nil, fmt.Errorf("dicom: a slice has %d voxels, its source %d x %d", s.voxels, m.format.Cols, m.format.Rows)
	}
	m.Derived, m.studyUID, m.seriesUID, m.number, m.buffers = &s.Derived, s.studyUID, s.UID, k+1, b
	if err := m.makeExplicit(); err != nil {
		return nil, err
	}
	if s.Deidentify {
		return m, m.deidentify(s.names)
	}
	return m, nil
}

// identify gives the k-th file, of these sources, its UID.
func (s *Series) identify(m *image, k int, sources []series.Source) {
	if s.Volumes > 1 {
		m.sopUID = InstanceUID(s.UID, k)
		return
	}
	// A file that cannot be compressed belongs to another series than in a plain export,
	// so that the encoding of the series is part of its UID too.
	parts := encodingParts(s.encoding, []byte("instance"), sourceKey(sources), []byte(strconv.Itoa(k)), s.Recipe, s.sum)
	m.sopUID = part10.HashUID(encodingParts(m.syntaxUID(), parts...)...)
	if s.Deidentify {
		m.sopUID = string(s.names.UID([]byte(m.sopUID)))
	}
}

// note records the warnings about an image for the report.
func (s *Series) note(m *image) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Clipped += m.clipped
	if s.Compress.SyntaxUID() != "" && !m.compressible() {
		s.plain++
	}
	for _, t := range m.unreadable {
		s.replaced[t] = true
	}
	if m.identity != nil {
		for _, w := range m.identity.Warnings {
			s.identity[w.String()] = w
		}
	}
}

// Warnings returns sentences for the report, after all files are made.
func (s *Series) Warnings() (out []message.Message) {
	if s.Clipped > 0 {
		out = append(out, message.New(message.OutputRounded, "%s outside the range that the source's bits can store; clipped to its ends.", message.Count(int(s.Clipped), "voxel is", "voxels are")))
	}
	if s.plain > 0 {
		out = append(out, message.New(message.OutputUnsupported, "%s not compressed: big endian files and pixels of 32 bits are written plainly.", message.Count(s.plain, "file is", "files are")))
	}
	for _, t := range slices.Sorted(maps.Keys(s.replaced)) {
		out = append(out, message.New(message.OutputReduced, "The sequence %v of the source is of unknown type and was replaced.", t))
	}
	for _, text := range slices.Sorted(maps.Keys(s.identity)) {
		out = append(out, s.identity[text])
	}
	return out
}

// SliceFiles returns the indices of the slices in each file: those of a file in the order of
// its frames, and the files in the order of their first slices.
func SliceFiles(sources []series.Source) [][]int {
	var files [][]int
	at := map[string]int{}
	for z, s := range sources {
		k, ok := at[s.Name]
		if !ok {
			k = len(files)
			at[s.Name] = k
			files = append(files, nil)
		}
		files[k] = append(files[k], z)
	}
	for _, f := range files {
		slices.SortFunc(f, func(a, b int) int { return cmp.Compare(sources[a].Frame, sources[b].Frame) })
	}
	return files
}

// readSource reads a source file whole, into buf or a larger one.
func readSource(s series.Source, buf []byte) ([]byte, error) {
	info, err := fs.Stat(s.FS, s.Name)
	if err != nil {
		return buf, part10.FileError(message.InputUnreadable, s.Name, message.Text("put the source back where it was opened"), err, "the source file cannot be opened (%s)", part10.Cause(err))
	}
	return part10.ReadFile(s.FS, s.Name, info.Size(), buf)
}

// deidentify applies the profile to the source, so that everything after works on
// attributes without identity. The pixels stay as they are.
func (s *image) deidentify(p deid.Pseudonyms) error {
	data, id, err := deid.Apply(&s.Dataset, p)
	if err != nil {
		return part10.FileError(message.OutputUnsupported, s.slices[0].Name, part10.AdviseNIfTI, err, "its attributes cannot be de-identified (%s)", part10.Cause(err))
	}
	s.identity = id
	return s.rewrite(s.File.Syntax.UID, data)
}
