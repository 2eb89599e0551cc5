package chartserver

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Server is what a repository and a registry share.
type Server struct {
	// URL is the address of the server: http://127.0.0.1:port.
	URL string

	mutex              sync.Mutex
	requests           []string
	status             int
	username, password string
	garbled            string
	intercept          func(http.ResponseWriter, *http.Request) bool
}

// start serves on loopback until the test ends.
func (s *Server) start(t testing.TB, handler http.Handler) {
	t.Helper()
	listening := httptest.NewServer(handler)
	t.Cleanup(listening.Close)
	s.URL = listening.URL
}

// Host is host and port of the server.
func (s *Server) Host() string { return strings.TrimPrefix(s.URL, "http://") }

// Demand makes the server want a user name and a password.
func (s *Server) Demand(username, password string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.username, s.password = username, password
}

// Fail makes the server answer all requests with a status; 0 makes it work again.
func (s *Server) Fail(status int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.status = status
}

// Garble changes the bytes of all answers to paths that contain a text. The empty text ends it.
func (s *Server) Garble(part string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.garbled = part
}

// Intercept asks a function first. It answers the requests for which it returns true.
func (s *Server) Intercept(answer func(http.ResponseWriter, *http.Request) bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.intercept = answer
}

// Requests returns the methods and paths of all requests, those without credentials included.
func (s *Server) Requests() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string(nil), s.requests...)
}

// Count returns the number of requests whose method and path contain a text.
func (s *Server) Count(part string) int {
	count := 0
	for _, request := range s.Requests() {
		if strings.Contains(request, part) {
			count++
		}
	}
	return count
}

// serve answers a request as the server was told to, and otherwise by a handler.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, challenge string, answer http.HandlerFunc) {
	s.mutex.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.Path)
	status, username, password, garbled, intercept := s.status, s.username, s.password, s.garbled, s.intercept
	s.mutex.Unlock()
	switch {
	case status != 0:
		w.WriteHeader(status)
	case intercept != nil && intercept(w, r):
	case username != "" && !authorized(r, username, password):
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(http.StatusUnauthorized)
	case garbled != "" && strings.Contains(r.URL.Path, garbled):
		recorded := httptest.NewRecorder()
		answer(recorded, r)
		maps.Copy(w.Header(), recorded.Header())
		w.WriteHeader(recorded.Code)
		_, _ = w.Write(bytes.Repeat([]byte("x"), recorded.Body.Len()))
	default:
		answer(w, r)
	}
}

// authorized reports whether a request has the credentials, or the token that they are exchanged for.
func authorized(r *http.Request, username, password string) bool {
	name, word, ok := r.BasicAuth()
	return ok && name == username && word == password || r.Header.Get("Authorization") == "Bearer "+tokenFor(username, password)
}

// tokenFor is the token that a registry gives for credentials.
func tokenFor(username, password string) string {
	return "token-" + digestOf([]byte(username + ":" + password))[7:]
}
