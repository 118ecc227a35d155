#include "textflag.h"

// AVX2 forms of the row kernels of rows.go, eight floats at a time: the same
// operations in the same order, no fused multiply-add, the same bits. Pointers
// need no alignment; lines have 24 floats, groups is 1, 2 or 3.

DATA ones<>+0(SB)/4, $1.0
GLOBL ones<>(SB), RODATA|NOPTR, $4

DATA magnitude<>+0(SB)/4, $0x7fffffff
GLOBL magnitude<>(SB), RODATA|NOPTR, $4

// Eight lanes that are set, then eight that are not: the mask of n lanes begins at 8 - n.
DATA lanemask<>+0(SB)/8, $0xffffffffffffffff
DATA lanemask<>+8(SB)/8, $0xffffffffffffffff
DATA lanemask<>+16(SB)/8, $0xffffffffffffffff
DATA lanemask<>+24(SB)/8, $0xffffffffffffffff
DATA lanemask<>+32(SB)/8, $0
DATA lanemask<>+40(SB)/8, $0
DATA lanemask<>+48(SB)/8, $0
DATA lanemask<>+56(SB)/8, $0
GLOBL lanemask<>(SB), RODATA|NOPTR, $64

// func combineAVX2(dst, m, a *float32, n, groups int)
TEXT ·combineAVX2(SB), NOSPLIT, $0-40
	MOVQ   dst+0(FP), DI
	MOVQ   m+8(FP), SI
	MOVQ   a+16(FP), DX
	MOVQ   n+24(FP), CX
	MOVQ   groups+32(FP), R8
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	TESTQ  CX, CX
	JZ     store
	CMPQ   R8, $2
	JLT    one
	JEQ    two

three:
	VBROADCASTSS (DX), Y3
	VMULPS       (SI), Y3, Y4
	VMULPS       32(SI), Y3, Y5
	VMULPS       64(SI), Y3, Y6
	VADDPS       Y4, Y0, Y0
	VADDPS       Y5, Y1, Y1
	VADDPS       Y6, Y2, Y2
	ADDQ         $4, DX
	ADDQ         $96, SI
	DECQ         CX
	JNZ          three
	JMP          store

two:
	VBROADCASTSS (DX), Y3
	VMULPS       (SI), Y3, Y4
	VMULPS       32(SI), Y3, Y5
	VADDPS       Y4, Y0, Y0
	VADDPS       Y5, Y1, Y1
	ADDQ         $4, DX
	ADDQ         $96, SI
	DECQ         CX
	JNZ          two
	JMP          store

one:
	VBROADCASTSS (DX), Y3
	VMULPS       (SI), Y3, Y4
	VADDPS       Y4, Y0, Y0
	ADDQ         $4, DX
	ADDQ         $96, SI
	DECQ         CX
	JNZ          one

store:
	VMOVUPS Y0, (DI)
	CMPQ    R8, $2
	JLT     done
	VMOVUPS Y1, 32(DI)
	JEQ     done
	VMOVUPS Y2, 64(DI)

done:
	VZEROUPPER
	RET

// func relativeAVX2(dst, src *float32, v0, scale float32, groups int)
TEXT ·relativeAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	VBROADCASTSS v0+16(FP), Y1
	VBROADCASTSS scale+20(FP), Y2
	MOVQ         groups+24(FP), CX

loop:
	VMOVUPS (SI), Y0
	VSUBPS  Y1, Y0, Y0
	VMULPS  Y2, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func beyondAVX2(c *float32, low, high float32, groups int) (overLow, overHigh uint32)
TEXT ·beyondAVX2(SB), NOSPLIT, $0-32
	MOVQ         c+0(FP), SI
	VBROADCASTSS low+8(FP), Y1
	VBROADCASTSS high+12(FP), Y2
	MOVQ         groups+16(FP), DX
	VBROADCASTSS magnitude<>(SB), Y3
	XORQ         R8, R8
	XORQ         R9, R9
	XORQ         CX, CX

