package core

import "unsafe"

// A transparent function (package transform) has two copies, plain and with
// probes, in functions of their own. Wherever the runtime would say a copy's
// name, in a traceback, a caller's frame or a CPU profile, it says the
// original's. So a copy's name holds that of its original:
//
//	Dupinst_C F _ name              // in checking code, of a function
//	Dupinst_D V 4 _ Type method     // in duplicated code, of a method of Type
//	Dupinst_D P 4 _ Type method     // of *Type
//
// (without the spaces; the number is the length of the type's name). F, V and P
// are small letters where the copy calls nothing that has a check.
const dupinstCopy = ".Dupinst_"

// dupinstCopyAt returns the index of the dot before the name of a copy, or -1.
func dupinstCopyAt(name string) int {
	for i := 0; i+len(dupinstCopy)+2 < len(name); i++ {
		if name[i] == '.' && name[i:i+len(dupinstCopy)] == dupinstCopy {
			return i
		}
	}
	return -1
}

// A dupinstRenamed is the original's name, for a copy's. It lies in dupinstNames.
type dupinstRenamed struct {
	next uintptr
	copy uintptr // the copy's name
	len  uintptr // of the original's name, which follows
}

var (
	dupinstNames     [1 << 15]uintptr // no memory until it is used
	dupinstNamesUsed uintptr
	dupinstNameLists [256]uintptr // of dupinstRenamed
)

// dupinstFuncName returns what the runtime is to say for a function's name. It
// runs while the program dies, so it takes no lock and allocates nothing; where
// there is no room left, the copy's name has to do.
func dupinstFuncName(name string) string {
	dot := dupinstCopyAt(name)
	if dot < 0 {
		return name
	}
	at := uintptr(unsafe.Pointer(unsafe.StringData(name)))
	head := &dupinstNameLists[at>>3%uintptr(len(dupinstNameLists))]
	for p := dupinstLoad(head); p != 0; {
		r := (*dupinstRenamed)(dupinstPtr(p))
		if r.copy == at {
			return r.dupinstOriginal()
		}
		p = r.next
	}
	const word = unsafe.Sizeof(uintptr(0))
	// The original's name is no longer than the copy's.
	need := (unsafe.Sizeof(dupinstRenamed{}) + uintptr(len(name)) + word - 1) / word
	used := dupinstLoad(&dupinstNamesUsed)
	for !dupinstCas(&dupinstNamesUsed, used, used+need) {
		used = dupinstLoad(&dupinstNamesUsed)
	}
	if used+need > uintptr(len(dupinstNames)) {
		return name
	}
	r := (*dupinstRenamed)(unsafe.Pointer(&dupinstNames[used]))
	r.copy = at
	r.len = uintptr(dupinstOriginalName((*[len(dupinstNames)]byte)(r.dupinstBytes())[:len(name)], name, dot))
	for {
		r.next = dupinstLoad(head)
		if dupinstCas(head, r.next, uintptr(unsafe.Pointer(r))) {
			return r.dupinstOriginal()
		}
	}
}

func (r *dupinstRenamed) dupinstBytes() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(r), unsafe.Sizeof(*r))
}

// dupinstOriginal is unsafe.String, which can panic, and so may not be used here.
func (r *dupinstRenamed) dupinstOriginal() string {
	s := struct {
		data unsafe.Pointer
		len  uintptr
	}{r.dupinstBytes(), r.len}
	return *(*string)(unsafe.Pointer(&s))
}

// dupinstOriginalName writes the name of the original of the copy whose name
// starts after the dot, and returns its length.
func dupinstOriginalName(out []byte, name string, dot int) int {
	kind := name[dot+len(dupinstCopy)+1] &^ 0x20 // in upper case
	i, recv := dot+len(dupinstCopy)+2, 0
	for ; i < len(name) && name[i] != '_'; i++ {
		recv = recv*10 + int(name[i]-'0')
	}
	i++
	end := i // of the identifier; type arguments may follow
	for end < len(name) && name[end] != '[' {
		end++
	}
	n := 0
	for _, part := range [...]struct {
		text string
		of   byte // the kind that has it; 0: all
	}{
		{name[:dot+1], 0}, {"(*", 'P'}, {name[i : i+recv], 0}, {name[end:], 'P'}, {name[end:], 'V'}, {")", 'P'},
		{".", 'P'}, {".", 'V'}, {name[i+recv : end], 0}, {name[end:], 'F'},
	} {
		if part.of == 0 || part.of == kind {
			n += copy(out[n:], part.text)
		}
	}
	return n
}
