package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// apiError is a refusal in the shape vLLM gives it.
type apiError struct {
	status  int
	kind    string
	message string
	// param names the field at fault; empty is null.
	param string
}

func (e *apiError) Error() string { return e.message }

// schemaError refuses a field by its form, as vLLM's request model does.
func schemaError(field, format string, args ...any) *apiError {
	param := "body"
	if field != "" {
		param += "." + field
	}
	return &apiError{http.StatusBadRequest, "Bad Request", fmt.Sprintf(format, args...), param}
}

// badRequest refuses a field by its value.
func badRequest(param, format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, "BadRequestError", fmt.Sprintf(format, args...), param}
}

func notFound(param, format string, args ...any) *apiError {
	return &apiError{http.StatusNotFound, "NotFoundError", fmt.Sprintf(format, args...), param}
}

func overloaded(format string, args ...any) *apiError {
	return &apiError{http.StatusServiceUnavailable, "Service Unavailable", fmt.Sprintf(format, args...), ""}
}

func internal(err error) *apiError {
	return &apiError{http.StatusInternalServerError, "InternalServerError", err.Error(), ""}
}

// MarshalJSON gives the whole body of the reply.
func (e *apiError) MarshalJSON() ([]byte, error) {
	type inner struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    int     `json:"code"`
	}
	in := inner{Message: e.message, Type: e.kind, Code: e.status}
	if e.param != "" {
		in.Param = &e.param
	}
	return json.Marshal(map[string]inner{"error": in})
}

// detail is the body of the routes' own refusals: unknown path, wrong method,
// a body that cannot be read at all.
func (s *Server) detail(w http.ResponseWriter, status int, text string) {
	s.write(w, status, map[string]string{"detail": text})
}

// write sends v. An error here means that the client is gone.
func (s *Server) write(w http.ResponseWriter, status int, v any) {
	body, err := marshal(v)
	if err != nil {
		s.config.Log.Error("encode reply", "error", err)
		status, body = http.StatusInternalServerError, []byte(`{"error":{"message":"encode reply","type":"InternalServerError","param":null,"code":500}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		s.config.Log.Debug("write reply", "error", err)
	}
}

// refuse sends e.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, e *apiError) {
	s.config.Log.Info("refused", "path", r.URL.Path, "status", e.status, "param", e.param, "reason", e.message)
	s.write(w, e.status, e)
}
