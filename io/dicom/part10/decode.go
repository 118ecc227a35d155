package part10

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	lib "github.com/suyashkumar/dicom"
	"github.com/suyashkumar/dicom/pkg/tag"
)

// decodeElement decodes the value bytes of one element of the given VR: text as
// []string, binary numbers as []int or []float64, all else, sequences included, as
// []byte. Text keeps the bytes of its character set.
func decodeElement(b []byte, t Tag, vr string, order binary.ByteOrder) (*lib.Element, error) {
	data, err := decodeValue(b, vr, order)
	if err != nil {
		return nil, fmt.Errorf("%v of VR %s: %w", t, vr, err)
	}
	v, err := lib.NewValue(data)
	if err != nil {
		return nil, err
	}
	id := tag.Tag{Group: t.Group(), Element: t.Element()}
	return &lib.Element{Tag: id, ValueRepresentation: tag.GetVRKind(id, vr), RawValueRepresentation: vr, ValueLength: uint32(len(b)), Value: v}, nil
}

func decodeValue(b []byte, vr string, order binary.ByteOrder) (any, error) {
	switch vr {
	case "US", "AT":
		return numbers(b, 2, func(b []byte) int { return int(order.Uint16(b)) })
	case "SS":
		return numbers(b, 2, func(b []byte) int { return int(int16(order.Uint16(b))) })
	case "UL":
		return numbers(b, 4, func(b []byte) int { return int(order.Uint32(b)) })
	case "SL":
		return numbers(b, 4, func(b []byte) int { return int(int32(order.Uint32(b))) })
	case "FL":
		return numbers(b, 4, func(b []byte) float64 { return decimalOf(math.Float32frombits(order.Uint32(b))) })
	case "FD":
		return numbers(b, 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) })
	case "AE", "AS", "CS", "DS", "DT", "IS", "LO", "LT", "PN", "SH", "ST", "TM", "UC", "UI", "UR", "UT":
		return strings.Split(strings.Trim(string(b), ValuePadding), `\`), nil
	case "DA":
		return []string{strings.Trim(string(b), ValuePadding)}, nil
	}
	return b, nil
}

// numbers decodes values of size bytes each.
func numbers[T any](b []byte, size int, decode func([]byte) T) ([]T, error) {
	if len(b)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of values", len(b))
	}
	out := make([]T, 0, len(b)/size)
	for ; len(b) > 0; b = b[size:] {
		out = append(out, decode(b))
	}
	return out, nil
}

// decimalOf returns the shortest decimal that is v in single precision, which is the
// number that its writer meant: 0.1 and not 0.10000000149011612.
func decimalOf(v float32) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	if err != nil {
		return float64(v)
	}
	return d
}
