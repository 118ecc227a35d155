#include "textflag.h"

// func runAVX2(operations *operation, count int, memory *float32, n int)
//
// One operation after another, each on n values, 16 at a time. DI is the memory, R9 to
// R12 are the rows dst, a, b and c of the operation at SI, R8 is the length of a row in
// bytes. Go writes VMINPS and VMAXPS with the second operand of rows.go first.
TEXT ·runAVX2(SB), NOSPLIT, $0-32
	MOVQ operations+0(FP), SI
	MOVQ count+8(FP), CX
	MOVQ memory+16(FP), DI
	MOVQ n+24(FP), R8
	SHLQ $2, R8

next:
	MOVL    (SI), BX
	MOVLQSX 4(SI), R9
	MOVLQSX 8(SI), R10
	MOVLQSX 12(SI), R11
	MOVLQSX 16(SI), R12
	LEAQ    (DI)(R9*4), R9
	LEAQ    (DI)(R10*4), R10
	LEAQ    (DI)(R11*4), R11
	LEAQ    (DI)(R12*4), R12
	XORQ    AX, AX
	CMPL    BX, $1
	JLT     lower
	JEQ     upper
	CMPL    BX, $3
	JLT     both
	JEQ     lowerUpper

upperLower:
	VMOVUPS (R10)(AX*1), Y0
	VMOVUPS 32(R10)(AX*1), Y1
	VMINPS  (R11)(AX*1), Y0, Y0
	VMINPS  32(R11)(AX*1), Y1, Y1
	VMAXPS  (R12)(AX*1), Y0, Y0
	VMAXPS  32(R12)(AX*1), Y1, Y1
	VMOVUPS Y0, (R9)(AX*1)
	VMOVUPS Y1, 32(R9)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, R8
	JLT     upperLower
	JMP     done

lowerUpper:
	VMOVUPS (R10)(AX*1), Y0
	VMOVUPS 32(R10)(AX*1), Y1
	VMAXPS  (R11)(AX*1), Y0, Y0
	VMAXPS  32(R11)(AX*1), Y1, Y1
	VMINPS  (R12)(AX*1), Y0, Y0
	VMINPS  32(R12)(AX*1), Y1, Y1
	VMOVUPS Y0, (R9)(AX*1)
	VMOVUPS Y1, 32(R9)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, R8
	JLT     lowerUpper
	JMP     done

both:
	VMOVUPS (R10)(AX*1), Y0
	VMOVUPS 32(R10)(AX*1), Y1
	VMOVUPS (R11)(AX*1), Y2
	VMOVUPS 32(R11)(AX*1), Y3
	VMINPS  Y2, Y0, Y4
	VMINPS  Y3, Y1, Y5
	VMAXPS  Y2, Y0, Y0
	VMAXPS  Y3, Y1, Y1
	VMOVUPS Y4, (R9)(AX*1)
	VMOVUPS Y5, 32(R9)(AX*1)
	VMOVUPS Y0, (R12)(AX*1)
	VMOVUPS Y1, 32(R12)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, R8
	JLT     both
	JMP     done

lower:
	VMOVUPS (R10)(AX*1), Y0
	VMOVUPS 32(R10)(AX*1), Y1
	VMINPS  (R11)(AX*1), Y0, Y0
	VMINPS  32(R11)(AX*1), Y1, Y1
	VMOVUPS Y0, (R9)(AX*1)
	VMOVUPS Y1, 32(R9)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, R8
	JLT     lower
	JMP     done

upper:
	VMOVUPS (R10)(AX*1), Y0
	VMOVUPS 32(R10)(AX*1), Y1
	VMAXPS  (R11)(AX*1), Y0, Y0
	VMAXPS  32(R11)(AX*1), Y1, Y1
	VMOVUPS Y0, (R9)(AX*1)
	VMOVUPS Y1, 32(R9)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, R8
	JLT     upper

done:
	ADDQ $20, SI
	DECQ CX
	JNZ  next
	VZEROUPPER
	RET
