#include "textflag.h"

// AVX2 forms of the row kernels of rows.go, eight floats at a time: the same
// operations in the same order, fused where those are tile.FMA, the same bits. Pointers
// need no alignment; n is a positive multiple of 8.

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

// SAMPLE: sum += (Y12 - b)^2 for the sample of b that lies o bytes on.
#define SAMPLE(o, b, sum, t) \
	VSUBPS      o(b)(AX*1), Y12, t \
	VFMADD231PS t, t, sum

// START: the same for the first plane: sum = (Y12 - b)^2.
#define START(o, b, sum) \
	VSUBPS o(b), Y12, sum \
	VMULPS sum, sum, sum

// FIRST: the same for the sample left of the first block, in all lanes.
#define FIRST(o, sum) \
	VBROADCASTSS o(R9)(AX*1), Y13 \
	VSUBPS       Y13, Y12, Y13    \
	VFMADD231PS  Y13, Y13, sum

// COLUMN stores the sums of left, own and right samples of one offset: the left ones are
// the right ones of the blocks before, the first of which the vector before has.
#define COLUMN(o, own, right, before) \
	VBLENDPS $0x80, before, right, Y13 \
	VPERMPS  Y13, Y15, Y13             \
	VADDPS   own, Y13, Y13             \
	VADDPS   right, Y13, Y13           \
	VMOVUPS  Y13, o(DI)                \
	VMOVAPS  right, before

#define ADVANCE \
	ADDQ R13, DI \
	ADDQ $32, SI \
	ADDQ $32, DX \
	ADDQ $32, R8 \
	ADDQ $32, R9 \
	DECQ R12

// func columnsAVX2(dst, a0, a1, b0, b1 *float32, plane, planes, vectors, each, n int)
TEXT ·columnsAVX2(SB), NOSPLIT, $0-80
	MOVQ    dst+0(FP), DI
	MOVQ    a0+8(FP), SI
	MOVQ    a1+16(FP), DX
	MOVQ    b0+24(FP), R8
	MOVQ    b1+32(FP), R9
	MOVQ    plane+40(FP), R10
	MOVQ    planes+48(FP), R11
	MOVQ    vectors+56(FP), R12
	MOVQ    each+64(FP), R13
	MOVQ    n+72(FP), CX
	VMOVDQU rotateBack<>(SB), Y15
	SHLQ    $2, R10
	SHLQ    $2, R13
	VXORPS  Y8, Y8, Y8
	VXORPS  Y9, Y9, Y9
	VXORPS  Y10, Y10, Y10
	VXORPS  Y11, Y11, Y11
	XORQ    AX, AX
	MOVQ    R11, BX
	CMPQ    CX, $3
	JGT     first4
	JEQ     first3
	CMPQ    CX, $1
	JGT     first2

first1:
	VBROADCASTSS (DX)(AX*1), Y12
	FIRST(0, Y8)
	ADDQ         R10, AX
	DECQ         BX
	JNZ          first1

vector1:
	MOVQ R10, AX
	MOVQ R11, BX
	VMOVUPS (SI), Y12
	START(0, R8, Y0)
	VMOVUPS 4(DX), Y12
	START(4, R9, Y4)
	DECQ BX
	JZ   column1

plane1:
	VMOVUPS (SI)(AX*1), Y12
	SAMPLE(0, R8, Y0, Y13)
	VMOVUPS 4(DX)(AX*1), Y12
	SAMPLE(4, R9, Y4, Y13)
	ADDQ    R10, AX
	DECQ    BX
	JNZ     plane1

column1:
	COLUMN(0, Y0, Y4, Y8)
	ADVANCE
	JNZ     vector1
	VZEROUPPER
	RET

first2:
	VBROADCASTSS (DX)(AX*1), Y12
	FIRST(0, Y8)
	FIRST(4, Y9)
	ADDQ         R10, AX
	DECQ         BX
	JNZ          first2

vector2:
	MOVQ R10, AX
	MOVQ R11, BX
	VMOVUPS (SI), Y12
	START(0, R8, Y0)
	START(4, R8, Y1)
	VMOVUPS 4(DX), Y12
	START(4, R9, Y4)
	START(8, R9, Y5)
	DECQ BX
	JZ   column2

plane2:
	VMOVUPS (SI)(AX*1), Y12
	SAMPLE(0, R8, Y0, Y13)
	SAMPLE(4, R8, Y1, Y14)
	VMOVUPS 4(DX)(AX*1), Y12
	SAMPLE(4, R9, Y4, Y13)
	SAMPLE(8, R9, Y5, Y14)
	ADDQ    R10, AX
	DECQ    BX
	JNZ     plane2

