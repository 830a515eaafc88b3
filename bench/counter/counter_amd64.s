#include "textflag.h"

// Loops of four and of eleven instructions, each with no check, with one of a counter in
// memory, and with one of a counter in a register. A check that finds a sample due leaves
// the loop.

// func short(x *int64, n int, counter *int64) int64
TEXT ·short(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
loop:
	ADDQ (SI), AX
	ADDQ $8, SI
	DECQ CX
	JNE  loop
	MOVQ AX, ret+24(FP)
	RET

// func shortMemory(x *int64, n int, counter *int64) int64
TEXT ·shortMemory(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ counter+16(FP), R13
	XORQ AX, AX
loop:
	ADDQ (SI), AX
	ADDQ $8, SI
	DECQ CX
	JEQ  done
	DECQ (R13)
	JGE  loop
done:
	MOVQ AX, ret+24(FP)
	RET

// func shortRegister(x *int64, n int, counter *int64) int64
TEXT ·shortRegister(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ counter+16(FP), R13
	XORQ AX, AX
	MOVQ (R13), R9
loop:
	ADDQ (SI), AX
	ADDQ $8, SI
	DECQ CX
	JEQ  done
	DECQ R9
	JGE  loop
done:
	MOVQ R9, (R13)
	MOVQ AX, ret+24(FP)
	RET

#define BODY \
	MOVQ   (SI), BX    \
	MOVQ   BX, DX      \
	SHRQ   $3, DX      \
	XORQ   DX, BX      \
	TESTQ  $7, BX      \
	JEQ    next        \
	ADDQ   BX, AX      \
	IMUL3Q $3, BX, DX  \
	XORQ   DX, AX      \
next: \
	ADDQ   $8, SI      \
	DECQ   CX

// func long(x *int64, n int, counter *int64) int64
TEXT ·long(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	XORQ AX, AX
loop:
	BODY
	JNE  loop
	MOVQ AX, ret+24(FP)
	RET

// func longMemory(x *int64, n int, counter *int64) int64
TEXT ·longMemory(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ counter+16(FP), R13
	XORQ AX, AX
loop:
	BODY
	JEQ  done
	DECQ (R13)
	JGE  loop
done:
	MOVQ AX, ret+24(FP)
	RET

// func longRegister(x *int64, n int, counter *int64) int64
TEXT ·longRegister(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ counter+16(FP), R13
	XORQ AX, AX
	MOVQ (R13), R9
loop:
	BODY
	JEQ  done
	DECQ R9
	JGE  loop
done:
	MOVQ R9, (R13)
	MOVQ AX, ret+24(FP)
	RET
