package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/dupinst/dupinst/runtime/serve"
)

// The handler stands where the program mounts it.
func Example() {
	mux := http.NewServeMux()
	mux.Handle("/debug/dupinst/", http.StripPrefix("/debug/dupinst", serve.Handler()))
	server := httptest.NewServer(mux)
	defer server.Close()

	res, err := http.Get(server.URL + "/debug/dupinst/")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s", res.Status, text)
	// Output: 501 Not Implemented: dupinst: the program was built without dupinst
}
