#include "textflag.h"

DATA three<>+0(SB)/8, $3.0
GLOBL three<>(SB), RODATA, $8

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA, $8

// func addAVX2(num, den *float64, v, h, vj, hj *float32, used *bool, inverse float64, n int)
//
// For x < n, with d = (hj[x] - h[x]) inverse and w = min(max(3 - d d, 0), 1)^2, or 0 if used[x] is false:
// num[x] += w (vj[x] - v[x]), den[x] += w, in float64 without fused multiply-add: the bits of addGo.
TEXT ·addAVX2(SB), NOSPLIT, $0-72
	MOVQ         num+0(FP), DI
	MOVQ         den+8(FP), SI
	MOVQ         v+16(FP), R8
	MOVQ         h+24(FP), R9
	MOVQ         vj+32(FP), R10
	MOVQ         hj+40(FP), R11
	MOVQ         used+48(FP), R12
	VBROADCASTSD inverse+56(FP), Y15
	MOVQ         n+64(FP), CX
	VBROADCASTSD three<>(SB), Y14
	VBROADCASTSD one<>(SB), Y13
	VXORPD       Y12, Y12, Y12
	XORQ         AX, AX             // x

loop:
	VCVTPS2PD (R11)(AX*4), Y0
	VCVTPS2PD (R9)(AX*4), Y1
	VSUBPD    Y1, Y0, Y0
	VMULPD    Y15, Y0, Y0
	VMULPD    Y0, Y0, Y0
	VSUBPD    Y0, Y14, Y0
	VMAXPD    Y12, Y0, Y0
	VMINPD    Y13, Y0, Y0
	VMULPD    Y0, Y0, Y0
	VPMOVZXBQ (R12)(AX*1), Y1      // 1 for a voxel that is used
	VPSUBQ    Y1, Y12, Y1
	VANDPD    Y1, Y0, Y0
	VCVTPS2PD (R10)(AX*4), Y2
	VCVTPS2PD (R8)(AX*4), Y3
	VSUBPD    Y3, Y2, Y2
	VMULPD    Y2, Y0, Y2
	VADDPD    (DI)(AX*8), Y2, Y2
	VADDPD    (SI)(AX*8), Y0, Y0
	VMOVUPD   Y2, (DI)(AX*8)
	VMOVUPD   Y0, (SI)(AX*8)
	ADDQ      $4, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET
