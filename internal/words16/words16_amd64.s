#include "textflag.h"

// AVX2 forms of the loops of words16.go that give the same bits. Pointers need no
// alignment.

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

// The bytes of the low words of four double words, and 0.5 and the sign of float64.
DATA low<>+0(SB)/8, $0x0D0C090805040100
DATA low<>+8(SB)/8, $0x8080808080808080
GLOBL low<>(SB), RODATA|NOPTR, $16
DATA half<>+0(SB)/8, $0x3FE0000000000000
GLOBL half<>(SB), RODATA|NOPTR, $8
DATA sign<>+0(SB)/8, $0x8000000000000000
GLOBL sign<>(SB), RODATA|NOPTR, $8

// NEAREST makes four stored values of the real ones in Y, 32 bits each in X, and counts in
// R8 those that it moves to lo or hi. The value nearest in Y3 is the even one of two; where
// the rest in Y4 is half of a step away from zero, it takes that step.
#define NEAREST(Y, X) \
	VSUBPD     Y11, Y, Y        \
	VDIVPD     Y10, Y, Y        \
	VROUNDPD   $8, Y, Y3        \
	VSUBPD     Y3, Y, Y4        \
	VANDPD     Y15, Y, Y5       \
	VORPD      Y14, Y5, Y5      \
	VCMPPD     $0, Y5, Y4, Y4   \
	VADDPD     Y5, Y5, Y5       \
	VANDPD     Y4, Y5, Y5       \
	VADDPD     Y5, Y3, Y3       \
	VMAXPD     Y12, Y3, Y4      \
	VMINPD     Y13, Y4, Y4      \
	VCMPPD     $4, Y3, Y4, Y3   \
	VMOVMSKPD  Y3, BX           \
	POPCNTQ    BX, BX           \
	ADDQ       BX, R8           \
	VCVTTPD2DQY Y4, X           \
	VPSHUFB    X9, X, X

// func encodeAVX2(raw *byte, values *float32, n int, slope, inter, lo, hi float64) (clipped int)
TEXT ·encodeAVX2(SB), NOSPLIT, $0-64
	MOVQ         raw+0(FP), DI
	MOVQ         values+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSD slope+24(FP), Y10
	VBROADCASTSD inter+32(FP), Y11
	VBROADCASTSD lo+40(FP), Y12
	VBROADCASTSD hi+48(FP), Y13
	VBROADCASTSD half<>(SB), Y14
	VBROADCASTSD sign<>(SB), Y15
	VMOVDQU      low<>(SB), X9
	XORQ         AX, AX
	XORQ         R8, R8

loop:
	VCVTPS2PD   (SI)(AX*4), Y0
	VCVTPS2PD   16(SI)(AX*4), Y1
	NEAREST(Y0, X0)
	NEAREST(Y1, X1)
	VPUNPCKLQDQ X1, X0, X0
	VMOVDQU     X0, (DI)(AX*2)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         loop
	MOVQ        R8, clipped+56(FP)
	VZEROUPPER
	RET

// func extremesAVX2(raw *byte, n, left int, flip uint16) (least, most uint16)
TEXT ·extremesAVX2(SB), NOSPLIT, $0-36
	MOVQ         raw+0(FP), SI
	MOVQ         n+8(FP), CX
	VMOVQ        left+16(FP), X8
	VPBROADCASTW flip+24(FP), Y7
	VPCMPEQB     Y1, Y1, Y1     // the smallest
	VPXOR        Y2, Y2, Y2     // the largest
	VPCMPEQB     X6, X6, X6
	XORQ         AX, AX

loop:
	VMOVDQU (SI)(AX*2), Y0
	VPSLLW  X8, Y0, Y0
	VPXOR   Y7, Y0, Y0
	VPMINUW Y0, Y1, Y1
	VPMAXUW Y0, Y2, Y2
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     loop

	VEXTRACTI128 $1, Y1, X0
	VPMINUW      X0, X1, X1
	VPHMINPOSUW  X1, X1
	VMOVQ        X1, AX
	MOVW         AX, least+32(FP)
	VEXTRACTI128 $1, Y2, X0
	VPMAXUW      X0, X2, X2
	VPXOR        X6, X2, X2     // the largest is the smallest of the complements
	VPHMINPOSUW  X2, X2
	VMOVQ        X2, AX
	NOTL         AX
	MOVW         AX, most+34(FP)
	VZEROUPPER
	RET
