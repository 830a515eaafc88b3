package patch

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func runtimeFiles(t *testing.T, goos string) []File {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`, "runtime")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []File
	for _, name := range strings.Fields(string(out)) {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, File{name, src})
	}
	return files
}

// What changes still parses, has its lines where they were, and has each
// insertion once.
func TestApply(t *testing.T) {
	t.Parallel()
	everywhere := map[string]int{
		"; dupinst dupinstG":                                     1,
		"dupinstInit(); lockOSThread()":                          1,
		"newg.startpc = fn.fn; dupinstBorn(newg, callergp)\n":    1,
		"func syscall_runtime_BeforeExec() { dupinstFlush(); ":   1,
		"dupinstFlush(); racefini() // does not return":          1,
		"dupinstFlush(); exit(0)\n":                              1,
		"func exit(code int32) { dupinstFlush":                   0,
		"\tgetg().labels = labels\ndupinstRelabelled(labels) }":  1,
		"h.pages.grow(v, nBase-v); dupinstGrown(v, nBase - v)\n": 1,
		"; dupinstGrown(":                                        2,
		"(*notInHeap)(dupinstMetadata(sysAlloc(persistentChunkSize, &memstats.other_sys, \"immortal metadata\"), persistentChunkSize))\n": 1,
		"(*gcBitsArena)(dupinstMetadata(sysAlloc(gcBitsChunkBytes, &memstats.gcMiscSys, \"gc bits\"), gcBitsChunkBytes))\n":               1,
	}
	unix := map[string]int{"{ dupinstDie(); ": 1, "{ if dupinstSignalled(sig, info, ctxt, gp) { return }; ": 1}
	windows := map[string]int{
		"{ if dupinstStray(sig, c) { return }; ":                           1,
		"stackguard0 = gp.stack.lo + stackGuard; dupinstGuard(gp)":         1, // newstack
		"stackguard0 = gp.stack.lo + stackGuard; dupinstJoin(gp)":          1, // execute
		"stackguard0 = gp.stack.lo + stackGuard; dupinstBack(gp)":          1, // exitsyscall
		"stackguard0 = new.lo + stackGuard; dupinstGuard(gp)":              1,
		"if dupinstRoom(gp, stackguard0) { gogo(&gp.sched) }; preempt := ": 1,
		"dupinstJoin(gnext); gogo(":                                        1,
		"dupinstRests(pp, now); return now":                                1,
		"dupinstStir(pp, now); return pp, now":                             1,
	}
	maps.Copy(windows, unix)
	for goos, there := range map[string]map[string]int{
		"linux":  windows,
		"darwin": unix,
		"windows": {
			"func dieFromException(info *windows.ExceptionRecord, r *windows.Context) { dupinstFlush(); ": 1,
			"dupinstFlush(); return 0\n}\n\n// called from zcallback_windows":                             1,
			"dupinstDie": 0,
		},
	} {
		files := runtimeFiles(t, goos)
		out, err := Apply(goos, files)
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, f := range files {
			text, ok := out[f.Name]
			if !ok {
				continue
			}
			all += text
			if strings.Count(text, "\n") != strings.Count(string(f.Source), "\n") {
				t.Errorf("%s: lines have moved", f.Name)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), f.Name, text, 0); err != nil {
				t.Error(err)
			}
		}
		for _, want := range []map[string]int{everywhere, there} {
			for text, n := range want {
				if got := strings.Count(all, text); got != n {
					t.Errorf("%s: %q stands %d times, want %d", goos, text, got, n)
				}
			}
		}
	}
}

// A runtime in which a place is missing is refused, not patched in part.
func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, from, to, missing string }{
		{"runtime2.go", "type g struct {", "type gee struct {", "field"},
		{"proc.go", "newg.parentGoid = callergp.goid", "newg.parentGoid, newg.gopc = callergp.goid, 0", "birth"},
		{"proc.go", "lockOSThread()\n", "LockOSThread()\n", "start"},
		{"proflabel.go", "func runtime_setProfLabel(labels unsafe.Pointer)", "func runtime_setProfLabel(labels, more unsafe.Pointer)", "labels"},
		{"signal_unix.go", "func dieFromSignal(", "func dieOfSignal(", "signal"},
		{"signal_unix.go", "func sighandler(", "func signalhandler(", "switch"},
		{"signal_unix.go", "func badsignal(", "func strangesignal(", "stray"},
		{"proc.go", "func execute(", "func executes(", "guard:execute"},
		{"proc.go", "func exitsyscall(", "func exitsyscalls(", "guard:exitsyscall"},
		{"stack.go", "func copystack(", "func copiesstack(", "guard:copystack"},
		{"stack.go", "preempt := stackguard0", "preempted := stackguard0", "poison"},
		{"coro.go", "func coroswitch_m(", "func coroswitches_m(", "coro"},
		{"proc.go", "func pidleget(", "func pidlegets(", "wake"},
		{"proc.go", "func pidleput(", "func pidleputs(", "rest"},
		{"mheap.go", "h.pages.grow(", "h.pages.grows(", "grown"},
		{"malloc.go", "sysAlloc(persistentChunkSize,", "sysAlloc(persistentChunkSize+0,", "metadata:persistentChunkSize"},
		{"mheap.go", "sysAlloc(gcBitsChunkBytes,", "sysAlloc(gcBitsChunkBytes+0,", "metadata:gcBitsChunkBytes"},
		{"signal_windows.go", "func dieFromException(", "func dieOfException(", "signal"},
		{"os_windows.go", "func ctrlHandler(", "func consoleHandler(", "console"},
	} {
		goos := "linux"
		if strings.HasSuffix(c.file, "_windows.go") {
			goos = "windows"
		}
		files := runtimeFiles(t, goos)
		for i, f := range files {
			if filepath.Base(f.Name) == c.file {
				files[i].Source = []byte(strings.ReplaceAll(string(f.Source), c.from, c.to))
			}
		}
		out, err := Apply(goos, files)
		if err == nil || !strings.Contains(err.Error(), `no place for "`+c.missing+`"`) || out != nil {
			t.Errorf("without %q: %v", c.from, err)
		}
	}
	if _, err := Apply("linux", []File{{"proc.go", []byte("package runtime; func exit( {")}}); err == nil {
		t.Error("a file that does not parse is accepted")
	}
}
