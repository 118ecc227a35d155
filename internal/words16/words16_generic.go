//go:build !amd64

package words16

import "math"

func (l Layout) decodeVector([]float32, []byte, float64, float64) (n int) { return 0 }

func encodeVector([]byte, []float32, float64, float64, int, int) (n, clipped int) { return 0, 0 }

func extremesVector([]byte, int, uint16) (n int, least, most uint16) { return 0, math.MaxUint16, 0 }

func outsideVector([]bool, []byte, int, uint16, uint16) (n, inside int) { return 0, 0 }
