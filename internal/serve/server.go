package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"unicode/utf8"

	"focus/policy"
)

// Server is the endpoint, an [http.Handler]. It starts nothing by itself.
type Server struct {
	config  Config
	backend Backend
	scorer  policy.Scorer
	gate    *gate
	metrics *metrics
	mux     *http.ServeMux
	started int64
}

// New checks the configuration and builds the endpoint.
func New(c Config, b Backend) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Server{config: c.withDefaults(), backend: b, mux: http.NewServeMux()}
	s.scorer, _ = b.(policy.Scorer)
	s.gate = newGate(s.config.MaxSeqs, s.config.MaxQueue)
	s.metrics = newMetrics(s.config.Model, s.gate, b)
	s.started = s.config.Now().Unix()
	s.route(http.MethodPost, "/v1/completions", s.completions)
	s.route(http.MethodGet, "/v1/models", s.models)
	s.route(http.MethodGet, "/health", s.health)
	s.route(http.MethodGet, "/version", s.version)
	s.route(http.MethodGet, "/metrics", s.metrics.ServeHTTP)
	if c.Tokenizer != nil {
		s.route(http.MethodPost, "/tokenize", s.tokenize)
		s.route(http.MethodPost, "/detokenize", s.detokenize)
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.detail(w, http.StatusNotFound, "Not Found")
	})
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Server) route(method, path string, h http.HandlerFunc) {
	s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			w.Header().Set("Allow", method)
			s.detail(w, http.StatusMethodNotAllowed, "Method Not Allowed")
			return
		}
		h(w, r)
	})
}

// body reads the request's object, or answers why it cannot and returns nil.
// The body is read to its end: only then does net/http notice a client that
// goes away.
func (s *Server) body(w http.ResponseWriter, r *http.Request) *fields {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.config.MaxBody))
	if err != nil {
		status := http.StatusBadRequest
		if int64(len(raw)) >= s.config.MaxBody {
			status = http.StatusRequestEntityTooLarge
		}
		s.detail(w, status, fmt.Sprintf("read body: %s", err))
		return nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		s.refuse(w, r, schemaError("", "content type should be application/json"))
		return nil
	}
	if !utf8.Valid(raw) {
		s.detail(w, http.StatusBadRequest, "There was an error parsing the body")
		return nil
	}
	f, bad := parseFields(raw)
	if bad != nil {
		s.refuse(w, r, bad)
		return nil
	}
	return f
}

// marshal keeps < and > as they are.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(buf.Bytes(), "\n"), err
}

// randomSeed is not negative, as [rollout.DeriveSeed] is.
func randomSeed() int64 { return rand.Int64() }
