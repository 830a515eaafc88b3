// Chat (for the paper's VolanoMark) is a server of chat rooms and its clients,
// hundreds of goroutines that talk over gorilla/websocket on the loopback: four for each
// user. CHAT says how many rooms there are, users in each, and messages of each user, as
// "8 24 160".
package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/gorilla/websocket"

	"github.com/dupinst/dupinst/bench/source"
)

var (
	rooms    = 8
	users    = 24  // in each room
	messages = 160 // of each user
)

// A message is what users say.
type message struct {
	Room, User, Number int
	Text               string
}

// A room hands each message to all of its users.
type room struct {
	sync.Mutex
	members []chan []byte
}

func (r *room) join() chan []byte {
	inbox := make(chan []byte, users*messages)
	r.Lock()
	defer r.Unlock()
	r.members = append(r.members, inbox)
	return inbox
}

func (r *room) say(text []byte) {
	r.Lock()
	defer r.Unlock()
	for _, m := range r.members {
		m <- text
	}
}

// A server has all rooms.
type server struct {
	upgrader websocket.Upgrader
	rooms    []room
	joined   sync.WaitGroup
}

func (s *server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	conn, err := s.upgrader.Upgrade(w, req, nil)
	source.Check(err)
	defer conn.Close()
	var hello message
	source.Check(conn.ReadJSON(&hello))
	room := &s.rooms[hello.Room]
	inbox := room.join()
	s.joined.Done()
	var sent sync.WaitGroup
	sent.Add(1)
	go func() {
		defer sent.Done()
		for range users * messages {
			source.Check(conn.WriteMessage(websocket.TextMessage, <-inbox))
		}
	}()
	for range messages {
		var m message
		source.Check(conn.ReadJSON(&m))
		m.Text = fmt.Sprintf("%d: %s", m.User, m.Text)
		text, err := json.Marshal(m)
		source.Check(err)
		room.say(text)
	}
	sent.Wait()
}

func main() {
	if size := os.Getenv("CHAT"); size != "" {
		_, err := fmt.Sscan(size, &rooms, &users, &messages)
		source.Check(err)
	}
	s := &server{rooms: make([]room, rooms)}
	s.joined.Add(rooms * users)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	source.Check(err)
	go func() { source.Check(http.Serve(listener, s)) }()
	var all sync.WaitGroup
	sums := make([]uint32, rooms*users)
	for i := range sums {
		all.Add(1)
		go func() {
			defer all.Done()
			sums[i] = s.user("ws://"+listener.Addr().String(), i/users, i%users)
		}()
	}
	all.Wait()
	total := uint32(0)
	for _, s := range sums {
		total += s
	}
	fmt.Printf("chat %08x\n", total)
}

// user talks, and returns a sum of what it hears, in whatever order.
func (s *server) user(url string, room, user int) uint32 {
	conn, _, err := websocket.DefaultDialer.Dial(url, nil)
	source.Check(err)
	defer conn.Close()
	source.Check(conn.WriteJSON(message{Room: room, User: user}))
	s.joined.Wait()
	go func() {
		for i := range messages {
			source.Check(conn.WriteJSON(message{room, user, i, "the quick brown fox jumps over the lazy dog"}))
		}
	}()
	total := uint32(0)
	for range users * messages {
		var m message
		source.Check(conn.ReadJSON(&m))
		total += crc32.ChecksumIEEE(fmt.Append(nil, m))
	}
	return total
}
