#include "textflag.h"

// AVX2 forms of the row kernels of rows.go, eight floats at a time: the same
// operations in the same order, no fused multiply-add, the same bits. Pointers need no
// alignment; n is a positive multiple of 8.

// func squaresAVX2(dst, a0, b0, a1, b1, a2, b2 *float32, n int)
TEXT ·squaresAVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ a0+8(FP), SI
	MOVQ b0+16(FP), DX
	MOVQ a1+24(FP), R8
	MOVQ b1+32(FP), R9
	MOVQ a2+40(FP), R10
	MOVQ b2+48(FP), R11
	MOVQ n+56(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (R8)(AX*4), Y1
	VMOVUPS (R10)(AX*4), Y2
	VSUBPS  (DX)(AX*4), Y0, Y0 // a0 - b0
	VSUBPS  (R9)(AX*4), Y1, Y1
	VSUBPS  (R11)(AX*4), Y2, Y2
	VMULPS  Y0, Y0, Y0
	VMULPS  Y1, Y1, Y1
	VMULPS  Y2, Y2, Y2
	VADDPS  Y1, Y0, Y0
	VADDPS  Y2, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func moreSquaresAVX2(dst, a0, b0, a1, b1, a2, b2 *float32, n int)
TEXT ·moreSquaresAVX2(SB), NOSPLIT, $0-64
	MOVQ dst+0(FP), DI
	MOVQ a0+8(FP), SI
	MOVQ b0+16(FP), DX
	MOVQ a1+24(FP), R8
	MOVQ b1+32(FP), R9
	MOVQ a2+40(FP), R10
	MOVQ b2+48(FP), R11
	MOVQ n+56(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (R8)(AX*4), Y1
	VMOVUPS (R10)(AX*4), Y2
	VSUBPS  (DX)(AX*4), Y0, Y0 // a0 - b0
	VSUBPS  (R9)(AX*4), Y1, Y1
	VSUBPS  (R11)(AX*4), Y2, Y2
	VMULPS  Y0, Y0, Y0
	VMULPS  Y1, Y1, Y1
	VMULPS  Y2, Y2, Y2
	VADDPS  Y1, Y0, Y0
	VADDPS  Y2, Y0, Y0
	VADDPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func sumAVX2(dst, a, b *float32, n int)
TEXT ·sumAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VADDPS  (DX)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func multiplyAVX2(dst, a, b *float32, n int)
TEXT ·multiplyAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VMULPS  (DX)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func totalAVX2(den, peak, w *float32, n int)
TEXT ·totalAVX2(SB), NOSPLIT, $0-32
	MOVQ den+0(FP), DI
	MOVQ peak+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (DX)(AX*4), Y0
	VADDPS  (DI)(AX*4), Y0, Y1
	VMAXPS  (SI)(AX*4), Y0, Y2
	VMOVUPS Y1, (DI)(AX*4)
	VMOVUPS Y2, (SI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func spreadAVX2(acc, w, a, b *float32, n int)
TEXT ·spreadAVX2(SB), NOSPLIT, $0-40
	MOVQ acc+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ a+16(FP), DX
	MOVQ b+24(FP), R8
	MOVQ n+32(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (R8)(AX*4), Y0
	VSUBPS  (DX)(AX*4), Y0, Y0 // b - a
	VMULPS  (SI)(AX*4), Y0, Y0
	VADDPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET
