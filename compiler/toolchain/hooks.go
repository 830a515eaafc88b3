package toolchain

// A hook is one change to a file of the toolchain. Its place is the one node of the
// declaration In whose source, printed by go/format, is At.
type hook struct {
	file string // below GOROOT/src/cmd
	in   string // the function, method ("writer.bodyIdx"), variable, constant or type that the place is in
	was  string // its name in older releases, if it had another
	at   string
	put  position
	text string
	why  string
}

// A position says where text goes with respect to the place.
type position int

const (
	before position = iota
	after
	instead
)

// hooks are all that is changed in files of the toolchain's own. What they call stands
// in files and packages of ours (compiler/pass).
var hooks = []hook{
	{
		file: "compile/internal/noder/unified.go", in: "writePkgStub", at: "pw := newPkgWriter(m, pkg, info, otherInfo)", put: before,
		text: "dupinst.Begin(); ", why: "reads what is to be instrumented, once types are checked: it is listed while they are",
	},
	{
		file: "compile/internal/gc/main.go", in: "Main", at: "dumpdata()", put: before,
		text: "dupinst.End(); ", why: "writes the package's counters and their description",
	},
	{
		file: "compile/internal/gc/compile.go", in: "prepareFunc", at: "walk.Walk(fn)", put: before,
		text: "dupinst.Mark(fn); ", why: "marks events once inlining and escape analysis are done, and while expressions are still the source's",
	},
	{
		file: "compile/internal/gc/compile.go", in: "compileFunctions", at: "types.CalcSizeDisabled = true", put: before,
		text: "dupinst.Follow(); ", why: "decides which functions are compiled twice, when all are marked",
	},
	{
		file: "compile/internal/ssagen/pgen.go", in: "Compile", at: "pp := objw.NewProgs(fn, worker)", put: before,
		text: "defer dupinstAgain(fn, func() { Compile(fn, worker, profile) }); ", why: "compiles them again: what calls in copies lead to",
	},
	{
		file: "compile/internal/dwarfgen/dwarf.go", in: "Info", at: "fnsym != expect", put: after,
		text: " && fnsym.Name != expect.Name", why: "both have one name",
	},
	{
		file: "compile/internal/noder/writer.go", in: "pkgWriter.bodyIdx", at: "w.stmts(block.List)", put: before,
		text: "w.dupinst(block); ", why: "a function's body carries its sites, to wherever it is inlined or instantiated",
	},
	{
		file: "compile/internal/noder/writer.go", in: "writer.pkgInitOrder", at: "w.expr(init.Rhs)", put: before,
		text: "w.dupinst(init.Rhs); ", why: "so does the initialiser of a package variable",
	},
	{
		file: "compile/internal/noder/reader.go", in: "reader.funcBody", at: "body := r.stmts()", put: before,
		text: "r.dupinst(); ", why: "reads a body's sites",
	},
	{
		file: "compile/internal/noder/writer.go", in: "writer.stmts", at: "w.stmt1(stmt)", put: before,
		text: "w.dupinstStmt(stmt); ", why: "a statement's sites stand in front of it",
	},
	{
		file: "compile/internal/noder/writer.go", in: "writer.stmt1", at: "w.stmt1(stmt.Stmt)", put: before,
		text: "w.dupinstLabeled(stmt.Label); ", why: "and behind its label, where a goto comes by",
	},
	{
		file: "compile/internal/noder/reader.go", in: "reader.stmts", at: "r.stmt1(tag, &res)", put: instead,
		text: "r.dupinstStmt1(tag, &res)", why: "reads a statement's sites",
	},
	{
		file: "compile/internal/noder/reader.go", in: "reader.stmt1", at: "(*out)[n-1]", put: instead,
		text: "dupinstLast(*out)", why: "a loop's label stays its label",
	},
	{
		file: "compile/internal/inline/inl.go", in: "IsBigFunc", at: "budget--", put: instead,
		text: "budget -= dupinstSize(n)", why: "what stands for sites makes no function big; the inliner's budget leaves empty blocks out itself",
	},
	{
		file: "compile/internal/noder/reader.go", in: "unifiedInlineCall", at: "r.curfn.Body = r.stmts()", put: before,
		text: "r.dupinst(); ", why: "reads an inlined body's sites",
	},
	{
		file: "compile/internal/noder/reader.go", in: "unifiedInlineCall", at: "r.funarghack = true", put: after,
		text: "; r.dupinstInlined()", why: "what was inlined is the callee of a call that was taken for dynamic",
	},
	{
		file: "compile/internal/noder/reader.go", in: "reader.pkgInitOrder", at: "rhs := r.expr()", put: before,
		text: "r.dupinst(); ", why: "reads an initialiser's sites",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "state.stmt", at: "s.pushLine(n.Pos())", put: before,
		text: "if s.dupinstMark(n) { return }; ", why: "a mark is an inlining mark with a negative index, and has no line",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "buildssa", at: "s.insertPhis()", put: after,
		text: "; s.dupinstMarks()", why: "a mark's memory is looked up when that makes no phi",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "genssa", at: "case ssa.OpInlMark:", put: after,
		text: " if v.AuxInt < 0 { dupinstEmit(&s, v); break }; ", why: "emits checks and probes",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "genssa", at: "p.As == obj.ACALL || p.As == obj.ADUFFCOPY || p.As == obj.ADUFFZERO", put: instead,
		text: "p.As == obj.ACALL && !dupinstCalls(p) || p.As == obj.ADUFFCOPY || p.As == obj.ADUFFZERO", why: "a leaf without a frame does not begin with an inlined function's instruction",
	},
	{
		file: "compile/internal/ssa/deadcode.go", in: "liveValues", at: "!liveInlIdx[int(v.AuxInt)]", put: instead,
		text: "v.AuxInt >= 0 && !liveInlIdx[int(v.AuxInt)]", why: "a mark lives as long as its block",
	},
	{
		file: "compile/internal/ssa/deadcode.go", in: "deadcode", at: "f.freeValue(v)", put: instead,
		text: "if !dupinstMark(v) { f.freeValue(v) }", why: "a mark's number goes to no other value: their order decides what is taken first of two that are alike",
	},
	{
		file: "compile/internal/ssa/branchelim.go", in: "canSpeculativelyExecute", at: "v.MemoryArg()", put: instead,
		text: "dupinstMemoryArg(v)", why: "a block becomes a conditional move whether it is marked or not",
	},
	{
		file: "compile/internal/ssa/branchelim.go", in: "canSpeculativelyExecute", at: "v.Type.IsMemory()", put: after,
		text: " || dupinstBound(v)", why: "but once only: a mark has one condition",
	},
	{
		file: "compile/internal/ssa/fuse_comparisons.go", in: "fuseComparisons", was: "fuseIntegerComparisons", at: "b.SetControl(v)", put: before,
		text: "dupinstUnder(p, b); ", why: "marks of a comparison that is made part of another take the condition along under which it was made",
	},
	{
		file: "compile/internal/ssa/fuse.go", in: "isEmpty", at: "v.Type.IsVoid()", put: after,
		text: " && !dupinstMovable(v)", why: "a branch that makes no difference goes, whether it is marked or not",
	},
	{
		file: "compile/internal/ssa/fuse.go", in: "fuseBlockIf", at: "b.removeEdge(0)", put: before,
		text: "dupinstArms(b, s0, s1); ", why: "its marks take the condition along",
	},
	{
		file: "compile/internal/ssa/fuse_branchredirect.go", in: "fuseBranchRedirect", at: "bCtl.Block != b && len(b.Values) != 0 || (len(b.Values) != 1 || bCtl.Uses != 1) && bCtl.Block == b", put: instead,
		text: "bCtl.Block != b && dupinstLen(b) != 0 || (dupinstLen(b) != 1 || bCtl.Uses != 1) && bCtl.Block == b || dupinstAnyBound(b)", why: "a branch is led past a block whether that is marked or not",
	},
	{
		file: "compile/internal/ssa/fuse_branchredirect.go", in: "fuseBranchRedirect", at: "b.removePred(k)", put: before,
		text: "dupinstPast(p, pk.i, b); ", why: "its marks then count there, too, on the branch's condition",
	},
	{
		file: "compile/internal/ssa/branchelim.go", in: "elimIf", at: "len(simple.Values)", put: instead,
		text: "dupinstLen(simple)", why: "likewise",
	},
	{
		file: "compile/internal/ssa/branchelim.go", in: "elimIf", at: "dom.Kind = post.Kind", put: before,
		text: "dupinstUnder(dom, simple); ", why: "its marks take the condition along",
	},
	{
		file: "compile/internal/ssa/branchelim.go", in: "elimIfElse", at: "len(yes.Values)", put: instead,
		text: "dupinstLen(yes)", why: "likewise for two blocks",
	},
	{
		file: "compile/internal/ssa/branchelim.go", in: "elimIfElse", at: "len(no.Values)", put: instead,
		text: "dupinstLen(no)", why: "likewise",
	},
	{
		file: "compile/internal/ssa/branchelim.go", in: "elimIfElse", at: "b.Kind = post.Kind", put: before,
		text: "dupinstUnder(b, yes, no); ", why: "likewise",
	},
	{
		file: "compile/internal/ssa/check.go", in: "checkFunc", at: "nArgs != -1", put: after,
		text: " && v.Op != OpInlMark", why: "a mark has a condition or none, and an operation of ours no argument",
	},
	{
		file: "compile/internal/ssa/check.go", in: "checkFunc", at: "!canHaveAux", put: after,
		text: " && v.Op != OpInlMark", why: "what a mark or an operation is, is its Aux",
	},
	{
		file: "compile/internal/ssa/check.go", in: "memCheck", at: "m == nil", put: after,
		text: " || dupinstMark(v)", why: "a mark's memory may be older than the last store",
	},
	{
		file: "compile/internal/ssa/check.go", in: "checkFunc", at: "memCheck(f)", put: instead,
		text: "if !dupinstPlaced(f) { memCheck(f) }", why: "where a copy is entered from its original, two states of memory meet that have no phi",
	},
	{
		file: "compile/internal/ssa/compile.go", in: "passes", at: `{name: "lowered deadcode", fn: deadcode, required: true}`, put: before,
		text: `{name: "dupinst conditions", fn: dupinstConditions, required: true}, `, why: "conditions of marks become flags, which cost no register",
	},
	{
		file: "compile/internal/ssa/compile.go", in: "passes", at: `{name: "tighten", fn: tighten, required: true}`, put: before,
		text: `{name: "dupinst marks", fn: dupinstTake, required: true}, `, why: "marks leave before values are moved and scheduled and registers allocated, which counts the values between two uses",
	},
	{
		file: "compile/internal/ssa/compile.go", in: "passes", at: `{name: "trim", fn: trim}`, put: before,
		text: `{name: "dupinst", fn: dupinst, required: true}, `, why: "the pass: registers are allocated, and trim has not merged blocks yet",
	},
	{
		file: "compile/internal/amd64/ssa.go", in: "ssaGenBlock", at: "ssa.BlockPlain", put: after,
		text: ", ssa.BlockFirst", why: "copies that nothing leads to are held by an entry of this kind, which goes on to its first successor",
	},
	{
		file: "compile/internal/arm64/ssa.go", in: "ssaGenBlock", at: "ssa.BlockPlain", put: after,
		text: ", ssa.BlockFirst", why: "likewise",
	},
	{
		file: "internal/obj/x86/obj6.go", in: "preprocess", at: "q.As == obj.ACALL || q.As == obj.ADUFFCOPY || q.As == obj.ADUFFZERO", put: instead,
		text: `q.As == obj.ACALL && !(q.To.Sym != nil && (q.To.Sym.Name == "runtime.dupinstFire" || q.To.Sym.Name == "runtime.dupinstSee" || q.To.Sym.Name == "runtime.dupinstNote" || q.To.Sym.Name == "runtime.dupinstNoteValue" || q.To.Sym.Name == "runtime.dupinstNoteReference" || q.To.Sym.Name == "runtime.dupinstNotePath" || q.To.Sym.Name == "runtime.dupinstNoteStack")) || q.As == obj.ADUFFCOPY || q.As == obj.ADUFFZERO`, why: "likewise: a leaf without a frame keeps no frame pointer",
	},
	{
		file: "internal/obj/x86/obj6.go", in: "isZeroArgRuntimeCall", at: `"runtime.panicdivide"`, put: before,
		text: `"runtime.dupinstFire", "runtime.dupinstSee", "runtime.dupinstNote", "runtime.dupinstNoteValue", "runtime.dupinstNoteReference", "runtime.dupinstNotePath", "runtime.dupinstNoteStack", `, why: "calls of ours need no frame: a leaf stays a leaf",
	},
	{
		file: "compile/internal/ssa/func.go", in: "Func", at: "map[ID]*Register", put: after,
		text: "; DupinstTwins DupinstTwins; DupinstCold []*Block; DupinstTraps []DupinstTrap", why: "what is a copy of what, what stands behind all originals, and where traps may stand, for whoever emits code",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "State", at: "[]*ssa.Block", put: after,
		text: "; dupinst []dupinstStart", why: "where the code of values and of blocks' ends begins",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "genssa", at: "s.DebugFriendlySetPosFrom(v)", put: before,
		text: "s.dupinstStart(f, v, nil); ", why: "likewise",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "genssa", at: "s.SetPos(b.Pos)", put: before,
		text: "s.dupinstStart(f, nil, b); ", why: "likewise",
	},
	{
		file: "compile/internal/ssagen/ssa.go", in: "genssa", at: "defframe(&s, e, f)", put: before,
		text: "s.dupinstTwins(f, e.curfn.LSym); ", why: "pairs instructions with those of copies, for windows",
	},
	{
		file: "internal/obj/link.go", in: "FuncInfo", at: "[]JumpTable", put: after,
		text: "; Dupinst DupinstFunc", why: "holds the pairs until addresses are known",
	},
	{
		file: "internal/obj/plist.go", in: "Flushplist", at: "linkpcln(ctxt, s)", put: after,
		text: "; dupinstTable(ctxt, s)", why: "writes the table of pairs beside the function's others",
	},
	{
		file: "internal/obj/x86/obj6.go", in: "Linkamd64", at: "preprocess", put: instead,
		text: "dupinstPreprocess", why: "in a window the slow path of the stack check leads to copies",
	},
	{
		file: "internal/obj/x86/asm6.go", in: "span6", at: "pjc.padJump(ctxt, s, p, c)", put: instead,
		text: "dupinstPad(ctxt, s, pjc, p, c)", why: "loops are put where their jumps need no padding, which copies do without",
	},
	{
		file: "internal/obj/arm64/obj7.go", in: "Linkarm64", at: "preprocess", put: instead,
		text: "dupinstPreprocess", why: "likewise",
	},
	{
		file: "internal/src/pos.go", in: "lico", at: "uint32", put: instead,
		text: "uint64", why: "sites of one line beyond column 254 have a position each",
	},
	{
		file: "internal/src/pos.go", in: "colBits", at: "32 - lineBits - xlogueBits - isStmtBits", put: instead,
		text: "64 - lineBits - xlogueBits - isStmtBits", why: "likewise",
	},
	{
		file: "internal/src/pos.go", in: "format", at: "showCol && 0 < col && col < colMax", put: instead,
		text: "showCol && 0 < col && col < 255", why: "messages show no such column, as before",
	},
}

// imports are what hooked files import of ours.
var imports = map[string]string{
	"compile/internal/gc/main.go":       "cmd/compile/internal/dupinst",
	"compile/internal/gc/compile.go":    "cmd/compile/internal/dupinst",
	"compile/internal/noder/unified.go": "cmd/compile/internal/dupinst",
}
