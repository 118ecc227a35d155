#include "textflag.h"

DATA three<>+0(SB)/8, $3.0
GLOBL three<>(SB), RODATA, $8

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA, $8

// func averageAVX2(out, v, guide *float32, used *bool, more *float32, factor float64, near *neighbour, count, n int)
//
// For x < n, over the neighbours j of x, with d = (guide[j] - guide[x]) inverse and w = min(max(3 - d d, 0), 1)^2, or 0 if used[j] is
// false: out[x] = v[x] + sum w (v[j] - v[x]) / (1 + sum w) + factor more[x], in float64 without fused multiply-add: the bits
// of averageGo. used is nil if all are used, more if there is none.
TEXT ·averageAVX2(SB), NOSPLIT, $0-72
	MOVQ         out+0(FP), DI
	MOVQ         v+8(FP), R8
	MOVQ         guide+16(FP), R9
	MOVQ         used+24(FP), R12
	MOVQ         more+32(FP), R13
	VBROADCASTSD factor+40(FP), Y11
	MOVQ         near+48(FP), DX
	MOVQ         count+56(FP), CX
	MOVQ         n+64(FP), BX
	VBROADCASTSD three<>(SB), Y14
	VBROADCASTSD one<>(SB), Y13
	VXORPD       Y12, Y12, Y12
	XORQ         AX, AX             // x

voxels:
	VCVTPS2PD (R8)(AX*4), Y10
	VCVTPS2PD (R9)(AX*4), Y9
	VXORPD    Y8, Y8, Y8         // the sum of w (v[j] - v[x])
	VMOVAPD   Y13, Y7            // 1 + sum w
	MOVQ      DX, SI
	MOVQ      CX, R10
	TESTQ     R10, R10
	JEQ       mean

neighbour:
	VBROADCASTSD 16(SI), Y6
	MOVQ         8(SI), R11
	ADDQ         AX, R11
	VCVTPS2PD    (R9)(R11*4), Y0
	VSUBPD       Y9, Y0, Y0
	VMULPD       Y6, Y0, Y0
	VMULPD       Y0, Y0, Y0
	VSUBPD       Y0, Y14, Y0
	VMAXPD       Y12, Y0, Y0
	VMINPD       Y13, Y0, Y0
	VMULPD       Y0, Y0, Y0
	MOVQ         (SI), R11
	ADDQ         AX, R11
	TESTQ        R12, R12
	JEQ          all
	VPMOVZXBQ    (R12)(R11*1), Y1   // 1 for a voxel that is used
	VPSUBQ       Y1, Y12, Y1
	VANDPD       Y1, Y0, Y0

all:
	VCVTPS2PD (R8)(R11*4), Y2
	VSUBPD    Y10, Y2, Y2
	VMULPD    Y2, Y0, Y2
	VADDPD    Y2, Y8, Y8
	VADDPD    Y0, Y7, Y7
	ADDQ      $24, SI
	DECQ      R10
	JNE       neighbour

mean:
	VDIVPD     Y7, Y8, Y8
	VADDPD     Y8, Y10, Y10
	TESTQ      R13, R13
	JEQ        write
	VCVTPS2PD  (R13)(AX*4), Y0
	VMULPD     Y11, Y0, Y0
	VADDPD     Y0, Y10, Y10

write:
	VCVTPD2PSY Y10, X10
	VMOVUPS    X10, (DI)(AX*4)
	ADDQ       $4, AX
	CMPQ       AX, BX
	JLT        voxels
	VZEROUPPER
	RET