loop:
	VANDPS    (SI), Y3, Y0
	VCMPPS    $0x1e, Y1, Y0, Y4 // above low
	VCMPPS    $0x1e, Y2, Y0, Y5
	VMOVMSKPS Y4, R10
	VMOVMSKPS Y5, R11
	SHLL      CX, R10
	SHLL      CX, R11
	ORL       R10, R8
	ORL       R11, R9
	ADDQ      $8, CX
	ADDQ      $32, SI
	DECQ      DX
	JNZ       loop
	MOVL      R8, overLow+24(FP)
	MOVL      R9, overHigh+28(FP)
	VZEROUPPER
	RET

// func attenuateAVX2(c, q, sums *float32, groups int)
TEXT ·attenuateAVX2(SB), NOSPLIT, $0-32
	MOVQ         c+0(FP), DI
	MOVQ         q+8(FP), SI
	MOVQ         sums+16(FP), DX
	MOVQ         groups+24(FP), CX
	VBROADCASTSS ones<>(SB), Y7

loop:
	VMOVUPS (SI), Y0
	VMULPS  Y0, Y0, Y0
	VADDPS  Y0, Y7, Y0
	VDIVPS  Y0, Y7, Y0 // 1 / (1 + q^2)
	VSUBPS  Y0, Y7, Y0 // the gain
	VMULPS  (DI), Y0, Y1
	VMOVUPS Y1, (DI)
	VMULPS  Y0, Y0, Y0
	VADDPS  (DX), Y0, Y0
	VMOVUPS Y0, (DX)
	ADDQ    $32, DI
	ADDQ    $32, SI
	ADDQ    $32, DX
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET

// func depositAVX2(num, den, r, u *float32, mean, weight float32, n int)
TEXT ·depositAVX2(SB), NOSPLIT, $0-48
	MOVQ         num+0(FP), DI
	MOVQ         den+8(FP), SI
	MOVQ         r+16(FP), R8
	MOVQ         u+24(FP), R9
	VBROADCASTSS mean+32(FP), Y1
	VBROADCASTSS weight+36(FP), Y2
	MOVQ         n+40(FP), CX
	LEAQ         lanemask<>(SB), R10

loop:
	CMPQ    CX, $8
	JGE     whole
	MOVQ    $8, AX
	SUBQ    CX, AX
	VMOVUPS (R10)(AX*4), Y3
	VMOVUPS (R8), Y0
	VADDPS  Y1, Y0, Y0
	VSUBPS  (R9), Y0, Y0
	VMULPS  Y2, Y0, Y0
	VMOVUPS (DI), Y4
	VADDPS  Y0, Y4, Y5
	VBLENDVPS Y3, Y5, Y4, Y4
	VMOVUPS Y4, (DI)
	VMOVUPS (SI), Y4
	VADDPS  Y2, Y4, Y5
	VBLENDVPS Y3, Y5, Y4, Y4
	VMOVUPS Y4, (SI)
	VZEROUPPER
	RET

whole:
	VMOVUPS (R8), Y0
	VADDPS  Y1, Y0, Y0
	VSUBPS  (R9), Y0, Y0 // r + mean - u
	VMULPS  Y2, Y0, Y0
	VADDPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	VADDPS  (SI), Y2, Y0
	VMOVUPS Y0, (SI)
	ADDQ    $32, DI
	ADDQ    $32, SI
	ADDQ    $32, R8
	ADDQ    $32, R9
	SUBQ    $8, CX
	JNZ     loop
	VZEROUPPER
	RET

// func squaresAVX2(c, sums *float32, groups int)
TEXT ·squaresAVX2(SB), NOSPLIT, $0-24
	MOVQ c+0(FP), SI
	MOVQ sums+8(FP), DI
	MOVQ groups+16(FP), CX

loop:
	VMOVUPS (SI), Y0
	VMULPS  Y0, Y0, Y0
	VADDPS  (DI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	DECQ    CX
	JNZ     loop
	VZEROUPPER
	RET
