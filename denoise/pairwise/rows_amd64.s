#include "textflag.h"

// AVX2 forms of the row kernels of rows.go, eight floats at a time: the same
// operations in the same order, no fused multiply-add, the same bits. Pointers
// need no alignment; n is a positive multiple of 8.

// constants<>+32k is constant k of weighGo, once for each lane.
#define CONSTANT(at, value) \
	DATA constants<>+(at+0)(SB)/4, value; \
	DATA constants<>+(at+4)(SB)/4, value; \
	DATA constants<>+(at+8)(SB)/4, value; \
	DATA constants<>+(at+12)(SB)/4, value; \
	DATA constants<>+(at+16)(SB)/4, value; \
	DATA constants<>+(at+20)(SB)/4, value; \
	DATA constants<>+(at+24)(SB)/4, value; \
	DATA constants<>+(at+28)(SB)/4, value

CONSTANT(0, $12582912.0) // roundMagic
CONSTANT(32, $110.0) // MaxExponent
CONSTANT(64, $0.0001534581242594868) // exp2c6
CONSTANT(96, $0.0013399930903688073) // exp2c5
CONSTANT(128, $0.009618489071726799) // exp2c4
CONSTANT(160, $0.05550328642129898) // exp2c3
CONSTANT(192, $0.24022646248340607) // exp2c2
CONSTANT(224, $0.6931471824645996) // exp2c1
CONSTANT(256, $1.0)
GLOBL constants<>(SB), RODATA|NOPTR, $288

// func squareDiffAVX2(dst, a, b *float32, n int)
TEXT ·squareDiffAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VSUBPS  (DX)(AX*4), Y0, Y0 // a - b
	VMULPS  Y0, Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func addSquareDiffAVX2(dst, a, b *float32, gain float32, n int)
TEXT ·addSquareDiffAVX2(SB), NOSPLIT, $0-40
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), DX
	VBROADCASTSS gain+24(FP), Y1
	MOVQ         n+32(FP), CX
	XORQ         AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VSUBPS  (DX)(AX*4), Y0, Y0 // a - b
	VMULPS  Y0, Y0, Y0
	VMULPS  Y0, Y1, Y0
	VADDPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func addPairAVX2(dst, mid, l, r *float32, tap float32, n int)
TEXT ·addPairAVX2(SB), NOSPLIT, $0-48
	MOVQ         dst+0(FP), DI
	MOVQ         mid+8(FP), SI
	MOVQ         l+16(FP), DX
	MOVQ         r+24(FP), R8
	VBROADCASTSS tap+32(FP), Y1
	MOVQ         n+40(FP), CX
	XORQ         AX, AX

loop:
	VMOVUPS (DX)(AX*4), Y0
	VADDPS  (R8)(AX*4), Y0, Y0 // l + r
	VMULPS  Y1, Y0, Y0
	VADDPS  (SI)(AX*4), Y0, Y0 // mid + tap (l + r)
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// EXPONENTIAL sets Y8 to 2^-t, t = min(max(0, Y0), MaxExponent), as weighGo does: Y4 is
// t + roundMagic, whose low bits are n = round(t), Y0 is r = n - t, Y8 is 2^r by the
// polynomial, then 2^r 2^-n. Y14 is roundMagic, Y15 is 0.
#define EXPONENTIAL \
	VMAXPS Y15, Y0, Y0; \
	VMINPS constants<>+32(SB), Y0, Y0; \
	VADDPS Y14, Y0, Y4; \
	VSUBPS Y14, Y4, Y8; \
	VSUBPS Y0, Y8, Y0; \
	VMULPS constants<>+64(SB), Y0, Y8; \
	VADDPS constants<>+96(SB), Y8, Y8; \
	VMULPS Y0, Y8, Y8; \
	VADDPS constants<>+128(SB), Y8, Y8; \
	VMULPS Y0, Y8, Y8; \
	VADDPS constants<>+160(SB), Y8, Y8; \
	VMULPS Y0, Y8, Y8; \
	VADDPS constants<>+192(SB), Y8, Y8; \
	VMULPS Y0, Y8, Y8; \
	VADDPS constants<>+224(SB), Y8, Y8; \
	VMULPS Y0, Y8, Y8; \
	VADDPS constants<>+256(SB), Y8, Y8; \
	VPSLLD $23, Y4, Y4; \
	VPSUBD Y4, Y8, Y8

