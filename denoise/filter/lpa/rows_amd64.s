#include "textflag.h"

DATA constants<>+0(SB)/8, $0x7ff0000000000000 // +inf
DATA constants<>+8(SB)/8, $0xfff0000000000000 // -inf
DATA constants<>+16(SB)/8, $1.0
GLOBL constants<>(SB), RODATA|NOPTR, $24

// func estimateAVX2(dst, v *float32, rays *ray, scales *scale, count int, taps, diffs *float64, n int)
//
// fast.pixel for four pixels at a time: the same operations in float64 in the same
// order, no fused multiply-add, the same bits. A pixel whose intervals have no common
// point any more keeps its mean and q to the end, as lower only rises and upper only
// falls.
//
// Y0 is v_0, Y1 and Y2 are the sums of mu / q and of 1 / q over the directions; Y4 and
// Y5 are lower and upper of a direction, Y9 and Y10 its mu and q. R8 and R9 are the
// current ray and scale.
TEXT ·estimateAVX2(SB), NOSPLIT, $0-64
	MOVQ         dst+0(FP), DI
	MOVQ         v+8(FP), SI
	MOVQ         taps+40(FP), R11
	MOVQ         diffs+48(FP), R12
	MOVQ         n+56(FP), CX
	VBROADCASTSD constants<>+0(SB), Y13
	VBROADCASTSD constants<>+8(SB), Y14
	VBROADCASTSD constants<>+16(SB), Y15

pixels:
	VCVTPS2PD (SI), Y0
	VXORPD    Y1, Y1, Y1
	VXORPD    Y2, Y2, Y2
	MOVQ      rays+16(FP), R8
	MOVQ      scales+24(FP), R9
	MOVQ      $8, AX             // directions

direction:
	MOVQ (R8), R13               // step in bytes
	SHLQ $2, R13
	MOVQ 8(R8), R10              // end of the samples in diffs, in bytes
	SHLQ $5, R10
	MOVQ SI, BX
	MOVQ $32, DX                 // the first difference is 0

difference:
	CMPQ      DX, R10
	JGE       scales
	ADDQ      R13, BX
	VCVTPS2PD (BX), Y3
	VSUBPD    Y0, Y3, Y3         // v_j - v_0
	VMOVUPD   Y3, (R12)(DX*1)
	ADDQ      $32, DX
	JMP       difference

scales:
	VMOVAPD Y14, Y4
	VMOVAPD Y13, Y5
	MOVQ    count+32(FP), R10

scale:
	MOVQ   (R9), BX
	LEAQ   (R11)(BX*8), BX       // its weights
	MOVQ   8(R9), R13            // their end, in bytes
	SHLQ   $3, R13
	MOVQ   $8, DX
	VXORPD Y3, Y3, Y3

tap:
	CMPQ         DX, R13
	JGE          mean
	VBROADCASTSD (BX)(DX*1), Y6
	VMULPD       (R12)(DX*4), Y6, Y6
	VADDPD       Y6, Y3, Y3
	ADDQ         $8, DX
	JMP          tap

mean:
	VBROADCASTSD 16(R9), Y6
	VDIVPD       Y6, Y3, Y3
	VADDPD       Y3, Y0, Y3      // mean
	VBROADCASTSD 24(R9), Y6
	VSUBPD       Y6, Y3, Y7
	VADDPD       Y6, Y3, Y8
	VMAXPD       Y4, Y7, Y4      // lower
	VMINPD       Y5, Y8, Y5      // upper
	VCMPPD       $1, Y4, Y5, Y7  // upper < lower: it ends before this scale
	VBLENDVPD    Y7, Y9, Y3, Y9
	VBROADCASTSD 32(R9), Y6
	VBLENDVPD    Y7, Y10, Y6, Y10
	ADDQ         $40, R9
	DECQ         R10
	JNZ          scale

	VSUBPD Y0, Y9, Y9
	VDIVPD Y10, Y9, Y9
	VADDPD Y9, Y1, Y1            // (mu - v_0) / q
	VDIVPD Y10, Y15, Y10
	VADDPD Y10, Y2, Y2           // 1 / q
	ADDQ   $16, R8
	DECQ   AX
	JNZ    direction

	VDIVPD     Y2, Y1, Y1
	VADDPD     Y1, Y0, Y0
	VCVTPD2PSY Y0, X0
	VMOVUPS    X0, (DI)
	ADDQ       $16, SI
	ADDQ       $16, DI
	SUBQ       $4, CX
	JGT        pixels
	VZEROUPPER
	RET
