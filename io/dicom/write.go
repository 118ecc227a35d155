package dicom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"sync"

	"quell/series"
	"quell/volume"
)

// Write writes result, which lies on the grid of src.Volume, as a series
// derived from src's files into the folder dir: one file for each of src's,
// IM00001.dcm on along the slice normal, in the transfer syntax of the source
// (explicit little endian where that is compressed), or compressed where d asks for
// it, and multi-frame or a mosaic where the source is, with the volume's frames
// alone. src may hold a run of the slices it was loaded with (of a mosaic all);
// src.Sources must fit src.Volume. The source files are read again and never
// written to.
//
// Values are stored as round((v - intercept) / slope), clipped to the stored
// bits; what src.Volume masks keeps the source's bits. The same source, recipe
// and result (and secret, where the series is de-identified) give the same UIDs.
//
// Write makes the folder dir, which must not exist; package atomic puts it in the
// place of an earlier one. Every file is read back and compared, and after an error
// dir is gone. progress may be nil; it is called from one goroutine at a time and
// counts files written and files read back. The error is the context's, an *Error
// that names a source file, an *Error without a name where what was read back
// differs, or the file system's. Several exports may run at a time.
func Write(ctx context.Context, dir string, src *series.Series, result *volume.Volume, d Derived, progress func(done, total int)) (Report, error) {
	if err := checkResult(src, result, d.Compress); err != nil {
		return Report{}, err
	}
	series, err := newDerivedSeries(ctx, src, result, d)
	if err != nil {
		return Report{}, err
	}
	w := newSeriesWriter(sliceFiles(src.Sources), progress)
	w.report.SeriesUID = series.uid
	w.make = func(k int) ([]byte, [][]byte, error) { return series.file(k, w.files[k]) }
	positions := make([]volume.Vec, len(src.Sources))
	for z, from := range src.Sources {
		positions[z] = from.Position
	}
	if err := w.run(ctx, dir, positions); err != nil {
		return Report{}, err
	}
	w.report.Clipped = series.clipped
	series.warn(w)
	return w.report, nil
}

// derivedSeries makes the files of a derived series.
type derivedSeries struct {
	Derived
	src      *series.Series
	result   *volume.Volume
	sum      []byte // hash of result
	studyUID string // for sources without one
	uid      string
	names    pseudonyms

	mu       sync.Mutex // guards what is known of all images, below
	clipped  int64
	plain    int             // files that could not be compressed
	replaced map[tagID]bool  // sequences that could not be extended
	identity map[string]bool // warnings about what de-identification leaves
}

func newDerivedSeries(ctx context.Context, src *series.Series, result *volume.Volume, d Derived) (*derivedSeries, error) {
	sum, err := hashVoxels(ctx, result)
	if err != nil {
		return nil, err
	}
	studyUID, err := studyOf(ctx, src)
	if err != nil {
		return nil, err
	}
	s := &derivedSeries{Derived: d, src: src, result: result, sum: sum, studyUID: studyUID,
		uid:      deriveUID([]byte("series"), []byte(src.UID), sourceKey(src.Sources), d.Recipe, sum),
		names:    pseudonyms{d.Secret},
		replaced: map[tagID]bool{}, identity: map[string]bool{}}
	if d.Deidentify {
		s.studyUID, s.uid = string(s.names.uid([]byte(s.studyUID))), string(s.names.uid([]byte(s.uid)))
		s.Now = dummyTime
	}
	return s, nil
}

// file returns the k-th file, of the slices at, and the pixels of each of them. It
// may be called from several goroutines.
func (s *derivedSeries) file(k int, at []int) (file []byte, pixels [][]byte, err error) {
	m, err := s.image(k, at)
	if err != nil {
		return nil, nil, err
	}
	m.store(func(i int) []float32 { return s.result.Plane(at[i]) }, func(i int) []bool { return s.src.Volume.PlaneMask(at[i]) })
	if file, err = m.patch(); err != nil {
		return nil, nil, err
	}
	for i := range at {
		pixels = append(pixels, m.slicePixels(i))
	}
	s.note(m)
	return file, pixels, nil
}

// image opens the source of the k-th file and makes it what the new file begins as.
func (s *derivedSeries) image(k int, at []int) (*derivedImage, error) {
	sources := make([]series.Source, len(at))
	for i, z := range at {
		sources[i] = s.src.Sources[z]
	}
	file, err := readSource(sources[0])
	if err != nil {
		return nil, err
	}
	m, err := newDerivedImage(sources, file)
	if err != nil {
		return nil, err
	}
	if n := s.result.SliceVoxels(); m.format.rows*m.format.cols != n {
		return nil, fmt.Errorf("dicom: a slice has %d voxels, its source %d x %d", n, m.format.cols, m.format.rows)
	}
	m.Derived, m.studyUID, m.seriesUID = &s.Derived, s.studyUID, s.uid
	m.sopUID = deriveUID([]byte("instance"), sourceKey(sources), []byte(strconv.Itoa(k)), s.Recipe, s.sum)
	if err := m.makeExplicit(); err != nil {
		return nil, err
	}
	if s.Deidentify {
		if err := m.deidentify(s.names); err != nil {
			return nil, err
		}
		m.sopUID = string(s.names.uid([]byte(m.sopUID)))
	}
	return m, nil
}

// note takes down what the report has to say of an image.
func (s *derivedSeries) note(m *derivedImage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clipped += m.clipped
	if s.Compress.syntaxUID() != "" && !m.compressible() {
		s.plain++
	}
	for _, t := range m.unreadable {
		s.replaced[t] = true
	}
	if m.identity != nil {
		for _, text := range m.identity.warnings {
			s.identity[text] = true
		}
	}
}

// warn puts what a person should know of the series into the report.
func (s *derivedSeries) warn(w *seriesWriter) {
	if s.clipped > 0 {
		w.warn("%s outside the range that the source's bits can store; clipped to its ends.", count(int(s.clipped), "voxel is", "voxels are"))
	}
	if s.plain > 0 {
		w.warn("%s not compressed: big endian files and pixels of 32 bits are written plainly.", count(s.plain, "file is", "files are"))
	}
	for _, t := range slices.Sorted(maps.Keys(s.replaced)) {
		w.warn("The sequence %v of the source is of unknown type and was replaced.", t)
	}
	w.report.Warnings = append(w.report.Warnings, slices.Sorted(maps.Keys(s.identity))...)
}

func checkResult(src *series.Series, result *volume.Volume, c Compression) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := result.Validate(); err != nil {
		return fmt.Errorf("dicom: the result cannot be written: %w", err)
	}
	if src.Volume.Dims != result.Dims || len(src.Sources) != result.Dims[2] {
		return fmt.Errorf("dicom: a result of %v voxels for a source of %v with %d files", result.Dims, src.Volume.Dims, len(src.Sources))
	}
	if slices.ContainsFunc(src.Sources, func(s series.Source) bool { return s.FS == nil }) {
		return errors.New("dicom: the series does not come from DICOM files")
	}
	return nil
}

// sliceFiles returns which slices lie in the same file, each file's in the
// order of its frames and the files in that of their first slices.
func sliceFiles(sources []series.Source) [][]int {
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

// readSource reads a source file whole.
func readSource(s series.Source) ([]byte, error) {
	info, err := fs.Stat(s.FS, s.Name)
	if err != nil {
		return nil, fileError(s.Name, "put the source back where it was opened", err, "the source file cannot be opened (%s)", cause(err))
	}
	return readFile(s.FS, s.Name, info.Size(), nil)
}
