package queue

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is a JetStream server in this process.
type Server struct {
	s     *server.Server
	token string
}

// maxStore bounds the files of the queue; a million units take a third of it.
const maxStore = 2 << 30

// waitForServer is how long a server may take to start.
const waitForServer = 30 * time.Second

// Start starts a server that keeps its streams in a folder. Without an address nothing is open on
// the network; with one it takes connections that have its token.
func Start(dir, address string) (*Server, error) {
	token := rand.Text()
	o := &server.Options{
		JetStream: true, StoreDir: filepath.Clean(dir), SyncAlways: true, JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: maxStore,
		NoSigs: true, NoLog: true, DontListen: address == "", Authorization: token,
	}
	if address != "" {
		o.Host, o.Port = address, server.RANDOM_PORT
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("the queue cannot be started: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(waitForServer) {
		s.Shutdown()
		return nil, errors.New("the queue cannot be started: its server does not answer; check whether the address is in use")
	}
	return &Server{s, token}, nil
}

// URL is the address at which workers find the server; "" in process only.
func (s *Server) URL() string {
	if s.s.Addr() == nil {
		return ""
	}
	return s.s.ClientURL()
}

// Token is what they have to show.
func (s *Server) Token() string { return s.token }

// Connect connects this process.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.s), nats.Token(s.token))
}

// Close stops the server; its streams stay in the folder.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}
