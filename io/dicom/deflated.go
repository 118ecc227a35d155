package dicom

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/flate"
)

// maxInflated is how long the data set of a deflated file (PS3.5 annex A.5) may
// be: a megabyte of zeros deflates to a kilobyte, so its own length is no bound.
const maxInflated = 1 << 30

// inflatedSize reads a deflated stream to its end and returns how long it is.
// Nothing is kept.
func inflatedSize(deflated io.Reader) (int64, error) {
	n, err := io.Copy(io.Discard, io.LimitReader(flate.NewReader(deflated), maxInflated+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return 0, errTruncated
	case err != nil:
		return 0, errors.New("its deflated data set does not inflate")
	case n > maxInflated:
		return 0, fmt.Errorf("its deflated data set is longer than %d bytes", maxInflated)
	}
	return n, nil
}

// datasetStart returns where the data set begins in a file whose meta header has
// been read.
func (p *part10) datasetStart() int64 {
	return p.meta[len(p.meta)-1].end
}

// tokenizeDeflated walks the data set of a deflated file, of which head is known,
// in the memory of a window. Offsets are those of the inflated data set.
func tokenizeDeflated(fsys fs.FS, name string, head *part10, want func(tagID) bool) (*part10, error) {
	open := func() (io.ReadCloser, error) {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		if _, err := io.CopyN(io.Discard, f, head.datasetStart()); err != nil {
			f.Close()
			return nil, errTruncated
		}
		return f, nil
	}
	f, err := open()
	if err != nil {
		return head, err
	}
	n, err := inflatedSize(f)
	f.Close()
	if err != nil {
		return head, err
	}
	if f, err = open(); err != nil {
		return head, err
	}
	defer f.Close()
	t := &tokenizer{w: &window{r: flate.NewReader(f), size: n}, want: want, file: head}
	return head, t.dataset(0)
}

// tokenizeAll tokenizes a whole file; a deflated one is inflated first. It
// returns the bytes that the offsets are of.
func tokenizeAll(file []byte, want func(tagID) bool) ([]byte, *part10, error) {
	p, err := tokenizeBytes(file, want)
	if err != nil || !p.syntax.deflated {
		return file, p, err
	}
	deflated := file[p.datasetStart():]
	n, err := inflatedSize(bytes.NewReader(deflated))
	if err != nil {
		return file, p, err
	}
	head := headOf(file, p, uidExplicitLE)
	plain := make([]byte, int64(len(head))+n)
	copy(plain, head)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(deflated)), plain[len(head):]); err != nil {
		return file, p, err
	}
	p, err = tokenizeBytes(plain, want)
	return plain, p, err
}

// headOf returns the preamble and the meta header of a file with another transfer
// syntax.
func headOf(file []byte, p *part10, syntaxUID string) []byte {
	var meta []byte
	for _, e := range p.meta {
		switch e.tag {
		case tagFileMetaInformationGroupLength: // optional to readers, and not to be right
		case tagTransferSyntaxUID:
			meta = appendElement(meta, explicitLE, tagTransferSyntaxUID, "UI", []byte(syntaxUID))
		default:
			meta = append(meta, file[e.start:e.end]...)
		}
	}
	return append(append(make([]byte, 128, 132+len(meta)), "DICM"...), meta...)
}
