#include "textflag.h"

// func rowAVX2(dst, src *float64, offsets *int, taps *float64, count, n int)
//
// dst[x] = sum_k taps[k] src[offsets[k]+x], from 0 and in the order of k, without fused
// multiply-add: the bits of rowGo. Groups of 16 values keep their sums in four
// registers; the rest of the row goes four values at a time.
TEXT ·rowAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ offsets+16(FP), DX
	MOVQ taps+24(FP), R8
	MOVQ count+32(FP), R9
	MOVQ n+40(FP), CX
	XORQ AX, AX             // x
	MOVQ CX, R10
	ANDQ $~15, R10          // end of the groups of 16

wide:
	CMPQ   AX, R10
	JGE    narrow
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ   BX, BX           // k

wideTap:
	MOVQ         (DX)(BX*8), R11
	ADDQ         AX, R11
	LEAQ         (SI)(R11*8), R11
	VBROADCASTSD (R8)(BX*8), Y8
	VMULPD       (R11), Y8, Y4
	VMULPD       32(R11), Y8, Y5
	VMULPD       64(R11), Y8, Y6
	VMULPD       96(R11), Y8, Y7
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VADDPD       Y6, Y2, Y2
	VADDPD       Y7, Y3, Y3
	INCQ         BX
	CMPQ         BX, R9
	JLT          wideTap
	VMOVUPD      Y0, (DI)(AX*8)
	VMOVUPD      Y1, 32(DI)(AX*8)
	VMOVUPD      Y2, 64(DI)(AX*8)
	VMOVUPD      Y3, 96(DI)(AX*8)
	ADDQ         $16, AX
	JMP          wide

narrow:
	CMPQ   AX, CX
	JGE    done
	VXORPD Y0, Y0, Y0
	XORQ   BX, BX

narrowTap:
	MOVQ         (DX)(BX*8), R11
	ADDQ         AX, R11
	VBROADCASTSD (R8)(BX*8), Y8
	VMULPD       (SI)(R11*8), Y8, Y4
	VADDPD       Y4, Y0, Y0
	INCQ         BX
	CMPQ         BX, R9
	JLT          narrowTap
	VMOVUPD      Y0, (DI)(AX*8)
	ADDQ         $4, AX
	JMP          narrow

done:
	VZEROUPPER
	RET

// func widenAVX2(dst *float64, src *float32, n int)
TEXT ·widenAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

widen:
	VCVTPS2PD (SI)(AX*4), Y0
	VMOVUPD   Y0, (DI)(AX*8)
	ADDQ      $4, AX
	CMPQ      AX, CX
	JLT       widen
	VZEROUPPER
	RET

// func divideAVX2(dst *float32, num, den *float64, n int)
TEXT ·divideAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ num+8(FP), SI
	MOVQ den+16(FP), DX
	MOVQ n+24(FP), CX
	XORQ AX, AX

divide:
	VMOVUPD    (SI)(AX*8), Y0
	VDIVPD     (DX)(AX*8), Y0, Y0
	VCVTPD2PSY Y0, X0
	VMOVUPS    X0, (DI)(AX*4)
	ADDQ       $4, AX
	CMPQ       AX, CX
	JLT        divide
	VZEROUPPER
	RET
