package tile

// FMA returns a b + c rounded once, as the fused multiply-add of vectors does. The compiler
// makes it one instruction.
func FMA(a, b, c float32) float32 { return a*b + c }