// EXPONENTIAL4 does the same for Y0 to Y3, with Y4 to Y7, into Y8 to Y11. Its steps take
// turns: one exponential is a chain of 19 instructions that wait for each other, and the
// processor does not look far enough ahead to find the next one.
#define FOUR(instruction, second, a0, a1, a2, a3, b0, b1, b2, b3) \
	instruction second, a0, b0; \
	instruction second, a1, b1; \
	instruction second, a2, b2; \
	instruction second, a3, b3

#define FOUR_PAIRS(instruction, a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3) \
	instruction a0, b0, c0; \
	instruction a1, b1, c1; \
	instruction a2, b2, c2; \
	instruction a3, b3, c3

#define HORNER(coefficient) \
	FOUR(VADDPS, coefficient, Y8, Y9, Y10, Y11, Y8, Y9, Y10, Y11); \
	FOUR_PAIRS(VMULPS, Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11, Y8, Y9, Y10, Y11)

#define EXPONENTIAL4 \
	FOUR(VMAXPS, Y15, Y0, Y1, Y2, Y3, Y0, Y1, Y2, Y3); \
	FOUR(VMINPS, constants<>+32(SB), Y0, Y1, Y2, Y3, Y0, Y1, Y2, Y3); \
	FOUR(VADDPS, Y14, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7); \
	FOUR(VSUBPS, Y14, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11); \
	FOUR_PAIRS(VSUBPS, Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11, Y0, Y1, Y2, Y3); \
	FOUR(VMULPS, constants<>+64(SB), Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11); \
	HORNER(constants<>+96(SB)); \
	HORNER(constants<>+128(SB)); \
	HORNER(constants<>+160(SB)); \
	HORNER(constants<>+192(SB)); \
	HORNER(constants<>+224(SB)); \
	FOUR(VADDPS, constants<>+256(SB), Y8, Y9, Y10, Y11, Y8, Y9, Y10, Y11); \
	FOUR(VPSLLD, $23, Y4, Y5, Y6, Y7, Y4, Y5, Y6, Y7); \
	FOUR_PAIRS(VPSUBD, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y8, Y9, Y10, Y11)

// func weighAVX2(w, d *float32, scale, bias float32, n int)
TEXT ·weighAVX2(SB), NOSPLIT, $0-32
	MOVQ         w+0(FP), DI
	MOVQ         d+8(FP), SI
	VBROADCASTSS scale+16(FP), Y12
	VBROADCASTSS bias+20(FP), Y13
	MOVQ         n+24(FP), CX
	VMOVUPS      constants<>+0(SB), Y14
	VXORPS       Y15, Y15, Y15

four:
	CMPQ    CX, $32
	JLT     one
	VMULPS  (SI), Y12, Y0
	VMULPS  32(SI), Y12, Y1
	VMULPS  64(SI), Y12, Y2
	VMULPS  96(SI), Y12, Y3
	FOUR(VADDPS, Y13, Y0, Y1, Y2, Y3, Y0, Y1, Y2, Y3)
	EXPONENTIAL4
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, 32(DI)
	VMOVUPS Y10, 64(DI)
	VMOVUPS Y11, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $32, CX
	JMP     four

one:
	CMPQ    CX, $0
	JLE     done
	VMULPS  (SI), Y12, Y0
	VADDPS  Y13, Y0, Y0
	EXPONENTIAL
	VMOVUPS Y8, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JMP     one

done:
	VZEROUPPER
	RET

