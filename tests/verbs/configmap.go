package verbs

import (
	"fmt"
	"strings"
)

// Path is that of the ConfigMap web in the namespace shop, which all tests are about.
const Path = "/api/v1/namespaces/shop/configmaps/web"

// UID is that of the ConfigMap.
const UID = "5a5f3c0e-0000-4000-8000-00000000000a"

// ClusterID is the uid of the namespace kube-system of each [Server].
const ClusterID = "8d6a6d0f-0000-4000-8000-000000000001"

// Absent says that there is no such ConfigMap.
var Absent = Refusal(404, "NotFound", `{"name":"web","kind":"configmaps"}`)

// ConfigMap is the ConfigMap as the API server has it, with these data and these entries of managers.
func ConfigMap(uid, data string, entries ...string) string {
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":%q,"resourceVersion":"7",`+
		`"creationTimestamp":"2026-01-02T03:04:05Z","managedFields":[%s]},"data":%s}`, uid, strings.Join(entries, ","), data)
}

// Owns is an entry of managedFields: who owns which data.
func Owns(manager, operation, fields string) string {
	return fmt.Sprintf(`{"manager":%q,"operation":%q,"apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":%s}}`,
		manager, operation, fields)
}

// Unreadable are answers to a look at the ConfigMap that prove nothing about it.
var Unreadable = map[string]func(*Server){
	"401": func(s *Server) { s.SaysAlways(Refusal(401, "Unauthorized", "")) },
	"403 of the object": func(s *Server) {
		s.Says("GET "+Path, Refusal(403, "Forbidden", `{"name":"web","kind":"configmaps"}`))
	},
	"403 of discovery":                   func(s *Server) { s.Says("GET /api/v1", Refusal(403, "Forbidden", "")) },
	"404 of the object without a Status": func(s *Server) { s.Says("GET "+Path, Page(404)) },
	"404 of discovery without a Status":  func(s *Server) { s.Says("GET /api/v1", Page(404)); s.Says("GET /api", Page(404)) },
	"404 with a Status on every path":    func(s *Server) { s.SaysAlways(Refusal(404, "NotFound", "")) },
	"404 of a gateway that has lost the cluster": func(s *Server) {
		s.Says("GET "+Path, Refusal(404, "NotFound", ""))
		s.Says("GET /api/v1/namespaces/kube-system", Refusal(404, "NotFound", ""))
	},
	"200 with a Status": func(s *Server) { s.Says("GET "+Path, Refusal(200, "", "")) },
	"200 with an object of another kind": func(s *Server) {
		s.Says("GET "+Path, JSON(200, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":"5a5f3c0e-0000-4000-8000-00000000000a"}}`))
	},
	"404 that is JSON and no Status":       func(s *Server) { s.Says("GET "+Path, JSON(404, `{"error":"no upstream"}`)) },
	"404 of the API group and of its list": func(s *Server) { s.Says("GET /api/v1", Page(404)); s.Says("GET /api", Page(502)) },
	"410":                                  func(s *Server) { s.Says("GET "+Path, Refusal(410, "Gone", "")) },
	"429":                                  func(s *Server) { s.Says("GET "+Path, Refusal(429, "TooManyRequests", "")) },
	"500":                                  func(s *Server) { s.Says("GET "+Path, Refusal(500, "InternalError", "")) },
	"502 of a proxy":                       func(s *Server) { s.SaysAlways(Page(502)) },
	"503":                                  func(s *Server) { s.SaysAlways(Refusal(503, "ServiceUnavailable", "")) },
	"504 of a proxy":                       func(s *Server) { s.Says("GET "+Path, Page(504)) },
	"200 with a login page":                func(s *Server) { s.Says("GET "+Path, Page(200)) },
	"200 with a login page on every path":  func(s *Server) { s.SaysAlways(Page(200)) },
	"200 with nothing":                     func(s *Server) { s.Says("GET "+Path, JSON(200, "")) },
	"200 with JSON that is no object":      func(s *Server) { s.Says("GET "+Path, JSON(200, `{"status":"ok"}`)) },
	"200 with half an object": func(s *Server) {
		s.Says("GET "+Path, JSON(200, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"na`))
	},
	"nobody who listens": func(s *Server) { s.Stop() },
}

// Lost are answers to a write of the ConfigMap after which nobody knows whether it was carried out.
var Lost = map[string]Answer{
	"500": Refusal(500, "InternalError", ""), "502 of a proxy": Page(502), "503": Refusal(503, "ServiceUnavailable", ""),
	"504 of a proxy": Page(504), "a connection that closes": Cut, "half an answer": CutShort(`{"kind":"ConfigMap"}`),
	"a page": Page(200), "half an object": JSON(201, `{"kind":"ConfigMap","metadata":`), "nothing": JSON(201, ""),
	"a Status": JSON(200, `{"kind":"Status","apiVersion":"v1","status":"Success"}`),
}

// Refused are answers to a write after which certainly nothing was written.
var Refused = map[string]Answer{
	"400": Refusal(400, "BadRequest", ""), "401": Refusal(401, "Unauthorized", ""), "403": Refusal(403, "Forbidden", ""),
	"413": Refusal(413, "RequestEntityTooLarge", ""), "422": Refusal(422, "Invalid", ""),
}
