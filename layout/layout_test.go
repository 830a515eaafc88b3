package layout

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/dupinst/dupinst/profile"
)

// structs examines the struct types of a source, all of whose fields have the
// accesses that a comment behind them says, as in "x int // 7".
func structs(t *testing.T, src string) ([]*Struct, *token.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := (&types.Config{Importer: importer.Default()}).Check("p", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	uses := Uses{Accesses: map[string]map[string]float64{}}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			counts := map[string]float64{}
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					for range strings.Count(f.Comment.Text(), "*") {
						counts[name.Name]++
					}
				}
			}
			uses.Accesses["p."+spec.Name.Name] = counts
		}
		return true
	})
	return Structs([]*ast.File{f}, info, types.SizesFor("gc", "amd64"), uses), fset.File(f.FileStart)
}

func names(o *Order) string {
	var out []string
	for _, f := range o.Fields {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

func TestPropose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, fields, want string }{
		{"hot fields on two lines", "a int // *****\ncold [64]byte\nb int // ****", "a b cold"},
		{"hot first, by accesses", "cold [52]byte\nc int32 // *\nb int64 // ****\na int64 // *****", "a b c cold"},
		{"already together", "a int // *****\nb int // ****\ncold [64]byte", ""},
		{"smaller, and as few lines", "a bool // ***\nb int // ***\nc bool // ***", "b a c"},
		{"names of one declaration stay together", "a, b int // *\ncold [56]byte\nc int // *****", "c a b cold"},
		{"a field of no size does not end it", "a [56]byte // *\nb int // *****\nc struct{}\nd int // ******", "c d b a"},
		{"padding is on purpose", "a int // *****\n_ [64]byte\nb int // ****", ""},
		{"nothing hot", "a int\nb int", "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list, _ := structs(t, "package p\n\ntype T struct {\n"+c.fields+"\n}\n")
			switch {
			case c.want == "none":
				if len(list) != 0 {
					t.Errorf("%v", list)
				}
			case len(list) != 1:
				t.Errorf("%d structs", len(list))
			case list[0].Proposed == nil:
				if c.want != "" {
					t.Errorf("no order is proposed, want %s", c.want)
				}
			case names(list[0].Proposed) != c.want:
				t.Errorf("proposed: %s, want %q", names(list[0].Proposed), c.want)
			}
		})
	}
}

// A type that a function declares has the name of another in the profile.
func TestLocalType(t *testing.T) {
	t.Parallel()
	list, _ := structs(t, "package p\n\nfunc f() {\ntype T struct {\na int // *****\ncold [64]byte\nb int // ****\n}\n_ = T{}\n}\n")
	if len(list) != 0 {
		t.Errorf("%d structs", len(list))
	}
}

// Sizes and offsets are the compiler's.
func TestPlace(t *testing.T) {
	t.Parallel()
	list, _ := structs(t, "package p\n\ntype T struct {\na bool // *\nb int64 // *\nc int32 // *\nd struct{}\n}\n")
	o := list[0].Now
	if o.Size != 24 || o.Fields[1].Offset != 8 || o.Fields[2].Offset != 16 || o.Fields[3].Offset != 20 {
		t.Errorf("%+v", o)
	}
}

func TestReorder(t *testing.T) {
	t.Parallel()
	const src = `package p

// T has comments.
type T struct {
	// a is a field.
	a int // *****

	// What follows is cold.

	cold [64]byte ` + "`json:\"cold\"`" + ` // stays cold
	/* b is in front */ b int // ****
	// The end.
}

type U struct {
	a    int // *****
	cold struct {
		x [64]byte
	}
	b int // ****
}

type V struct{ a int; c [64]byte; b int /* ** */ }
`
	list, file := structs(t, src)
	var edits []Edit
	for _, s := range list {
		if s.Name == "p.V" {
			s.Proposed = &s.Now
			if _, err := s.Reorder(file, []byte(src)); err != ErrOneLine {
				t.Errorf("on one line: %v", err)
			}
			continue
		}
		e, err := s.Reorder(file, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, e)
	}
	got, err := Apply([]byte(src), edits)
	if err != nil {
		t.Fatal(err)
	}
	const want = `package p

// T has comments.
type T struct {
	// a is a field.
	a int // *****
	/* b is in front */ b int // ****

	// What follows is cold.

	cold [64]byte ` + "`json:\"cold\"`" + ` // stays cold
	// The end.
}

type U struct {
	a    int // *****
	b    int // ****
	cold struct {
		x [64]byte
	}
}

type V struct {
	a int
	c [64]byte
	b int /* ** */
}
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Fields that are used together go on one line, whatever their heat; from
// references in a row of two fields of each of some objects.
func TestCompany(t *testing.T) {
	t.Parallel()
	const src = "package p\n\ntype T struct {\na int // ***\nx [56]byte // *\nb int // **\ny [56]byte // **\n}\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	if _, err := new(types.Config).Check("p", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	entry := func(field, offset, size string, n uint64) profile.Entry {
		return profile.Entry{Count: n, Parts: []profile.Part{
			{Name: "type", Value: "p.T"}, {Name: "field", Value: field}, {Name: "access", Value: "read"},
			{Name: "offset", Value: offset, Number: true}, {Name: "size", Value: size, Number: true},
		}}
	}
	p := &profile.Profile{Instrumentation: "reference", Variant: "exhaustive", Entries: []profile.Entry{
		entry("a", "0", "8", 300), entry("x", "8", "56", 200), entry("b", "64", "8", 300), entry("y", "72", "56", 200),
	}}
	var burst profile.Burst
	for object := uint64(0x10000); object < 0x20000; object += 0x400 {
		for _, r := range []struct {
			entry int
			at    uint64
		}{{0, 0}, {2, 64}, {1, 0x208 + 40}, {3, 0x200 + 72}} { // x and y of another
			burst.References = append(burst.References, profile.Reference{Entry: &p.Entries[r.entry], Address: object + r.at})
		}
	}
	p.Bursts = []profile.Burst{burst}
	uses, err := Of(p)
	if err != nil {
		t.Fatal(err)
	}
	list := Structs([]*ast.File{f}, info, types.SizesFor("gc", "amd64"), uses)
	if len(list) != 1 || list[0].Proposed == nil {
		t.Fatalf("%d structs, or no order is proposed", len(list))
	}
	if got := names(list[0].Proposed); got != "a b x y" || list[0].Proposed.Apart >= list[0].Now.Apart {
		t.Errorf("proposed: %s, of what is used together %.2f on two lines, %.2f before", got, list[0].Proposed.Apart, list[0].Now.Apart)
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	entry := func(access string, n uint64) profile.Entry {
		return profile.Entry{Count: n, Parts: []profile.Part{{Name: "type", Value: "p.T"}, {Name: "field", Value: "x"}, {Name: "access", Value: access}}}
	}
	p := &profile.Profile{Instrumentation: "fieldaccess", Interval: 10, Checks: 1000, Samples: 100, Entries: []profile.Entry{entry("read", 3), entry("write", 4)}}
	u, err := Of(p)
	if err != nil {
		t.Fatal(err)
	}
	if n := u.Accesses["p.T"]["x"]; n != 70 {
		t.Errorf("%v accesses, want 70", n)
	}
}