// bitOf<>+4k is bit k of a byte, in eight lanes.
DATA bitOf<>+0(SB)/4, $1
DATA bitOf<>+4(SB)/4, $2
DATA bitOf<>+8(SB)/4, $4
DATA bitOf<>+12(SB)/4, $8
DATA bitOf<>+16(SB)/4, $16
DATA bitOf<>+20(SB)/4, $32
DATA bitOf<>+24(SB)/4, $64
DATA bitOf<>+28(SB)/4, $128
GLOBL bitOf<>(SB), RODATA|NOPTR, $32

// USED clears the lanes of w whose bit in the byte at o is not set, by t.
#define USED(o, w, t) \
	VPBROADCASTB o(R12), t; \
	VPAND bitOf<>(SB), t, t; \
	VPCMPEQD bitOf<>(SB), t, t; \
	VANDPS w, t, w

// func weighSumAVX2(w, sum, peak, a, b, c, least *float32, scale float32, bits *byte, n int)
TEXT ·weighSumAVX2(SB), NOSPLIT, $0-80
	MOVQ         w+0(FP), DI
	MOVQ         sum+8(FP), R10
	MOVQ         peak+16(FP), R11
	MOVQ         a+24(FP), SI
	MOVQ         b+32(FP), DX
	MOVQ         c+40(FP), R8
	MOVQ         least+48(FP), R9
	VBROADCASTSS scale+56(FP), Y12
	MOVQ         bits+64(FP), R12
	MOVQ         n+72(FP), CX
	VMOVUPS      (R9), Y13
	VMOVUPS      constants<>+0(SB), Y14
	VXORPS       Y15, Y15, Y15
	XORQ         AX, AX

four:
	CMPQ    CX, $32
	JLT     one
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS 32(SI)(AX*4), Y1
	VMOVUPS 64(SI)(AX*4), Y2
	VMOVUPS 96(SI)(AX*4), Y3
	VADDPS  (DX)(AX*4), Y0, Y0
	VADDPS  32(DX)(AX*4), Y1, Y1
	VADDPS  64(DX)(AX*4), Y2, Y2
	VADDPS  96(DX)(AX*4), Y3, Y3
	VADDPS  (R8)(AX*4), Y0, Y0
	VADDPS  32(R8)(AX*4), Y1, Y1
	VADDPS  64(R8)(AX*4), Y2, Y2
	VADDPS  96(R8)(AX*4), Y3, Y3
	FOUR(VMULPS, Y12, Y0, Y1, Y2, Y3, Y0, Y1, Y2, Y3)
	FOUR(VSUBPS, Y13, Y0, Y1, Y2, Y3, Y0, Y1, Y2, Y3)
	EXPONENTIAL4
	USED(0, Y8, Y0)
	USED(1, Y9, Y1)
	USED(2, Y10, Y2)
	USED(3, Y11, Y3)
	VMOVUPS Y8, (DI)(AX*4)
	VMOVUPS Y9, 32(DI)(AX*4)
	VMOVUPS Y10, 64(DI)(AX*4)
	VMOVUPS Y11, 96(DI)(AX*4)
	VADDPS  (R10), Y8, Y0
	VADDPS  Y9, Y0, Y0
	VADDPS  Y10, Y0, Y0
	VADDPS  Y11, Y0, Y0
	VMOVUPS Y0, (R10)
	VMAXPS  Y8, Y9, Y8
	VMAXPS  Y10, Y11, Y10
	VMAXPS  Y8, Y10, Y8
	VMAXPS  (R11), Y8, Y8
	VMOVUPS Y8, (R11)
	ADDQ    $32, AX
	ADDQ    $4, R12
	SUBQ    $32, CX
	JMP     four

one:
	CMPQ    CX, $0
	JLE     done
	VMOVUPS (SI)(AX*4), Y0
	VADDPS  (DX)(AX*4), Y0, Y0
	VADDPS  (R8)(AX*4), Y0, Y0
	VMULPS  Y12, Y0, Y0
	VSUBPS  Y13, Y0, Y0
	EXPONENTIAL
	USED(0, Y8, Y0)
	VMOVUPS Y8, (DI)(AX*4)
	VADDPS  (R10), Y8, Y0
	VMOVUPS Y0, (R10)
	VMAXPS  (R11), Y8, Y8
	VMOVUPS Y8, (R11)
	ADDQ    $8, AX
	INCQ    R12
	SUBQ    $8, CX
	JMP     one