column2:
	COLUMN(0, Y0, Y4, Y8)
	COLUMN(32, Y1, Y5, Y9)
	ADVANCE
	JNZ     vector2
	VZEROUPPER
	RET

first3:
	VBROADCASTSS (DX)(AX*1), Y12
	FIRST(0, Y8)
	FIRST(4, Y9)
	FIRST(8, Y10)
	ADDQ         R10, AX
	DECQ         BX
	JNZ          first3

vector3:
	MOVQ R10, AX
	MOVQ R11, BX
	VMOVUPS (SI), Y12
	START(0, R8, Y0)
	START(4, R8, Y1)
	START(8, R8, Y2)
	VMOVUPS 4(DX), Y12
	START(4, R9, Y4)
	START(8, R9, Y5)
	START(12, R9, Y6)
	DECQ BX
	JZ   column3

plane3:
	VMOVUPS (SI)(AX*1), Y12
	SAMPLE(0, R8, Y0, Y13)
	SAMPLE(4, R8, Y1, Y14)
	SAMPLE(8, R8, Y2, Y13)
	VMOVUPS 4(DX)(AX*1), Y12
	SAMPLE(4, R9, Y4, Y13)
	SAMPLE(8, R9, Y5, Y14)
	SAMPLE(12, R9, Y6, Y13)
	ADDQ    R10, AX
	DECQ    BX
	JNZ     plane3

column3:
	COLUMN(0, Y0, Y4, Y8)
	COLUMN(32, Y1, Y5, Y9)
	COLUMN(64, Y2, Y6, Y10)
	ADVANCE
	JNZ     vector3
	VZEROUPPER
	RET

first4:
	VBROADCASTSS (DX)(AX*1), Y12
	FIRST(0, Y8)
	FIRST(4, Y9)
	FIRST(8, Y10)
	FIRST(12, Y11)
	ADDQ         R10, AX
	DECQ         BX
	JNZ          first4

vector4:
	MOVQ R10, AX
	MOVQ R11, BX
	VMOVUPS (SI), Y12
	START(0, R8, Y0)
	START(4, R8, Y1)
	START(8, R8, Y2)
	START(12, R8, Y3)
	VMOVUPS 4(DX), Y12
	START(4, R9, Y4)
	START(8, R9, Y5)
	START(12, R9, Y6)
	START(16, R9, Y7)
	DECQ BX
	JZ   column4

plane4:
	VMOVUPS (SI)(AX*1), Y12
	SAMPLE(0, R8, Y0, Y13)
	SAMPLE(4, R8, Y1, Y14)
	SAMPLE(8, R8, Y2, Y13)
	SAMPLE(12, R8, Y3, Y14)
	VMOVUPS 4(DX)(AX*1), Y12
	SAMPLE(4, R9, Y4, Y13)
	SAMPLE(8, R9, Y5, Y14)
	SAMPLE(12, R9, Y6, Y13)
	SAMPLE(16, R9, Y7, Y14)
	ADDQ    R10, AX
	DECQ    BX
	JNZ     plane4

column4:
	COLUMN(0, Y0, Y4, Y8)
	COLUMN(32, Y1, Y5, Y9)
	COLUMN(64, Y2, Y6, Y10)
	COLUMN(96, Y3, Y7, Y11)
	ADVANCE
	JNZ     vector4
	VZEROUPPER
	RET

// func leastsAVX2(least, a, b, c *float32, bits *byte, n int)
TEXT ·leastsAVX2(SB), NOSPLIT, $0-48
	MOVQ    least+0(FP), DI
	MOVQ    a+8(FP), SI
	MOVQ    b+16(FP), DX
	MOVQ    c+24(FP), R9
	MOVQ    bits+32(FP), R8
	MOVQ    n+40(FP), CX
	VMOVDQU bitOf<>(SB), Y3
	VMOVUPS (DI), Y1
	XORQ    AX, AX

loop:
	VPBROADCASTB (R8), Y0
	VPAND        Y3, Y0, Y0
	VPCMPEQD     Y3, Y0, Y0
	VMOVUPS      (SI)(AX*1), Y2
	VADDPS       (DX)(AX*1), Y2, Y2
	VADDPS       (R9)(AX*1), Y2, Y2
	VMINPS       Y1, Y2, Y2
	VBLENDVPS    Y0, Y2, Y1, Y1
	INCQ         R8
	ADDQ         $32, AX
	DECQ         CX
	JNZ          loop
	VMOVUPS      Y1, (DI)
	VZEROUPPER
	RET

DATA rotateBack<>+0(SB)/4, $7
DATA rotateBack<>+4(SB)/4, $0
DATA rotateBack<>+8(SB)/4, $1
DATA rotateBack<>+12(SB)/4, $2
DATA rotateBack<>+16(SB)/4, $3
DATA rotateBack<>+20(SB)/4, $4
DATA rotateBack<>+24(SB)/4, $5
DATA rotateBack<>+28(SB)/4, $6
GLOBL rotateBack<>(SB), RODATA|NOPTR, $32

