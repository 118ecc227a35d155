#include "textflag.h"

// AVX2 forms of the row kernels of rows.go, eight floats at a time: the same
// operations in the same order, no fused multiply-add, the same bits. Pointers need no
// alignment; n is a positive multiple of 8.

// func squaresAVX2(dst, a0, b0, a1, b1, a2, b2 *float32, stride, planes, n int)
TEXT ·squaresAVX2(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), DI
	MOVQ a0+8(FP), SI
	MOVQ b0+16(FP), DX
	MOVQ a1+24(FP), R8
	MOVQ b1+32(FP), R9
	MOVQ a2+40(FP), R10
	MOVQ b2+48(FP), R11
	MOVQ stride+56(FP), R12
	MOVQ planes+64(FP), R13
	MOVQ n+72(FP), CX
	XORQ AX, AX

loop:
	MOVQ    AX, BX      // position in the plane
	MOVQ    R13, R15
	VMOVUPS (SI)(BX*4), Y0
	VMOVUPS (R8)(BX*4), Y1
	VMOVUPS (R10)(BX*4), Y2
	VSUBPS  (DX)(BX*4), Y0, Y0 // a0 - b0
	VSUBPS  (R9)(BX*4), Y1, Y1
	VSUBPS  (R11)(BX*4), Y2, Y2
	VMULPS  Y0, Y0, Y0
	VMULPS  Y1, Y1, Y1
	VMULPS  Y2, Y2, Y2
	VADDPS  Y1, Y0, Y0
	VADDPS  Y2, Y0, Y4
	DECQ    R15
	JZ      done

plane:
	ADDQ    R12, BX
	VMOVUPS (SI)(BX*4), Y0
	VMOVUPS (R8)(BX*4), Y1
	VMOVUPS (R10)(BX*4), Y2
	VSUBPS  (DX)(BX*4), Y0, Y0
	VSUBPS  (R9)(BX*4), Y1, Y1
	VSUBPS  (R11)(BX*4), Y2, Y2
	VMULPS  Y0, Y0, Y0
	VMULPS  Y1, Y1, Y1
	VMULPS  Y2, Y2, Y2
	VADDPS  Y1, Y0, Y0
	VADDPS  Y2, Y0, Y0
	VADDPS  Y0, Y4, Y4
	DECQ    R15
	JNZ     plane

done:
	VMOVUPS Y4, (DI)(AX*4)
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

DATA bitOf<>+0(SB)/4, $1
DATA bitOf<>+4(SB)/4, $2
DATA bitOf<>+8(SB)/4, $4
DATA bitOf<>+12(SB)/4, $8
DATA bitOf<>+16(SB)/4, $16
DATA bitOf<>+20(SB)/4, $32
DATA bitOf<>+24(SB)/4, $64
DATA bitOf<>+28(SB)/4, $128
GLOBL bitOf<>(SB), RODATA|NOPTR, $32

// func totalAVX2(den, peak, w *float32, bits *byte, n int)
TEXT ·totalAVX2(SB), NOSPLIT, $0-40
	MOVQ    den+0(FP), DI
	MOVQ    peak+8(FP), SI
	MOVQ    w+16(FP), DX
	MOVQ    bits+24(FP), R8
	MOVQ    n+32(FP), CX
	VMOVDQU bitOf<>(SB), Y3
	XORQ    AX, AX

loop:
	VPBROADCASTB (R8), Y0
	VPAND        Y3, Y0, Y0
	VPCMPEQD     Y3, Y0, Y0
	VANDPS       (DX)(AX*4), Y0, Y0
	VADDPS       (DI)(AX*4), Y0, Y1
	VMAXPS       (SI)(AX*4), Y0, Y2
	VMOVUPS      Y0, (DX)(AX*4)
	VMOVUPS      Y1, (DI)(AX*4)
	VMOVUPS      Y2, (SI)(AX*4)
	INCQ         R8
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          loop
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

// func spreadPairsAVX2(acc0, acc1, w, a0, b0, a1, b1 *float32, accStride, stride, planes, n int)
TEXT ·spreadPairsAVX2(SB), NOSPLIT, $0-88
	MOVQ acc0+0(FP), DI
	MOVQ acc1+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ a0+24(FP), R8
	MOVQ b0+32(FP), R9
	MOVQ a1+40(FP), R10
	MOVQ b1+48(FP), R11
	MOVQ stride+64(FP), R12
	XORQ AX, AX

loop:
	VMOVUPS (DX)(AX*4), Y0
	VADDPS  4(DX)(AX*4), Y0, Y1 // w[x] + w[x+1]
	MOVQ    AX, BX              // position in the plane of the voxels
	MOVQ    AX, CX              // in that of the sums
	MOVQ    planes+72(FP), R13

plane:
	VMOVUPS (R9)(BX*4), Y2
	VMOVUPS (R11)(BX*4), Y3
	VSUBPS  (R8)(BX*4), Y2, Y2  // b - a
	VSUBPS  (R10)(BX*4), Y3, Y3
	VMULPS  Y0, Y2, Y2
	VMULPS  Y1, Y3, Y3
	VADDPS  (DI)(CX*4), Y2, Y2
	VADDPS  (SI)(CX*4), Y3, Y3
	VMOVUPS Y2, (DI)(CX*4)
	VMOVUPS Y3, (SI)(CX*4)
	ADDQ    R12, BX
	ADDQ    accStride+56(FP), CX
	DECQ    R13
	JNZ     plane
	ADDQ    $8, AX
	CMPQ    AX, n+80(FP)
	JLT     loop
	VZEROUPPER
	RET
