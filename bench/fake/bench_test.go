package fake_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"focus/bench/fake"
)

// sink is the cheapest ResponseWriter.
type sink struct {
	header http.Header
	n      int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { s.n += len(b); return len(b), nil }

func body(b *testing.B, ids int) []byte {
	q := question()
	q.Prompt = make([]int32, ids)
	for i := range q.Prompt {
		q.Prompt[i] = int32(100 + i*7919%31000)
	}
	raw, err := json.Marshal(q)
	if err != nil {
		b.Fatal(err)
	}
	return raw
}

// BenchmarkHandler is what a request costs the fake without a connection.
func BenchmarkHandler(b *testing.B) {
	for _, ids := range []int{128, 8192} {
		b.Run(fmt.Sprint(ids), func(b *testing.B) {
			srv, err := fake.New(fake.Config{Script: fake.Steady(32)})
			if err != nil {
				b.Fatal(err)
			}
			raw := body(b, ids)
			rd := bytes.NewReader(raw)
			req, err := http.NewRequest(http.MethodPost, "/v1/completions", io.NopCloser(rd))
			if err != nil {
				b.Fatal(err)
			}
			req.ContentLength = int64(len(raw))
			w := &sink{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				rd.Reset(raw)
				srv.ServeHTTP(w, req)
			}
		})
	}
}

// BenchmarkRoundTrip is a request over a connection that is kept.
func BenchmarkRoundTrip(b *testing.B) {
	for name, start := range map[string]func(fake.Config) (*fake.Endpoint, error){"loopback": fake.Start, "pipe": fake.StartPipe} {
		for _, ids := range []int{128, 8192} {
			b.Run(fmt.Sprint(name, "/", ids), func(b *testing.B) {
				e, err := start(fake.Config{Script: fake.Steady(32)})
				if err != nil {
					b.Fatal(err)
				}
				defer e.Close()
				tr := e.Transport(1)
				defer tr.CloseIdleConnections()
				raw := body(b, ids)
				buf := make([]byte, 1<<20)
				for b.Loop() {
					req, err := http.NewRequest(http.MethodPost, e.URL+"/v1/completions", bytes.NewReader(raw))
					if err != nil {
						b.Fatal(err)
					}
					resp, err := tr.RoundTrip(req)
					if err != nil {
						b.Fatal(err)
					}
					for err == nil {
						_, err = resp.Body.Read(buf)
					}
					if err != io.EOF {
						b.Fatal(err)
					}
					if err := resp.Body.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
