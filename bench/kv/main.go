// Kv is a key-value service over HTTP, for bench/latency: JSON documents in buntdb, with
// an index. It prints its address.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/tidwall/buntdb"
)

type document struct {
	Name  string   `json:"name"`
	Score int      `json:"score"`
	Tags  []string `json:"tags"`
}

type service struct {
	db   *buntdb.DB
	turn atomic.Int64
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kv:", err)
		os.Exit(1)
	}
}

const documents = 10_000

func run() error {
	db, err := buntdb.Open(":memory:")
	if err != nil {
		return err
	}
	if err := db.CreateIndex("score", "*", buntdb.IndexJSON("score")); err != nil {
		return err
	}
	s := &service{db: db}
	for i := range documents {
		if err := s.put(strconv.Itoa(i), &document{"name " + strconv.Itoa(i), i * 7919 % 1000, []string{"a", "b", strconv.Itoa(i % 17)}}); err != nil {
			return err
		}
	}
	http.HandleFunc("/next", s.next)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Printf("serving on http://%s\n", l.Addr())
	return http.Serve(l, nil)
}

func (s *service) put(key string, d *document) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *buntdb.Tx) error {
		_, _, err := tx.Set(key, string(text), nil)
		return err
	})
}

// next answers one request after the other with one document, and each tenth with the
// best.
func (s *service) next(w http.ResponseWriter, _ *http.Request) {
	turn := s.turn.Add(1)
	if turn%10 == 0 {
		s.top(w)
		return
	}
	s.get(w, strconv.Itoa(int(turn*7919%documents)))
}

// get answers with one document, its score raised by one.
func (s *service) get(w http.ResponseWriter, key string) {
	var d document
	err := s.db.View(func(tx *buntdb.Tx) error {
		text, err := tx.Get(key)
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(text), &d)
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	d.Score++
	answer(w, d)
}

// top answers with the 20 documents of the highest scores.
func (s *service) top(w http.ResponseWriter) {
	var all []document
	err := s.db.View(func(tx *buntdb.Tx) error {
		var wrong error
		err := tx.Descend("score", func(_, text string) bool {
			var d document
			wrong = json.Unmarshal([]byte(text), &d)
			all = append(all, d)
			return wrong == nil && len(all) < 20
		})
		if wrong != nil {
			return wrong
		}
		return err
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, all)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // the client has gone if it fails
}
