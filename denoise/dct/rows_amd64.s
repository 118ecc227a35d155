#include "textflag.h"

// AVX2 forms of the row kernels of rows.go, eight floats at a time: the same
// operations in the same order, no fused multiply-add, the same bits. Pointers
// need no alignment; n is a positive multiple of 8.

DATA constants<>+0(SB)/4, $1.0
DATA constants<>+4(SB)/4, $0x7fffffff // all bits but the sign
GLOBL constants<>(SB), RODATA|NOPTR, $8

// func sumDifferenceAVX2(s, d, a, b *float32, n int)
TEXT ·sumDifferenceAVX2(SB), NOSPLIT, $0-40
	MOVQ s+0(FP), DI
	MOVQ d+8(FP), SI
	MOVQ a+16(FP), DX
	MOVQ b+24(FP), R8
	MOVQ n+32(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (DX)(AX*4), Y0
	VMOVUPS (R8)(AX*4), Y1
	VADDPS  Y1, Y0, Y2 // a + b
	VSUBPS  Y1, Y0, Y3 // a - b
	VMOVUPS Y2, (DI)(AX*4)
	VMOVUPS Y3, (SI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func combine2AVX2(dst, a, b *float32, p, q float32, n int)
TEXT ·combine2AVX2(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), DX
	VBROADCASTSS p+24(FP), Y4
	VBROADCASTSS q+28(FP), Y5
	MOVQ         n+32(FP), CX
	XORQ         AX, AX

loop:
	VMULPS  (SI)(AX*4), Y4, Y0
	VMULPS  (DX)(AX*4), Y5, Y1
	VADDPS  Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func combine3AVX2(dst, a, b, c *float32, p, q, r float32, n int)
TEXT ·combine3AVX2(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), DX
	MOVQ         c+24(FP), R8
	VBROADCASTSS p+32(FP), Y4
	VBROADCASTSS q+36(FP), Y5
	VBROADCASTSS r+40(FP), Y6
	MOVQ         n+48(FP), CX
	XORQ         AX, AX

loop:
	VMULPS  (SI)(AX*4), Y4, Y0
	VMULPS  (DX)(AX*4), Y5, Y1
	VADDPS  Y1, Y0, Y0
	VMULPS  (R8)(AX*4), Y6, Y2
	VADDPS  Y2, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func combine4AVX2(dst, a, b, c, d *float32, p, q, r, s float32, n int)
TEXT ·combine4AVX2(SB), NOSPLIT, $0-64
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), DX
	MOVQ         c+24(FP), R8
	MOVQ         d+32(FP), R9
	VBROADCASTSS p+40(FP), Y4
	VBROADCASTSS q+44(FP), Y5
	VBROADCASTSS r+48(FP), Y6
	VBROADCASTSS s+52(FP), Y7
	MOVQ         n+56(FP), CX
	XORQ         AX, AX

loop:
	VMULPS  (SI)(AX*4), Y4, Y0
	VMULPS  (DX)(AX*4), Y5, Y1
	VADDPS  Y1, Y0, Y0
	VMULPS  (R8)(AX*4), Y6, Y2
	VADDPS  Y2, Y0, Y0
	VMULPS  (R9)(AX*4), Y7, Y3
	VADDPS  Y3, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func thresholdAVX2(c, kept *float32, limit float32, n int)
TEXT ·thresholdAVX2(SB), NOSPLIT, $0-32
	MOVQ         c+0(FP), DI
	MOVQ         kept+8(FP), SI
	VBROADCASTSS limit+16(FP), Y4
	MOVQ         n+24(FP), CX
	VBROADCASTSS constants<>+0(SB), Y5
	VBROADCASTSS constants<>+4(SB), Y6
	XORQ         AX, AX

loop:
	VMOVUPS (DI)(AX*4), Y0
	VANDPS  Y6, Y0, Y1
	VCMPPS  $2, Y4, Y1, Y1 // |c| <= limit
	VANDPS  Y1, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	VANDNPS Y5, Y1, Y1     // 1 where it is not
	VADDPS  (SI)(AX*4), Y1, Y1
	VMOVUPS Y1, (SI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func shrinkAVX2(c, p, gains *float32, scale float32, n int)
TEXT ·shrinkAVX2(SB), NOSPLIT, $0-40
	MOVQ         c+0(FP), DI
	MOVQ         p+8(FP), SI
	MOVQ         gains+16(FP), DX
	VBROADCASTSS scale+24(FP), Y4
	MOVQ         n+32(FP), CX
	VBROADCASTSS constants<>+0(SB), Y5
	XORQ         AX, AX

loop:
	VMULPS  (SI)(AX*4), Y4, Y0
	VMULPS  Y0, Y0, Y0
	VADDPS  Y5, Y0, Y0         // 1 + q^2
	VDIVPS  Y0, Y5, Y0         // r
	VSUBPS  Y0, Y5, Y1         // g
	VMULPS  Y1, Y1, Y1
	VADDPS  (DX)(AX*4), Y1, Y1
	VMOVUPS Y1, (DX)(AX*4)
	VMULPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func accumulateAVX2(sum, w, a *float32, n int)
TEXT ·accumulateAVX2(SB), NOSPLIT, $0-32
	MOVQ sum+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ a+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VMULPS  (DX)(AX*4), Y0, Y0
	VADDPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func remove4AVX2(out, in *[4]*float32, kept, limits *float32, p, q float32, mean, n int)
TEXT ·remove4AVX2(SB), NOSPLIT, $0-56
	MOVQ         out+0(FP), AX
	MOVQ         (AX), R10
	MOVQ         8(AX), R11
	MOVQ         16(AX), R12
	MOVQ         24(AX), R13
	MOVQ         in+8(FP), AX
	MOVQ         (AX), SI
	MOVQ         8(AX), DX
	MOVQ         16(AX), R8
	MOVQ         24(AX), R9
	MOVQ         kept+16(FP), DI
	MOVQ         limits+24(FP), BX
	VBROADCASTSS p+32(FP), Y8
	VBROADCASTSS q+36(FP), Y9
	VBROADCASTSS constants<>+0(SB), Y11
	VBROADCASTSS constants<>+4(SB), Y12
	VPCMPEQD     Y14, Y14, Y14       // what the first coefficients are taken with: all,
	CMPQ         mean+40(FP), $0
	JEQ          start
	VXORPS       Y14, Y14, Y14       // or nothing

start:
	MOVQ n+48(FP), CX
	XORQ AX, AX

loop:
	// Forward: c in Y0 to Y3.
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (DX)(AX*4), Y1
	VMOVUPS (R8)(AX*4), Y2
	VMOVUPS (R9)(AX*4), Y3
	VADDPS  Y3, Y0, Y4
	VSUBPS  Y3, Y0, Y5
	VADDPS  Y2, Y1, Y6
	VSUBPS  Y2, Y1, Y7
	VADDPS  Y6, Y4, Y0
	VSUBPS  Y6, Y4, Y2
	VMULPS  Y5, Y8, Y1
	VMULPS  Y7, Y9, Y3
	VADDPS  Y3, Y1, Y1
	VMULPS  Y5, Y9, Y3
	VMULPS  Y7, Y8, Y4
	VSUBPS  Y4, Y3, Y3

	// The threshold: what is removed, and 1 where nothing is.
	VANDPS  Y12, Y0, Y4
	VCMPPS  $2, (BX), Y4, Y4
	VANDPS  Y4, Y0, Y0
	VANDPS  Y14, Y0, Y0
	VANDNPS Y11, Y4, Y13
	VANDPS  Y14, Y13, Y13
	VANDPS  Y12, Y1, Y4
	VCMPPS  $2, 32(BX), Y4, Y4
	VANDPS  Y4, Y1, Y1
	VANDNPS Y11, Y4, Y4
	VADDPS  Y4, Y13, Y13
	VANDPS  Y12, Y2, Y4
	VCMPPS  $2, 64(BX), Y4, Y4
	VANDPS  Y4, Y2, Y2
	VANDNPS Y11, Y4, Y4
	VADDPS  Y4, Y13, Y13
	VANDPS  Y12, Y3, Y4
	VCMPPS  $2, 96(BX), Y4, Y4
	VANDPS  Y4, Y3, Y3
	VANDNPS Y11, Y4, Y4
	VADDPS  Y4, Y13, Y13
	VADDPS  (DI)(AX*4), Y13, Y13
	VMOVUPS Y13, (DI)(AX*4)

	// Inverse.
	VADDPS  Y2, Y0, Y4
	VSUBPS  Y2, Y0, Y5
	VMULPS  Y1, Y8, Y6
	VMULPS  Y3, Y9, Y7
	VADDPS  Y7, Y6, Y6
	VMULPS  Y1, Y9, Y7
	VMULPS  Y3, Y8, Y0
	VSUBPS  Y0, Y7, Y7
	VADDPS  Y6, Y4, Y0
	VSUBPS  Y6, Y4, Y3
	VADDPS  Y7, Y5, Y1
	VSUBPS  Y7, Y5, Y2
	VMOVUPS Y0, (R10)(AX*4)
	VMOVUPS Y1, (R11)(AX*4)
	VMOVUPS Y2, (R12)(AX*4)
	VMOVUPS Y3, (R13)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET
