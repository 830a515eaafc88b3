//go:build dupinst_runtime

// What code that was duplicated in the compiler calls. A caller has no free registers, may
// have no frame, and says nothing of the pointers it holds: every register is kept but the
// flags, all work is done on the system stack, and the collector never meets a goroutine
// here, for what runs on a system stack is no safe point. R14 is g.

// dupinstFire begins a sample.
TEXT runtime·dupinstFire(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	R12, (g_dupinst+dupinstG_scratch)(R14)
	LEAQ	·dupinstFired(SB), R12
	JMP	runtime·dupinstAside(SB)

// dupinstSee counts a call whose callee and site stand in g. R12 has the site, and has been kept already.
// It looks where dupinstCallee does first, and leaves all else to dupinstSaw.
TEXT runtime·dupinstSee(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, (g_dupinst+dupinstG_kept)(R14)
	MOVQ	CX, (g_dupinst+dupinstG_kept+8)(R14)
	MOVQ	$0x9e3779b97f4a7c15, AX // dupinstSlotOf
	IMULQ	R12, AX
	XORQ	(g_dupinst+dupinstG_callee)(R14), AX
	MOVQ	$0xbf58476d1ce4e5b9, CX
	IMULQ	CX, AX
	SHRQ	$(64-const_dupinstSlotBits), AX
	SHLQ	$5, AX // dupinstSlot__size
	LEAQ	·dupinstTable(SB), CX
	ADDQ	CX, AX
	CMPQ	R12, dupinstSlot_site(AX)
	JNE	search
	MOVQ	(g_dupinst+dupinstG_callee)(R14), CX
	TESTQ	CX, CX
	JEQ	search
	CMPQ	CX, dupinstSlot_pc(AX)
	JNE	search
	MOVQ	(g_dupinst+dupinstG_weight)(R14), CX
	TESTQ	CX, CX
	JEQ	search
	CMPQ	·dupinstEventWeight(SB), $1
	JEQ	count
	MOVL	$1, CX // there are lanes, of which the caller's own is not empty
count:
	DUPINST_LOCK
	DUPINST_OWN
	ADDQ	CX, dupinstSlot_n(AX)
	DUPINST_OWN
	INCQ	·dupinstSeen(SB)
	MOVQ	dupinstSlot_to(AX), AX
	MOVQ	AX, (g_dupinst+dupinstG_callee)(R14)
#ifdef DUPINST_WINDOWS
	MOVQ	R12, AX
	SUBQ	·dupinstAreaFrom(SB), AX
	CMPQ	AX, ·dupinstAreaSize(SB)
	JAE	outside // no thread has an area, or this is a plugin's, which none has
	DUPINST_OWN
	ADDQ	CX, (R12)
	JMP	counted
outside:
#endif
	DUPINST_LOCK
	ADDQ	CX, (R12)
#ifdef DUPINST_WINDOWS
counted:
#endif
	MOVQ	(g_dupinst+dupinstG_kept)(R14), AX
	MOVQ	(g_dupinst+dupinstG_kept+8)(R14), CX
	MOVQ	(g_dupinst+dupinstG_scratch)(R14), R12
	RET
search:
	MOVQ	(g_dupinst+dupinstG_kept)(R14), AX
	MOVQ	(g_dupinst+dupinstG_kept+8)(R14), CX
	LEAQ	·dupinstSaw(SB), R12
	JMP	runtime·dupinstAside(SB)

// dupinstNote counts or traces an event of an audit, which stands in g as a call does.
TEXT runtime·dupinstNote(SB), NOSPLIT|NOFRAME, $0-0
	LEAQ	·dupinstNoted(SB), R12
	JMP	runtime·dupinstAside(SB)

// dupinstNoteValue counts a value, which stands in g as a callee does. R12 has its site, and has been kept. In a window it
// may only pass (window_notes.go).
TEXT runtime·dupinstNoteValue(SB), NOSPLIT|NOFRAME, $0-0
#ifdef DUPINST_WINDOWS
	CMPQ	dupinstValueSite_form(R12), $const_dupinstTrips
	JEQ	notes
	DECQ	·dupinstNotePasses(SB)
	JGT	passes
notes:
#endif
	LEAQ	·dupinstNotedValue(SB), R12
	JMP	runtime·dupinstAside(SB)
#ifdef DUPINST_WINDOWS
passes:
	MOVQ	(g_dupinst+dupinstG_scratch)(R14), R12
	RET
#endif

// dupinstNotePath counts a path that goes on in what is called, whose counter stands in g as a callee does.
TEXT runtime·dupinstNotePath(SB), NOSPLIT|NOFRAME, $0-0
	LEAQ	·dupinstNotedPath(SB), R12
	JMP	runtime·dupinstAside(SB)

// dupinstNoteReference counts a reference, which stands in g as a value does, and adds it to the burst of the window
// that is open. R12 has its site, and has been kept.
TEXT runtime·dupinstNoteReference(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	AX, (g_dupinst+dupinstG_kept)(R14)
	MOVQ	CX, (g_dupinst+dupinstG_kept+8)(R14)
	MOVQ	(g_dupinst+dupinstG_weight)(R14), CX
	TESTQ	CX, CX
	JEQ	done
	MOVQ	dupinstValueSite_counter(R12), AX
#ifdef DUPINST_WINDOWS
	MOVQ	AX, CX
	SUBQ	·dupinstAreaFrom(SB), CX
	CMPQ	CX, ·dupinstAreaSize(SB)
	JAE	outside // as in dupinstSee
	DUPINST_OWN
	INCQ	(AX)
	JMP	counted
outside:
#endif
	DUPINST_LOCK
	INCQ	(AX)
#ifdef DUPINST_WINDOWS
counted:
#endif
	DUPINST_OWN
	INCQ	·dupinstReferred(SB)
	MOVQ	·dupinstBurstIn(SB), CX
	TESTQ	CX, CX
	JEQ	none
	MOVQ	dupinstBurst_n(CX), AX
	CMPQ	AX, $const_dupinstBurstLength
	JAE	done
	LEAQ	(AX)(AX*2), AX // dupinstReference__size is 24
	LEAQ	dupinstBurst_references(CX)(AX*8), AX
	MOVQ	R12, dupinstReference_site(AX)
	MOVQ	(g_dupinst+dupinstG_callee)(R14), R12
	MOVQ	R12, dupinstReference_address(AX)
	CMPQ	R12, (g_stack+stack_lo)(R14)
	JB	elsewhere
	CMPQ	R12, (g_stack+stack_hi)(R14)
	JAE	elsewhere
	MOVQ	g_goid(R14), R12
	LEAQ	1(R12)(R12*1), R12
	JMP	end
elsewhere:
	MOVQ	g_goid(R14), R12
	SHLQ	$1, R12
end:
	MOVQ	R12, dupinstReference_goroutine(AX)
	INCQ	dupinstBurst_n(CX) // now it is there
	JMP	done
none:
	MOVB	$1, ·dupinstRefers(SB)
done:
	MOVQ	(g_dupinst+dupinstG_kept)(R14), AX
	MOVQ	(g_dupinst+dupinstG_kept+8)(R14), CX
	MOVQ	(g_dupinst+dupinstG_scratch)(R14), R12
	RET

// dupinstNoteStack counts the calling context of an event, whose site stands in g. In a window it may only pass.
TEXT runtime·dupinstNoteStack(SB), NOSPLIT|NOFRAME, $0-0
#ifdef DUPINST_WINDOWS
	DECQ	·dupinstNotePasses(SB)
	JGT	passes
#endif
	MOVQ	BP, (g_dupinst+dupinstG_kept)(R14)
	LEAQ	·dupinstNotedStack(SB), R12
	JMP	runtime·dupinstAside(SB)
#ifdef DUPINST_WINDOWS
passes:
	MOVQ	(g_dupinst+dupinstG_scratch)(R14), R12
	RET
#endif

// dupinstAside calls the function at R12 on the system stack.
TEXT runtime·dupinstAside(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	R13, (g_dupinst+dupinstG_scratch+8)(R14)
	MOVQ	g_m(R14), R13
	CMPQ	R14, m_curg(R13)
	JNE	back // a system stack already: nothing is sampled there
	MOVQ	m_g0(R13), R13
	MOVQ	SP, (g_dupinst+dupinstG_scratch+16)(R14)
	MOVQ	(g_sched+gobuf_sp)(R13), SP
	LEAQ	-400(SP), SP
	ANDQ	$~15, SP
	MOVQ	AX, 16(SP)
	MOVQ	BX, 24(SP)
	MOVQ	CX, 32(SP)
	MOVQ	DX, 40(SP)
	MOVQ	SI, 48(SP)
	MOVQ	DI, 56(SP)
	MOVQ	BP, 64(SP)
	MOVQ	R8, 72(SP)
	MOVQ	R9, 80(SP)
	MOVQ	R10, 88(SP)
	MOVQ	R11, 96(SP)
	MOVQ	R15, 104(SP)
	MOVQ	R14, 112(SP)
	MOVUPS	X0, 128(SP)
	MOVUPS	X1, 144(SP)
	MOVUPS	X2, 160(SP)
	MOVUPS	X3, 176(SP)
	MOVUPS	X4, 192(SP)
	MOVUPS	X5, 208(SP)
	MOVUPS	X6, 224(SP)
	MOVUPS	X7, 240(SP)
	MOVUPS	X8, 256(SP)
	MOVUPS	X9, 272(SP)
	MOVUPS	X10, 288(SP)
	MOVUPS	X11, 304(SP)
	MOVUPS	X12, 320(SP)
	MOVUPS	X13, 336(SP)
	MOVUPS	X14, 352(SP)
	MOVUPS	X15, 368(SP)
	get_tls(CX)
	MOVQ	R13, g(CX)
	MOVQ	R13, R14
	XORL	BP, BP
	CALL	R12
	MOVQ	112(SP), R14
	get_tls(CX)
	MOVQ	R14, g(CX)
	MOVUPS	128(SP), X0
	MOVUPS	144(SP), X1
	MOVUPS	160(SP), X2
	MOVUPS	176(SP), X3
	MOVUPS	192(SP), X4
	MOVUPS	208(SP), X5
	MOVUPS	224(SP), X6
	MOVUPS	240(SP), X7
	MOVUPS	256(SP), X8
	MOVUPS	272(SP), X9
	MOVUPS	288(SP), X10
	MOVUPS	304(SP), X11
	MOVUPS	320(SP), X12
	MOVUPS	336(SP), X13
	MOVUPS	352(SP), X14
	MOVUPS	368(SP), X15
	MOVQ	16(SP), AX
	MOVQ	24(SP), BX
	MOVQ	32(SP), CX
	MOVQ	40(SP), DX
	MOVQ	48(SP), SI
	MOVQ	56(SP), DI
	MOVQ	64(SP), BP
	MOVQ	72(SP), R8
	MOVQ	80(SP), R9
	MOVQ	88(SP), R10
	MOVQ	96(SP), R11
	MOVQ	104(SP), R15
	MOVQ	(g_dupinst+dupinstG_scratch+16)(R14), SP
back:
	MOVQ	(g_dupinst+dupinstG_scratch)(R14), R12
	MOVQ	(g_dupinst+dupinstG_scratch+8)(R14), R13
	RET
