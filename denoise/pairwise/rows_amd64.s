#include "textflag.h"

// AVX2 forms of the row kernels of rows.go, eight floats at a time: the same
// operations in the same order, no fused multiply-add, the same bits. Pointers
// need no alignment; n is a positive multiple of 8.

DATA constants<>+0(SB)/4, $12582912.0              // roundMagic
DATA constants<>+4(SB)/4, $110.0                   // MaxExponent
DATA constants<>+8(SB)/4, $0.0001534581242594868   // exp2c6
DATA constants<>+12(SB)/4, $0.0013399930903688073  // exp2c5
DATA constants<>+16(SB)/4, $0.009618489071726799   // exp2c4
DATA constants<>+20(SB)/4, $0.05550328642129898    // exp2c3
DATA constants<>+24(SB)/4, $0.24022646248340607    // exp2c2
DATA constants<>+28(SB)/4, $0.6931471824645996     // exp2c1
DATA constants<>+32(SB)/4, $1.0
GLOBL constants<>(SB), RODATA|NOPTR, $36

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

// func weighAVX2(w, d *float32, scale, bias float32, n int)
TEXT ·weighAVX2(SB), NOSPLIT, $0-32
	MOVQ         w+0(FP), DI
	MOVQ         d+8(FP), SI
	VBROADCASTSS scale+16(FP), Y4
	VBROADCASTSS bias+20(FP), Y5
	MOVQ         n+24(FP), CX
	VBROADCASTSS constants<>+0(SB), Y6
	VBROADCASTSS constants<>+4(SB), Y7
	VBROADCASTSS constants<>+8(SB), Y8
	VBROADCASTSS constants<>+12(SB), Y9
	VBROADCASTSS constants<>+16(SB), Y10
	VBROADCASTSS constants<>+20(SB), Y11
	VBROADCASTSS constants<>+24(SB), Y12
	VBROADCASTSS constants<>+28(SB), Y13
	VBROADCASTSS constants<>+32(SB), Y14
	VXORPS       Y15, Y15, Y15
	XORQ         AX, AX

loop:
	VMULPS  (SI)(AX*4), Y4, Y0
	VADDPS  Y5, Y0, Y0
	VMAXPS  Y15, Y0, Y0
	VMINPS  Y7, Y0, Y0  // t
	VADDPS  Y6, Y0, Y1  // y: round(t) in its low bits
	VSUBPS  Y6, Y1, Y2
	VSUBPS  Y0, Y2, Y2  // r
	VMULPS  Y2, Y8, Y3
	VADDPS  Y9, Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  Y10, Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  Y11, Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  Y12, Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  Y13, Y3, Y3
	VMULPS  Y2, Y3, Y3
	VADDPS  Y14, Y3, Y3 // 2^r
	VPSLLD  $23, Y1, Y1
	VPSUBD  Y1, Y3, Y3  // 2^r 2^-n
	VMOVUPS Y3, (DI)(AX*4)
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

DATA bitOf<>+0(SB)/4, $1
DATA bitOf<>+4(SB)/4, $2
DATA bitOf<>+8(SB)/4, $4
DATA bitOf<>+12(SB)/4, $8
DATA bitOf<>+16(SB)/4, $16
DATA bitOf<>+20(SB)/4, $32
DATA bitOf<>+24(SB)/4, $64
DATA bitOf<>+28(SB)/4, $128
GLOBL bitOf<>(SB), RODATA|NOPTR, $32

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
