// Tpcb (for the paper's pBOB) makes transfers as TPC-B does, in a go.etcd.io/bbolt
// database: each changes an account, its teller and its branch, and adds to the
// history.
package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"github.com/dupinst/dupinst/bench/source"
)

const (
	branches     = 4
	tellers      = 10 * branches
	accounts     = 4000 * branches
	transactions = 120000
	batch        = 8
)

func main() {
	dir, err := os.MkdirTemp("", "tpcb-")
	source.Check(err)
	defer os.RemoveAll(dir)
	db, err := bolt.Open(filepath.Join(dir, "db"), 0o600, &bolt.Options{NoSync: true, NoGrowSync: true, NoFreelistSync: true})
	source.Check(err)
	source.Check(db.Update(func(tx *bolt.Tx) error {
		for name, n := range map[string]int{"account": accounts, "teller": tellers, "branch": branches, "history": 0} {
			b, err := tx.CreateBucket([]byte(name))
			if err != nil {
				return err
			}
			for i := range n {
				if err := b.Put(number(i), number(0)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	r := rand.New(rand.NewSource(1))
	for i := 0; i < transactions; i += batch {
		source.Check(db.Update(func(tx *bolt.Tx) error {
			for j := range batch {
				if err := transfer(tx, i+j, r.Intn(accounts), r.Intn(tellers), r.Intn(1999999)-999999); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	sum := crc32.NewIEEE()
	source.Check(db.View(func(tx *bolt.Tx) error {
		for _, name := range []string{"account", "teller", "branch", "history"} {
			if err := tx.Bucket([]byte(name)).ForEach(func(k, v []byte) error {
				sum.Write(k)
				sum.Write(v)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	source.Check(db.Close())
	fmt.Printf("tpcb %08x\n", sum.Sum32())
}

func transfer(tx *bolt.Tx, id, account, teller, amount int) error {
	for _, row := range []struct {
		table string
		key   int
	}{{"account", account}, {"teller", teller}, {"branch", teller / 10}} {
		b := tx.Bucket([]byte(row.table))
		balance := int64(binary.BigEndian.Uint64(b.Get(number(row.key)))) + int64(amount)
		if err := b.Put(number(row.key), number(int(balance))); err != nil {
			return err
		}
	}
	entry := append(append(number(account), number(teller)...), number(amount)...)
	return tx.Bucket([]byte("history")).Put(number(id), entry)
}

func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
