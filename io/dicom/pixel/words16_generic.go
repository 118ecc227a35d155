//go:build !amd64

package pixel

func (f *Format) decode16(dst []float32, raw []byte) { f.decode16Go(dst, raw) }

func outside16(dst []bool, raw []byte, left int, first, span uint16) (inside int) {
	return outside16Go(dst, raw, left, first, span)
}
