package vllm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"bytes"

	"focus/policy"
	"focus/policy/policytest"
	"focus/rollout"
)

// cpu reports the processor time per operation, all threads of the process
// together: on a shared machine it says more than the clock.
func cpu(b *testing.B) func() {
	used := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	start := used()
	return func() { b.ReportMetric(float64(used()-start)/float64(b.N), "cpu-ns/op") }
}

// sizes are prompts of the speed floors; replies have 64 ids.
var sizes = []int{128, 8192}

const replyIDs = 64

func sample(n int) rollout.Tokens {
	t := rollout.Tokens{}
	for t.Len() < n {
		ids := make([]rollout.TokenID, min(64, n-t.Len()))
		for i := range ids {
			ids[i] = rollout.TokenID((t.Len() + i) * 7919 % 151643)
		}
		t = t.Append(ids...)
	}
	return t
}

func sampleOrder(n int, echo bool) (*order, []byte) {
	sp := rollout.DefaultSampling()
	sp.Seed, sp.StopIDs = 123456789012345678, []rollout.TokenID{151645, 151643}
	o := &order{prompt: sample(n), law: sp, max: replyIDs, echo: echo, id: "run-abcdefgh-1-a1"}
	ids := sample(replyIDs).Slice()
	body, err := json.Marshal(honest(&asked{Model: "tiny", Prompt: o.prompt.Slice(), MaxTokens: replyIDs, ReturnIDs: echo}, ids...))
	if err != nil {
		panic(err)
	}
	return o, body
}

func BenchmarkEncode(b *testing.B) {
	w := newWire("tiny", 0)
	for _, n := range sizes {
		o, _ := sampleOrder(n, false)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			buf := w.append(nil, o, "v1")
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				buf = w.append(buf[:0], o, "v1")
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range sizes {
		for _, echo := range []bool{false, true} {
			o, body := sampleOrder(n, echo)
			b.Run(fmt.Sprintf("%d/echo=%v", n, echo), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				defer cpu(b)()
				var r reply
				for b.Loop() {
					if err := r.parse(body); err != nil {
						b.Fatal(err)
					}
					if _, err := check(&r, o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkDecodeLibrary is the same by encoding/json, for comparison.
func BenchmarkDecodeLibrary(b *testing.B) {
	_, body := sampleOrder(8192, true)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	defer cpu(b)()
	for b.Loop() {
		var v struct {
			Choices []struct {
				TokenIDs       []rollout.TokenID `json:"token_ids"`
				PromptTokenIDs []rollout.TokenID `json:"prompt_token_ids"`
				Logprobs       struct {
					Tokens   []string   `json:"tokens"`
					Logprobs []*float32 `json:"token_logprobs"`
				} `json:"logprobs"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(body, &v); err != nil {
			b.Fatal(err)
		}
	}
}

// canned reads a request and answers with the same bytes each time.
func canned(b *testing.B, n int) *httptest.Server {
	_, body := sampleOrder(n, false)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}))
	b.Cleanup(s.Close)
	return s
}

// BenchmarkGenerate is the policy against a canned server; BenchmarkRaw is the
// same bodies by net/http alone.
func BenchmarkGenerate(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			cfg := config(canned(b, n).URL)
			cfg.EchoFirst, cfg.EchoEvery, cfg.Model = 0, 0, "tiny"
			cfg.GenerateTimeout = 0
			p, err := New(cfg, policytest.NewChat())
			require.NoError(b, err)
			p.sheet.Store(&Sheet{Model: "tiny", Window: 1 << 20, NamesIDs: true})
			defer p.Close()
			o, _ := sampleOrder(n, false)
			sp := o.law
			sp.MaxTokens = replyIDs
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				if _, err := p.Generate(b.Context(), policy.Prompt{Tokens: o.prompt}, sp); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRaw(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := canned(b, n)
			o, _ := sampleOrder(n, false)
			w := newWire("tiny", 0)
			body := w.append(nil, o, "v1")
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
			defer client.CloseIdleConnections()
			b.ReportAllocs()
			defer cpu(b)()
			for b.Loop() {
				resp, err := client.Post(s.URL+"/v1/completions", "application/json", bytes.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}
