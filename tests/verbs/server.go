package verbs

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Answer is what comes back for a request.
type Answer http.HandlerFunc

// JSON is an answer of an API server.
func JSON(code int, body string) Answer { return with("application/json", code, body) }

// Page is an answer of something else on the way, as proxies and load balancers give it.
func Page(code int) Answer {
	return with("text/html", code, "<html><body><h1>"+strconv.Itoa(code)+" "+http.StatusText(code)+"</h1></body></html>")
}

func with(contentType string, code int, body string) Answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// Refusal is a Status of an API server. details may be empty.
func Refusal(code int, reason, details string) Answer {
	if details == "" {
		details = "{}"
	}
	return JSON(code, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"refused","reason":"`+
		reason+`","details":`+details+`,"code":`+strconv.Itoa(code)+`}`)
}

// Cut is a connection that is closed in place of an answer.
func Cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Hang gives no answer until whoever asks goes away.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// CutShort is an answer of which half arrives.
func CutShort(body string) Answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write([]byte(body[:len(body)/2]))
		panic(http.ErrAbortHandler)
	}
}

// Server gives recorded answers. It knows no rule of an API server.
type Server struct {
	URL string

	server  *httptest.Server
	mu      sync.Mutex
	answers map[string]Answer
	asked   []string
}

// NewServer is a server that knows which kinds there are, and which cluster it is.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{answers: map[string]Answer{}}
	s.Says("GET /api/v1", JSON(200, `{"kind":"APIResourceList","groupVersion":"v1","resources":[`+
		`{"name":"configmaps","namespaced":true,"kind":"ConfigMap"},{"name":"secrets","namespaced":true,"kind":"Secret"},`+
		`{"name":"namespaces","kind":"Namespace"}]}`))
	s.Says("GET /api", JSON(200, `{"kind":"APIVersions","versions":["v1"]}`))
	s.Says("GET /apis", JSON(200, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`))
	s.IsCluster(ClusterID)
	s.server = httptest.NewServer(s)
	s.URL = s.server.URL
	t.Cleanup(s.server.Close)
	return s
}

// IsCluster says which cluster it is.
func (s *Server) IsCluster(uid string) {
	s.Says("GET /api/v1/namespaces/kube-system", JSON(200, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"`+uid+`"}}`))
}

// Says is the answer to a request, such as "GET /api/v1", from now on.
func (s *Server) Says(request string, answer Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[request] = answer
}

// SaysAlways is the answer to all requests from now on.
func (s *Server) SaysAlways(answer Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = map[string]Answer{"": answer}
}

// Stop ends the server: nobody listens at its address any more.
func (s *Server) Stop() { s.server.Close() }

// Asked are the requests since the last call, each without its parameters but for a dry-run.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// Wrote are the requests since the last call that were to change something.
func (s *Server) Wrote() []string {
	return slices.DeleteFunc(s.Asked(), func(request string) bool {
		return strings.HasPrefix(request, http.MethodGet) || strings.HasSuffix(request, dryRun)
	})
}

const dryRun = " (dry-run)"

// ServeHTTP gives the recorded answer. What none was recorded for is a mistake of the test, which shows as an answer that
// no API server gives.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := r.Method + " " + r.URL.Path
	trial := ""
	if r.URL.Query().Get("dryRun") != "" {
		trial = dryRun
	}
	s.mu.Lock()
	s.asked = append(s.asked, request+trial)
	answer := s.answers[request+trial]
	if answer == nil {
		answer = s.answers[request]
	}
	if answer == nil {
		answer = s.answers[""]
	}
	s.mu.Unlock()
	if answer == nil {
		answer = with("text/plain", http.StatusTeapot, "no answer was recorded for "+request)
	}
	answer(w, r)
}