DATA rotate<>+0(SB)/4, $1
DATA rotate<>+4(SB)/4, $2
DATA rotate<>+8(SB)/4, $3
DATA rotate<>+12(SB)/4, $4
DATA rotate<>+16(SB)/4, $5
DATA rotate<>+20(SB)/4, $6
DATA rotate<>+24(SB)/4, $7
DATA rotate<>+28(SB)/4, $0
GLOBL rotate<>(SB), RODATA|NOPTR, $32

// func shareAVX2(dst, w, right, inverse *float32, n int)
TEXT ·shareAVX2(SB), NOSPLIT, $0-40
	MOVQ    dst+0(FP), DI
	MOVQ    w+8(FP), SI
	MOVQ    right+16(FP), DX
	MOVQ    inverse+24(FP), R8
	MOVQ    n+32(FP), CX
	VMOVDQU rotate<>(SB), Y5
	VMOVUPS (R8), Y0
	VMOVSS  32(R8), X4

loop:
	VMULPS   (SI), Y0, Y1
	VMULSS   (DX), X4, X2
	VBLENDPS $1, Y2, Y1, Y2 // the right neighbour's in place of the first
	VPERMPS  Y2, Y5, Y2     // which becomes the last
	VADDPS   Y2, Y1, Y2
	VMOVUPS  Y1, (DI)
	VMOVUPS  Y2, 32(DI)
	ADDQ     $32, SI
	ADDQ     $32, DX
	ADDQ     $64, DI
	DECQ     CX
	JNZ      loop
	VZEROUPPER
	RET

// GIVE: sum += share (b - a), as a difference of a - b.
#define GIVE(b, a, share, sum, t) \
	VSUBPS       b, a, t       \
	VFNMADD231PS share, t, sum

// func giveAVX2(sums *float32, sumsRow int, values *float32, row int, shares, before *float32, places *int, n int)
TEXT ·giveAVX2(SB), NOSPLIT, $0-64
	MOVQ    sums+0(FP), DI
	MOVQ    sumsRow+8(FP), R12
	MOVQ    values+16(FP), SI
	MOVQ    row+24(FP), DX
	MOVQ    shares+32(FP), R8
	MOVQ    before+40(FP), R9
	MOVQ    places+48(FP), R10
	MOVQ    n+56(FP), R11
	VMOVUPS (SI), Y6
	VMOVUPS (SI)(DX*4), Y9
	VXORPS  Y0, Y0, Y0
	VXORPS  Y3, Y3, Y3

loop:
	MOVQ    (R10), AX
	LEAQ    (SI)(AX*4), AX
	VMOVUPS (R8), Y12
	VADDPS  (R9), Y12, Y13
	GIVE((AX), Y6, Y13, Y0, Y14)
	GIVE((AX)(DX*4), Y9, Y12, Y3, Y15)
	ADDQ    $64, R8
	ADDQ    $64, R9
	ADDQ    $8, R10
	DECQ    R11
	JNZ     loop
	VADDPS  (DI), Y0, Y0
	VADDPS  (DI)(R12*4), Y3, Y3
	VMOVUPS Y0, (DI)
	VMOVUPS Y3, (DI)(R12*4)
	VZEROUPPER
	RET

// func givePlanesAVX2(sums *float32, sumsRow, sumsPlane int, values *float32, row, plane int, shares, before *float32, places *int, n int)
TEXT ·givePlanesAVX2(SB), NOSPLIT, $0-80
	MOVQ    sums+0(FP), DI
	MOVQ    sumsRow+8(FP), R12
	MOVQ    values+24(FP), SI
	MOVQ    row+32(FP), DX
	MOVQ    plane+40(FP), CX
	MOVQ    shares+48(FP), R8
	MOVQ    before+56(FP), R9
	MOVQ    places+64(FP), R10
	MOVQ    n+72(FP), R11
	SHLQ    $2, R12
	SHLQ    $2, CX
	LEAQ    (SI)(DX*4), BX
	VMOVUPS (SI), Y6
	VMOVUPS (SI)(CX*1), Y7
	VMOVUPS (SI)(CX*2), Y8
	VMOVUPS (BX), Y9
	VMOVUPS (BX)(CX*1), Y10
	VMOVUPS (BX)(CX*2), Y11
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	VXORPS  Y2, Y2, Y2
	VXORPS  Y3, Y3, Y3
	VXORPS  Y4, Y4, Y4
	VXORPS  Y5, Y5, Y5