done:
	VZEROUPPER
	RET

// used<>+32-4k are eight lanes, the first k of which are used.
DATA used<>+0(SB)/8, $-1
DATA used<>+8(SB)/8, $-1
DATA used<>+16(SB)/8, $-1
DATA used<>+24(SB)/8, $-1
DATA used<>+32(SB)/8, $0
DATA used<>+40(SB)/8, $0
DATA used<>+48(SB)/8, $0
DATA used<>+56(SB)/8, $0
GLOBL used<>(SB), RODATA|NOPTR, $64

// DISTANCE sets an exponent to scale (b - a)^2 + bias.
#define DISTANCE(at, to) \
	VMOVUPS at(R10)(AX*4), to; \
	VSUBPS  at(R9)(AX*4), to, to; \
	VMULPS  to, to, to; \
	VMULPS  Y12, to, to; \
	VADDPS  Y13, to, to

// ADD_ENDS adds pairs of weight w to the sums of both ends.
#define ADD_ENDS(at, w) \
	VMOVUPS at(R10)(AX*4), Y0; \
	VSUBPS  at(R9)(AX*4), Y0, Y0; \
	VMULPS  w, Y0, Y0; \
	VADDPS  at(DI)(AX*4), Y0, Y1; \
	VMOVUPS at(DX)(AX*4), Y2; \
	VSUBPS  Y0, Y2, Y2; \
	VADDPS  at(SI)(AX*4), w, Y3; \
	VADDPS  at(R8)(AX*4), w, w; \
	VMOVUPS Y1, at(DI)(AX*4); \
	VMOVUPS Y2, at(DX)(AX*4); \
	VMOVUPS Y3, at(SI)(AX*4); \
	VMOVUPS w, at(R8)(AX*4)

// func addPairsAVX2(numA, denA, numB, denB, a, b *float32, scale, bias float32, n int)
//
// n is any positive number: the lanes past it add a weight of 0.
TEXT ·addPairsAVX2(SB), NOSPLIT, $0-64
	MOVQ         numA+0(FP), DI
	MOVQ         denA+8(FP), SI
	MOVQ         numB+16(FP), DX
	MOVQ         denB+24(FP), R8
	MOVQ         a+32(FP), R9
	MOVQ         b+40(FP), R10
	VBROADCASTSS scale+48(FP), Y12
	VBROADCASTSS bias+52(FP), Y13
	MOVQ         n+56(FP), CX
	VMOVUPS      constants<>+0(SB), Y14
	VXORPS       Y15, Y15, Y15
	LEAQ         used<>+32(SB), R11
	XORQ         AX, AX

four:
	CMPQ CX, $32
	JLT  one
	DISTANCE(0, Y0)
	DISTANCE(32, Y1)
	DISTANCE(64, Y2)
	DISTANCE(96, Y3)
	EXPONENTIAL4
	ADD_ENDS(0, Y8)
	ADD_ENDS(32, Y9)
	ADD_ENDS(64, Y10)
	ADD_ENDS(96, Y11)
	ADDQ $32, AX
	SUBQ $32, CX
	JMP  four

one:
	CMPQ CX, $0
	JLE  done
	DISTANCE(0, Y0)
	EXPONENTIAL
	CMPQ CX, $8
	JGE  whole
	NEGQ CX
	VANDPS (R11)(CX*4), Y8, Y8
	NEGQ CX

whole:
	ADD_ENDS(0, Y8)
	ADDQ $8, AX
	SUBQ $8, CX
	JMP  one

done:
	VZEROUPPER
	RET

