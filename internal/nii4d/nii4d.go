// Package nii4d makes 4-D NIfTI files for tests of packages that may not import io/nifti.
package nii4d

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
)

// Fold makes n volumes, step seconds apart, of the one in an uncompressed NIfTI-1 file,
// and divides its slices among them.
func Fold(path string, n int, step float32) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const dim, pixdim, units = 40, 76, 123 // offsets of nifti1.h
	le := binary.LittleEndian
	if len(file) < 348 || int(le.Uint16(file[dim+6:]))%n != 0 {
		return errors.New("nii4d: the slices cannot be divided")
	}
	le.PutUint16(file[dim:], 4)
	le.PutUint16(file[dim+6:], le.Uint16(file[dim+6:])/uint16(n))
	le.PutUint16(file[dim+8:], uint16(n))
	le.PutUint32(file[pixdim+16:], math.Float32bits(step))
	const seconds = 8
	file[units] |= seconds
	return os.WriteFile(path, file, 0o644)
}
