#include "textflag.h"

// AVX2 forms of the loops of realvalues.go that give the same bits. Pointers need
// no alignment.

// STORED puts the stored values of the eight pixels behind SI + 2 AX into Y0, 32
// bits each. The shifts are in X8 and X9. For unsigned ones X7 flips the bit that
// is taken for the sign, and Y6 adds what that takes away.
#define STORED \
	VMOVDQU   (SI)(AX*2), X0 \
	VPSLLW    X8, X0, X0     \
	VPXOR     X7, X0, X0     \
	VPSRAW    X9, X0, X0     \
	VPMOVSXWD X0, Y0         \
	VPADDD    Y6, Y0, Y0

// ARGUMENTS loads what both conversions are given. Of bias VBROADCASTSS takes the
// bits, whatever they mean.
#define ARGUMENTS \
	MOVQ         dst+0(FP), DI    \
	MOVQ         raw+8(FP), SI    \
	MOVQ         n+16(FP), CX     \
	VMOVQ        left+24(FP), X8  \
	VMOVQ        right+32(FP), X9 \
	VPBROADCASTW flip+40(FP), X7  \
	VBROADCASTSS bias+44(FP), Y6  \
	XORQ         AX, AX

// func wholeAVX2(dst *float32, raw *byte, n, left, right int, flip uint16, bias int32)
TEXT ·wholeAVX2(SB), NOSPLIT, $0-48
	ARGUMENTS

loop:
	STORED
	VCVTDQ2PS Y0, Y0
	VMOVUPS   Y0, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

// func realAVX2(dst *float32, raw *byte, n, left, right int, flip uint16, bias int32, slope, inter float64)
TEXT ·realAVX2(SB), NOSPLIT, $0-64
	ARGUMENTS
	VBROADCASTSD slope+48(FP), Y10
	VBROADCASTSD inter+56(FP), Y11

loop:
	STORED
	VEXTRACTI128 $1, Y0, X1
	VCVTDQ2PD    X0, Y2
	VCVTDQ2PD    X1, Y3
	VMULPD       Y10, Y2, Y2
	VMULPD       Y10, Y3, Y3
	VADDPD       Y11, Y2, Y2
	VADDPD       Y11, Y3, Y3
	VCVTPD2PSY   Y2, X2
	VCVTPD2PSY   Y3, X3
	VMOVUPS      X2, (DI)(AX*4)
	VMOVUPS      X3, 16(DI)(AX*4)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          loop
	VZEROUPPER
	RET

// func outsideAVX2(dst *bool, raw *byte, n, left int, first, span uint16) (inside int)
TEXT ·outsideAVX2(SB), NOSPLIT, $0-48
	MOVQ         dst+0(FP), DI
	MOVQ         raw+8(FP), SI
	MOVQ         n+16(FP), CX
	VMOVQ        left+24(FP), X7
	VPBROADCASTW first+32(FP), X8
	VPBROADCASTW span+34(FP), X9
	VPXOR        X10, X10, X10       // 0
	VPCMPEQB     X11, X11, X11
	VPSUBB       X11, X10, X11       // 1
	VPXOR        X12, X12, X12       // how many are inside, in two halves
	XORQ         AX, AX

loop:
	VMOVDQU   (SI)(AX*2), X0
	VMOVDQU   16(SI)(AX*2), X1
	VPSLLW    X7, X0, X0
	VPSLLW    X7, X1, X1
	VPSUBW    X8, X0, X0
	VPSUBW    X8, X1, X1
	VPSUBUSW  X9, X0, X0
	VPSUBUSW  X9, X1, X1
	VPCMPEQW  X10, X0, X0            // all ones where inside
	VPCMPEQW  X10, X1, X1
	VPACKSSWB X1, X0, X0
	VPAND     X11, X0, X1            // 1 where inside
	VPSADBW   X10, X1, X1
	VPADDQ    X1, X12, X12
	VPADDB    X11, X0, X0            // 0 where inside, else 1
	VMOVDQU   X0, (DI)(AX*1)
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       loop

	VPSHUFD $0x4E, X12, X0
	VPADDQ  X0, X12, X12
	VMOVQ   X12, AX
	MOVQ    AX, inside+40(FP)
	VZEROUPPER
	RET
