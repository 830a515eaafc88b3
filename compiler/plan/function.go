package plan

// A Function is a function's plan as the pass in the compiler hands it to dupinst explain,
// in JSON.
type Function struct {
	Name    string
	File    string // as //line directives have it
	Line    int
	Source  string // the file itself
	From    int    // the function's first and last line in it
	To      int
	Variant Variant // "" if the function is left alone
	Why     string
	Probes  int // events that are counted
	Paths   int // that are told apart, where paths are counted
	Loops   int // that are, where trips are
	Checks  int // in the code
	Entry   bool
	Nodes   []Node
}

// A Node is one of a function's graph.
type Node struct {
	Lines  []int // of Source, sorted
	Probes int
	Copied bool
	Alone  bool
	Out    []Way
}

// A Way is an edge of a function's graph.
type Way struct {
	To          int
	Back, Check bool
}

// Describe puts what p decides into f, whose nodes have nothing but lines and probes.
func (p *Plan) Describe(f *Function) {
	f.Variant, f.Why = p.Variant, p.Why
	checked := map[Edge]bool{}
	for _, e := range p.Checks {
		checked[e] = true
	}
	f.Entry = checked[Entry]
	for n, succs := range p.Graph.Succs {
		node := &f.Nodes[n]
		node.Copied, node.Alone = p.Copied[n], p.Alone[n]
		for i, to := range succs {
			e := Edge{n, i}
			node.Out = append(node.Out, Way{To: to, Back: p.Back[e], Check: checked[e]})
		}
	}
}

// Shape says in a word what is made of the function.
func (f *Function) Shape() string {
	switch f.Variant {
	case "":
		return "untouched"
	case No:
		return "lone"
	case Exhaustive, Followed:
		return "direct"
	}
	return "copied"
}
