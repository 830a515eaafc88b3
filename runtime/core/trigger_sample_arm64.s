//go:build dupinst_runtime

// What code that was duplicated in the compiler calls: by a jump, with the address to go on at
// in g, for a leaf keeps its return address in R30. A caller has no free register but R27, and
// says nothing of the pointers it holds: every register is kept but the flags, all work is done
// on the system stack, and the collector never meets a goroutine here, for what runs on a
// system stack is no safe point. R28 is g.

// dupinstFire begins a sample.
TEXT runtime·dupinstFire(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R0, (g_dupinst+dupinstG_scratch)(g)
	MOVD	$·dupinstFired(SB), R0
	B	runtime·dupinstAside(SB)

// dupinstSee counts a call whose callee and site stand in g.
TEXT runtime·dupinstSee(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R0, (g_dupinst+dupinstG_scratch)(g)
	MOVD	$·dupinstSaw(SB), R0
	B	runtime·dupinstAside(SB)

// dupinstNote counts or traces an event of an audit, which stands in g as a call does.
TEXT runtime·dupinstNote(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R0, (g_dupinst+dupinstG_scratch)(g)
	MOVD	$·dupinstNoted(SB), R0
	B	runtime·dupinstAside(SB)

// dupinstNoteValue counts a value, which stands in g as a callee does. In a window it may only pass (window_notes.go).
TEXT runtime·dupinstNoteValue(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R0, (g_dupinst+dupinstG_scratch)(g)
#ifdef DUPINST_WINDOWS
	MOVD	R1, (g_dupinst+dupinstG_scratch+8)(g)
	MOVD	(g_dupinst+dupinstG_site)(g), R0
	MOVD	dupinstValueSite_form(R0), R0
	CMP	$const_dupinstTrips, R0
	BEQ	notes
	MOVD	$·dupinstNotePasses(SB), R0
	MOVD	(R0), R1
	SUBS	$1, R1
	MOVD	R1, (R0)
	BGT	passes
notes:
	MOVD	(g_dupinst+dupinstG_scratch+8)(g), R1
#endif
	MOVD	$·dupinstNotedValue(SB), R0
	B	runtime·dupinstAside(SB)
#ifdef DUPINST_WINDOWS
passes:
	MOVD	(g_dupinst+dupinstG_scratch+8)(g), R1
	MOVD	(g_dupinst+dupinstG_scratch)(g), R0
	MOVD	(g_dupinst+dupinstG_back)(g), R27
	B	(R27)
#endif

// dupinstNotePath counts a path that goes on in what is called, whose counter stands in g as a callee does.
TEXT runtime·dupinstNotePath(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R0, (g_dupinst+dupinstG_scratch)(g)
	MOVD	$·dupinstNotedPath(SB), R0
	B	runtime·dupinstAside(SB)

// dupinstNoteReference counts a reference, which stands in g as a value does, and adds it to the burst of the window
// that is open.
TEXT runtime·dupinstNoteReference(SB), NOSPLIT|NOFRAME, $0-0
	STP	(R0, R1), (g_dupinst+dupinstG_scratch)(g)
	STP	(R2, R3), (g_dupinst+dupinstG_kept)(g)
	MOVD	(g_dupinst+dupinstG_weight)(g), R1
	CBZ	R1, done
	MOVD	(g_dupinst+dupinstG_site)(g), R0
	MOVD	dupinstValueSite_counter(R0), R2
add:
	LDAXR	(R2), R3
	ADD	$1, R3
	STLXR	R3, (R2), R27
	CBNZ	R27, add
	MOVD	$·dupinstReferred(SB), R2
	MOVD	(R2), R3
	ADD	$1, R3
	MOVD	R3, (R2)
	MOVD	$·dupinstBurstIn(SB), R2
	MOVD	(R2), R2
	CBZ	R2, none
	MOVD	dupinstBurst_n(R2), R1
	CMP	$const_dupinstBurstLength, R1
	BHS	done
	ADD	R1<<1, R1, R3 // dupinstReference__size is 24
	ADD	R3<<3, R2, R3
	ADD	$dupinstBurst_references, R3
	MOVD	R0, dupinstReference_site(R3)
	MOVD	(g_dupinst+dupinstG_callee)(g), R0
	MOVD	R0, dupinstReference_address(R3)
	MOVD	g_goid(g), R27
	LSL	$1, R27
	MOVD	R27, dupinstReference_goroutine(R3)
	MOVD	(g_stack+stack_lo)(g), R27
	CMP	R27, R0
	BLO	end
	MOVD	(g_stack+stack_hi)(g), R27
	CMP	R27, R0
	BHS	end
	MOVD	dupinstReference_goroutine(R3), R0
	ORR	$1, R0
	MOVD	R0, dupinstReference_goroutine(R3)
end:
	ADD	$1, R1
	ADD	$dupinstBurst_n, R2
	STLR	R1, (R2) // now it is there
	B	done
none:
	MOVD	$·dupinstRefers(SB), R2
	MOVD	$1, R1
	MOVB	R1, (R2)
done:
	LDP	(g_dupinst+dupinstG_scratch)(g), (R0, R1)
	LDP	(g_dupinst+dupinstG_kept)(g), (R2, R3)
	MOVD	(g_dupinst+dupinstG_back)(g), R27
	B	(R27)

// dupinstNoteStack counts the calling context of an event, whose site stands in g. In a window it may only pass.
TEXT runtime·dupinstNoteStack(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R0, (g_dupinst+dupinstG_scratch)(g)
#ifdef DUPINST_WINDOWS
	MOVD	R1, (g_dupinst+dupinstG_scratch+8)(g)
	MOVD	$·dupinstNotePasses(SB), R0
	MOVD	(R0), R1
	SUBS	$1, R1
	MOVD	R1, (R0)
	MOVD	(g_dupinst+dupinstG_scratch+8)(g), R1
	BGT	passes
#endif
	MOVD	R29, (g_dupinst+dupinstG_kept)(g)
	MOVD	$·dupinstNotedStack(SB), R0
	B	runtime·dupinstAside(SB)
#ifdef DUPINST_WINDOWS
passes:
	MOVD	(g_dupinst+dupinstG_scratch)(g), R0
	MOVD	(g_dupinst+dupinstG_back)(g), R27
	B	(R27)
#endif

// dupinstAside calls the function at R0 on the system stack.
TEXT runtime·dupinstAside(SB), NOSPLIT|NOFRAME, $0-0
	MOVD	R1, (g_dupinst+dupinstG_scratch+8)(g)
	MOVD	g_m(g), R1
	MOVD	m_curg(R1), R27
	CMP	R27, g
	BNE	back // a system stack already: nothing is sampled there
	MOVD	m_g0(R1), R1
	MOVD	RSP, R27
	MOVD	R27, (g_dupinst+dupinstG_scratch+16)(g)
	MOVD	(g_sched+gobuf_sp)(R1), R27
	SUB	$496, R27
	AND	$~15, R27
	MOVD	R27, RSP
	MOVD	g, 8(RSP)
	STP	(R2, R3), 16(RSP)
	STP	(R4, R5), 32(RSP)
	STP	(R6, R7), 48(RSP)
	STP	(R8, R9), 64(RSP)
	STP	(R10, R11), 80(RSP)
	STP	(R12, R13), 96(RSP)
	STP	(R14, R15), 112(RSP)
	STP	(R16, R17), 128(RSP)
	STP	(R19, R20), 144(RSP)
	STP	(R21, R22), 160(RSP)
	STP	(R23, R24), 176(RSP)
	STP	(R25, R26), 192(RSP)
	STP	(R29, R30), 208(RSP)
	FSTPD	(F0, F1), 224(RSP)
	FSTPD	(F2, F3), 240(RSP)
	FSTPD	(F4, F5), 256(RSP)
	FSTPD	(F6, F7), 272(RSP)
	FSTPD	(F8, F9), 288(RSP)
	FSTPD	(F10, F11), 304(RSP)
	FSTPD	(F12, F13), 320(RSP)
	FSTPD	(F14, F15), 336(RSP)
	FSTPD	(F16, F17), 352(RSP)
	FSTPD	(F18, F19), 368(RSP)
	FSTPD	(F20, F21), 384(RSP)
	FSTPD	(F22, F23), 400(RSP)
	FSTPD	(F24, F25), 416(RSP)
	FSTPD	(F26, F27), 432(RSP)
	FSTPD	(F28, F29), 448(RSP)
	FSTPD	(F30, F31), 464(RSP)
	MOVD	R0, R19
	MOVD	R1, g
	BL	runtime·save_g(SB)
	MOVD	ZR, R29
	CALL	(R19)
	MOVD	8(RSP), g
	BL	runtime·save_g(SB)
	FLDPD	224(RSP), (F0, F1)
	FLDPD	240(RSP), (F2, F3)
	FLDPD	256(RSP), (F4, F5)
	FLDPD	272(RSP), (F6, F7)
	FLDPD	288(RSP), (F8, F9)
	FLDPD	304(RSP), (F10, F11)
	FLDPD	320(RSP), (F12, F13)
	FLDPD	336(RSP), (F14, F15)
	FLDPD	352(RSP), (F16, F17)
	FLDPD	368(RSP), (F18, F19)
	FLDPD	384(RSP), (F20, F21)
	FLDPD	400(RSP), (F22, F23)
	FLDPD	416(RSP), (F24, F25)
	FLDPD	432(RSP), (F26, F27)
	FLDPD	448(RSP), (F28, F29)
	FLDPD	464(RSP), (F30, F31)
	LDP	16(RSP), (R2, R3)
	LDP	32(RSP), (R4, R5)
	LDP	48(RSP), (R6, R7)
	LDP	64(RSP), (R8, R9)
	LDP	80(RSP), (R10, R11)
	LDP	96(RSP), (R12, R13)
	LDP	112(RSP), (R14, R15)
	LDP	128(RSP), (R16, R17)
	LDP	144(RSP), (R19, R20)
	LDP	160(RSP), (R21, R22)
	LDP	176(RSP), (R23, R24)
	LDP	192(RSP), (R25, R26)
	LDP	208(RSP), (R29, R30)
	MOVD	(g_dupinst+dupinstG_scratch+16)(g), R27
	MOVD	R27, RSP
back:
	MOVD	(g_dupinst+dupinstG_scratch)(g), R0
	MOVD	(g_dupinst+dupinstG_scratch+8)(g), R1
	MOVD	(g_dupinst+dupinstG_back)(g), R27
	B	(R27)