loop:
	MOVQ    (R10), AX
	LEAQ    (BX)(AX*4), R13
	LEAQ    (SI)(AX*4), AX
	VMOVUPS (R8), Y12
	VADDPS  (R9), Y12, Y13
	GIVE((AX), Y6, Y13, Y0, Y14)
	GIVE((AX)(CX*1), Y7, Y13, Y1, Y15)
	GIVE((AX)(CX*2), Y8, Y13, Y2, Y14)
	GIVE((R13), Y9, Y12, Y3, Y15)
	GIVE((R13)(CX*1), Y10, Y12, Y4, Y14)
	GIVE((R13)(CX*2), Y11, Y12, Y5, Y15)
	ADDQ    $64, R8
	ADDQ    $64, R9
	ADDQ    $8, R10
	DECQ    R11
	JNZ     loop
	MOVQ    sumsPlane+16(FP), CX
	SHLQ    $2, CX
	LEAQ    (DI)(R12*1), BX
	VADDPS  (DI), Y0, Y0
	VADDPS  (DI)(CX*1), Y1, Y1
	VADDPS  (DI)(CX*2), Y2, Y2
	VADDPS  (BX), Y3, Y3
	VADDPS  (BX)(CX*1), Y4, Y4
	VADDPS  (BX)(CX*2), Y5, Y5
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, (DI)(CX*1)
	VMOVUPS Y2, (DI)(CX*2)
	VMOVUPS Y3, (BX)
	VMOVUPS Y4, (BX)(CX*1)
	VMOVUPS Y5, (BX)(CX*2)
	VZEROUPPER
	RET

DATA sizeBits<>+0(SB)/4, $0x7fffffff
GLOBL sizeBits<>(SB), RODATA|NOPTR, $4

// func splitAVX2(even, odd, from *float32, unit float32, n int) float32
TEXT ·splitAVX2(SB), NOSPLIT, $0-44
	MOVQ         even+0(FP), DI
	MOVQ         odd+8(FP), SI
	MOVQ         from+16(FP), DX
	VBROADCASTSS unit+24(FP), Y14
	MOVQ         n+32(FP), CX
	VBROADCASTSS sizeBits<>(SB), Y13
	VXORPS       Y12, Y12, Y12
	XORQ         AX, AX

loop:
	VMOVUPS (DX)(AX*8), Y0
	VMOVUPS 32(DX)(AX*8), Y1
	VANDPS  Y13, Y0, Y2
	VANDPS  Y13, Y1, Y3
	VMAXPS  Y2, Y12, Y12
	VMAXPS  Y3, Y12, Y12
	VMULPS  Y14, Y0, Y0
	VMULPS  Y14, Y1, Y1
	VSHUFPS $0x88, Y1, Y0, Y2 // 0 2 8 10, 4 6 12 14
	VSHUFPS $0xdd, Y1, Y0, Y3
	VPERMPD $0xd8, Y2, Y2
	VPERMPD $0xd8, Y3, Y3
	VMOVUPS Y2, (DI)(AX*4)
	VMOVUPS Y3, (SI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop

	VEXTRACTF128 $1, Y12, X0
	VMAXPS       X0, X12, X0
	VPERMILPS    $0x4e, X0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSS       X0, ret+40(FP)
	VZEROUPPER
	RET

// func mergeAVX2(dst, v, even, odd *float32, evenShare, oddShare float64, n int)
TEXT ·mergeAVX2(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         v+8(FP), SI
	MOVQ         even+16(FP), DX
	MOVQ         odd+24(FP), R8
	VBROADCASTSD evenShare+32(FP), Y14
	VBROADCASTSD oddShare+40(FP), Y15
	MOVQ         n+48(FP), CX
	XORQ         AX, AX

loop:
	VMOVUPS    (SI)(AX*8), X0
	VMOVUPS    16(SI)(AX*8), X1
	VSHUFPS    $0x88, X1, X0, X2
	VSHUFPS    $0xdd, X1, X0, X3
	VCVTPS2PD  X2, Y2
	VCVTPS2PD  X3, Y3
	VCVTPS2PD  (DX)(AX*4), Y4
	VCVTPS2PD  (R8)(AX*4), Y5
	VMULPD     Y14, Y4, Y4
	VMULPD     Y15, Y5, Y5
	VADDPD     Y4, Y2, Y2
	VADDPD     Y5, Y3, Y3
	VCVTPD2PSY Y2, X2
	VCVTPD2PSY Y3, X3
	VUNPCKLPS  X3, X2, X0
	VUNPCKHPS  X3, X2, X1
	VMOVUPS    X0, (DI)(AX*8)
	VMOVUPS    X1, 16(DI)(AX*8)
	ADDQ       $4, AX
	CMPQ       AX, CX
	JLT        loop
	VZEROUPPER
	RET
