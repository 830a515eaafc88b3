#include "textflag.h"

// Loops of four and of eleven instructions, each with no check, with one of a counter in
// memory, and with one of a counter in a register. A check that finds a sample due leaves
// the loop. R13 has the counter's address, and AX the result.

#define ENTER \
	MOVQ x+0(FP), SI        \
	MOVQ n+8(FP), CX        \
	MOVQ counter+16(FP), R13 \
	XORQ AX, AX

#define LEAVE \
	MOVQ AX, ret+24(FP) \
	RET

#define SHORT \
	ADDQ (SI), AX \
	ADDQ $8, SI   \
	DECQ CX

#define LONG \
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

#define LOOP(body) \
	ENTER     \
loop: \
	body      \
	JNE  loop \
	LEAVE

#define MEMORY(body) \
	ENTER      \
loop: \
	body       \
	JEQ  done  \
	DECQ (R13) \
	JGE  loop  \
done: \
	LEAVE

#define REGISTER(body) \
	ENTER          \
	MOVQ (R13), R9 \
loop: \
	body           \
	JEQ  done      \
	DECQ R9        \
	JGE  loop      \
done: \
	MOVQ R9, (R13) \
	LEAVE

// func short(x *int64, n int, counter *int64) int64
TEXT ·short(SB), NOSPLIT, $0-32
	LOOP(SHORT)

// func shortMemory(x *int64, n int, counter *int64) int64
TEXT ·shortMemory(SB), NOSPLIT, $0-32
	MEMORY(SHORT)

// func shortRegister(x *int64, n int, counter *int64) int64
TEXT ·shortRegister(SB), NOSPLIT, $0-32
	REGISTER(SHORT)

// func long(x *int64, n int, counter *int64) int64
TEXT ·long(SB), NOSPLIT, $0-32
	LOOP(LONG)

// func longMemory(x *int64, n int, counter *int64) int64
TEXT ·longMemory(SB), NOSPLIT, $0-32
	MEMORY(LONG)

// func longRegister(x *int64, n int, counter *int64) int64
TEXT ·longRegister(SB), NOSPLIT, $0-32
	REGISTER(LONG)
