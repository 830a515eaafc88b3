// Buntdb (for the paper's _209_db) adds, finds, sorts and deletes records of an
// address book in a tidwall/buntdb database in memory, with two indexes.
package main

import (
	"fmt"
	"hash/crc32"
	"math/rand"

	"github.com/tidwall/buntdb"

	"github.com/dupinst/dupinst/bench/source"
)

const records = 15000

func main() {
	db, err := buntdb.Open(":memory:")
	source.Check(err)
	defer db.Close()
	source.Check(db.CreateIndex("age", "person:*", buntdb.IndexJSON("age")))
	source.Check(db.CreateIndex("name", "person:*", buntdb.IndexJSON("name.last"), buntdb.IndexJSON("name.first")))
	r := rand.New(rand.NewSource(1))
	for batch := range records / 100 {
		source.Check(db.Update(func(tx *buntdb.Tx) error {
			for i := range 100 {
				if _, _, err := tx.Set(fmt.Sprintf("person:%d", batch*100+i), person(r), nil); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	sum := crc32.NewIEEE()
	for range 24 {
		source.Check(db.View(func(tx *buntdb.Tx) error {
			for _, index := range []string{"age", "name"} {
				if err := tx.Ascend(index, func(key, value string) bool {
					fmt.Fprintln(sum, key)
					return true
				}); err != nil {
					return err
				}
			}
			return tx.AscendRange("age", `{"age":30}`, `{"age":40}`, func(key, value string) bool {
				fmt.Fprintln(sum, value)
				return true
			})
		}))
		source.Check(db.Update(func(tx *buntdb.Tx) error {
			for range 2000 {
				key := fmt.Sprintf("person:%d", r.Intn(records))
				old, err := tx.Delete(key)
				if err != nil {
					return err
				}
				fmt.Fprintln(sum, old)
				if _, _, err := tx.Set(key, person(r), nil); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	fmt.Printf("buntdb %08x\n", sum.Sum32())
}

func person(r *rand.Rand) string {
	word := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + r.Intn(26))
		}
		return string(b)
	}
	return fmt.Sprintf(`{"name":{"first":%q,"last":%q},"age":%d,"mail":%q}`, word(5), word(3), r.Intn(90), word(8)+"@example.org")
}
