package part10

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/klauspost/compress/flate"

	"quell/internal/message"
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
		return 0, ErrTruncated
	case err != nil:
		return 0, message.Errorf(message.InputDamaged, "its deflated data set does not inflate")
	case n > maxInflated:
		return 0, message.Errorf(message.InputDamaged, "its deflated data set is longer than %d bytes", maxInflated)
	}
	return n, nil
}

// DatasetStart returns the byte at which the data set begins in a file, after its
// meta header has been read.
func (p *File) DatasetStart() int64 {
	return p.Meta[len(p.Meta)-1].End
}

// TokenizeDeflated tokenizes the data set of a deflated file after its meta header,
// head, without inflating it as a whole. Offsets count in the inflated data set.
func TokenizeDeflated(fsys fs.FS, name string, head *File, want func(Tag) bool) (*File, error) {
	open := func() (io.ReadCloser, error) {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		if _, err := io.CopyN(io.Discard, f, head.DatasetStart()); err != nil {
			f.Close()
			return nil, ErrTruncated
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
	t := &tokenizer{W: &ReadBuffer{r: flate.NewReader(f), size: n}, want: want, File: head}
	return head, t.dataset(0)
}

// TokenizeAll tokenizes a whole file; a deflated one is inflated first. It
// returns the bytes that the offsets are of.
func TokenizeAll(file []byte, want func(Tag) bool) ([]byte, *File, error) {
	p, err := TokenizeBytes(file, want)
	if err != nil || !p.Syntax.Deflated {
		return file, p, err
	}
	deflated := file[p.DatasetStart():]
	n, err := inflatedSize(bytes.NewReader(deflated))
	if err != nil {
		return file, p, err
	}
	head := HeaderWithSyntax(file, p, UIDExplicitLE)
	plain := make([]byte, int64(len(head))+n)
	copy(plain, head)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(deflated)), plain[len(head):]); err != nil {
		return file, p, err
	}
	p, err = TokenizeBytes(plain, want)
	return plain, p, err
}

// HeaderWithSyntax returns the preamble and the meta header of a file with another transfer
// syntax.
func HeaderWithSyntax(file []byte, p *File, syntaxUID string) []byte {
	var meta []byte
	for _, e := range p.Meta {
		switch e.Tag {
		case tagFileMetaInformationGroupLength: // optional to readers, and not to be right
		case TagTransferSyntaxUID:
			meta = AppendElement(meta, ExplicitLE, TagTransferSyntaxUID, "UI", []byte(syntaxUID))
		default:
			meta = append(meta, file[e.Start:e.End]...)
		}
	}
	return append(append(make([]byte, 128, 132+len(meta)), "DICM"...), meta...)
}