// func accumulateBothAVX2(numA, denA, numB, denB, w, a, b *float32, n int)
TEXT ·accumulateBothAVX2(SB), NOSPLIT, $0-64
	MOVQ numA+0(FP), DI
	MOVQ denA+8(FP), SI
	MOVQ numB+16(FP), DX
	MOVQ denB+24(FP), R8
	MOVQ w+32(FP), R9
	MOVQ a+40(FP), R10
	MOVQ b+48(FP), R11
	MOVQ n+56(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (R9)(AX*4), Y0
	VMOVUPS (R11)(AX*4), Y1
	VSUBPS  (R10)(AX*4), Y1, Y1 // b - a
	VMULPS  Y0, Y1, Y1
	VADDPS  (DI)(AX*4), Y1, Y2
	VMOVUPS (DX)(AX*4), Y3
	VSUBPS  Y1, Y3, Y3
	VADDPS  (SI)(AX*4), Y0, Y4
	VADDPS  (R8)(AX*4), Y0, Y0
	VMOVUPS Y2, (DI)(AX*4)
	VMOVUPS Y3, (DX)(AX*4)
	VMOVUPS Y4, (SI)(AX*4)
	VMOVUPS Y0, (R8)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func accumulateAVX2(num, den, w, a, b *float32, n int)
TEXT ·accumulateAVX2(SB), NOSPLIT, $0-48
	MOVQ num+0(FP), DI
	MOVQ den+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ a+24(FP), R8
	MOVQ b+32(FP), R9
	MOVQ n+40(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (DX)(AX*4), Y0
	VMOVUPS (R9)(AX*4), Y1
	VSUBPS  (R8)(AX*4), Y1, Y1 // b - a
	VMULPS  Y0, Y1, Y1
	VADDPS  (DI)(AX*4), Y1, Y1
	VMOVUPS Y1, (DI)(AX*4)
	VADDPS  (SI)(AX*4), Y0, Y0
	VMOVUPS Y0, (SI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func maximumAVX2(peak, w *float32, n int)
TEXT ·maximumAVX2(SB), NOSPLIT, $0-24
	MOVQ peak+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VMAXPS  (DI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func gradientAVX2(dst, a, b, c *float32, near float32, n int)
TEXT ·gradientAVX2(SB), NOSPLIT, $0-48
	MOVQ         dst+0(FP), DI
	MOVQ         a+8(FP), SI
	MOVQ         b+16(FP), DX
	MOVQ         c+24(FP), R8
	VBROADCASTSS near+32(FP), Y3
	MOVQ         n+40(FP), CX
	XORQ         AX, AX

loop:
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS (DX)(AX*4), Y1
	VSUBPS  Y0, Y1, Y1         // b - a
	VADDPS  Y1, Y1, Y1
	VSUBPS  (R8)(AX*4), Y0, Y0 // a - c
	VMULPS  Y0, Y3, Y0
	VSUBPS  Y0, Y1, Y1
	VMOVUPS Y1, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func nearestAVX2(least, slope, d, grad *float32, n int)
TEXT ·nearestAVX2(SB), NOSPLIT, $0-40
	MOVQ least+0(FP), DI
	MOVQ slope+8(FP), SI
	MOVQ d+16(FP), DX
	MOVQ grad+24(FP), R8
	MOVQ n+32(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS   (DI)(AX*4), Y0
	VMOVUPS   (DX)(AX*4), Y1
	VMOVUPS   (SI)(AX*4), Y2
	VCMPPS    $1, Y0, Y1, Y3     // d < least
	VBLENDVPS Y3, Y1, Y0, Y0
	VBLENDVPS Y3, (R8)(AX*4), Y2, Y2
	VMOVUPS   Y0, (DI)(AX*4)
	VMOVUPS   Y2, (SI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

// func accumulateSteinAVX2(num, den, gd, gl, w, live, a, b, grad *float32, n int)
TEXT ·accumulateSteinAVX2(SB), NOSPLIT, $0-80
	MOVQ num+0(FP), DI
	MOVQ den+8(FP), SI
	MOVQ gd+16(FP), DX
	MOVQ gl+24(FP), R8
	MOVQ w+32(FP), R9
	MOVQ live+40(FP), R10
	MOVQ a+48(FP), R11
	MOVQ b+56(FP), R12
	MOVQ grad+64(FP), R13
	MOVQ n+72(FP), CX
	XORQ AX, AX

loop:
	VMOVUPS (R9)(AX*4), Y0
	VMOVUPS (R12)(AX*4), Y1
	VSUBPS  (R11)(AX*4), Y1, Y1 // d = b - a
	VMOVUPS (R10)(AX*4), Y2
	VMULPS  (R13)(AX*4), Y2, Y2 // l = live g
	VMULPS  Y0, Y1, Y3
	VADDPS  (DI)(AX*4), Y3, Y3
	VMOVUPS Y3, (DI)(AX*4)
	VADDPS  (SI)(AX*4), Y0, Y0
	VMOVUPS Y0, (SI)(AX*4)
	VMULPS  Y2, Y1, Y3
	VADDPS  (DX)(AX*4), Y3, Y3
	VMOVUPS Y3, (DX)(AX*4)
	VADDPS  (R8)(AX*4), Y2, Y2
	VMOVUPS Y2, (R8)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     loop
	VZEROUPPER
	RET

// func alikeAVX2(bits *byte, ma, mb, da, db *float32, apart, ratio float32, n int) uint64
TEXT ·alikeAVX2(SB), NOSPLIT, $0-64
	MOVQ         bits+0(FP), DI
	MOVQ         ma+8(FP), SI
	MOVQ         mb+16(FP), DX
	MOVQ         da+24(FP), R8
	MOVQ         db+32(FP), R9
	VBROADCASTSS apart+40(FP), Y10
	VBROADCASTSS ratio+44(FP), Y11
	MOVQ         n+48(FP), CX
	VPCMPEQD     Y12, Y12, Y12
	VPSRLD       $1, Y12, Y12 // all bits but the sign
	XORQ         AX, AX
	XORQ         R10, R10

loop:
	VMOVUPS   (SI)(AX*4), Y0
	VMOVUPS   (DX)(AX*4), Y1
	VSUBPS    Y1, Y0, Y2
	VANDPS    Y12, Y2, Y2      // |m_a - m_b|
	VANDPS    Y12, Y0, Y0
	VANDPS    Y12, Y1, Y1
	VMAXPS    Y1, Y0, Y0
	VMULPS    Y10, Y0, Y0
	VCMPPS    $1, Y0, Y2, Y2   // Y2 < Y0
	VMOVUPS   (R8)(AX*4), Y3
	VMOVUPS   (R9)(AX*4), Y4
	VMINPS    Y4, Y3, Y5
	VMAXPS    Y4, Y3, Y6
	VMULPS    Y11, Y6, Y6
	VCMPPS    $1, Y5, Y6, Y6   // Y6 < Y5
	VANDPS    Y6, Y2, Y2
	VMOVMSKPS Y2, BX
	MOVB      BX, (DI)
	INCQ      DI
	NEGL      BX               // carry: not 0
	RCRQ      $1, R10          // the set, from the top
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	SHRQ      $3, CX
	NEGQ      CX               // 64 - groups, modulo 64
	SHRQ      CX, R10
	MOVQ      R10, ret+56(FP)
	RET

// func keepAVX2(w *float32, bits *byte, n int)
TEXT ·keepAVX2(SB), NOSPLIT, $0-24
	MOVQ    w+0(FP), DI
	MOVQ    bits+8(FP), SI
	MOVQ    n+16(FP), CX
	VMOVDQU bitOf<>(SB), Y1
	XORQ    AX, AX

loop:
	VPBROADCASTB (SI), Y0
	VPAND        Y1, Y0, Y0
	VPCMPEQD     Y1, Y0, Y0
	VANDPS       (DI)(AX*4), Y0, Y0
	VMOVUPS      Y0, (DI)(AX*4)
	INCQ         SI
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          loop
	VZEROUPPER
	RET
