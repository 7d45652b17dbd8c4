package serve

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"focus/rollout"
)

// metrics are vLLM's names for what a load balancer looks at, in a registry of
// their own.
type metrics struct {
	http.Handler
	promptTokens, generated  prometheus.Counter
	queried, hits            prometheus.Counter
	success, rejected        *prometheus.CounterVec
	firstToken, queued, full prometheus.Histogram
}

func newMetrics(model string, g *gate, b Backend) *metrics {
	reg := prometheus.NewRegistry()
	labels := prometheus.Labels{"model_name": model, "engine": "0"}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels})
		reg.MustRegister(c)
		return c
	}
	counters := func(name, help, label string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, []string{label})
		reg.MustRegister(c)
		return c
	}
	seconds := func(name, help string) prometheus.Histogram {
		h := prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: name, Help: help, ConstLabels: labels, Buckets: prometheus.ExponentialBuckets(0.001, 2, 18)})
		reg.MustRegister(h)
		return h
	}
	gauge := func(name, help string, f func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, f))
	}
	gauge("vllm:num_requests_running", "Sequences with the backend.", func() float64 { n, _ := g.load(); return float64(n) })
	gauge("vllm:num_requests_waiting", "Sequences waiting for the backend.", func() float64 { _, n := g.load(); return float64(n) })
	if u, ok := b.(CacheUsage); ok {
		gauge("vllm:kv_cache_usage_perc", "Share of the KV memory in use, 0 to 1.", u.CacheUsage)
	}
	counter("vllm:num_preemptions_total", "Sequences set back; none ever is here.")
	return &metrics{
		Handler:      promhttp.HandlerFor(reg, promhttp.HandlerOpts{}),
		promptTokens: counter("vllm:prompt_tokens_total", "Prompt ids of finished sequences."),
		generated:    counter("vllm:generation_tokens_total", "Sampled ids of finished sequences."),
		queried:      counter("vllm:prefix_cache_queries_total", "Prompt ids looked up in the prefix cache."),
		hits:         counter("vllm:prefix_cache_hits_total", "Prompt ids found in the prefix cache."),
		success:      counters("vllm:request_success_total", "Finished sequences by reason.", "finished_reason"),
		rejected:     counters("vllm:admission_rejections_total", "Sequences refused because the queue was full.", "reason"),
		firstToken:   seconds("vllm:time_to_first_token_seconds", "From admission to the first id, where the backend tells."),
		queued:       seconds("vllm:request_queue_time_seconds", "From admission to the backend."),
		full:         seconds("vllm:e2e_request_latency_seconds", "From admission to the last id."),
	}
}

// finished counts one sequence that ended by itself.
func (m *metrics) finished(prompt int, rep Reply, took time.Duration) {
	m.promptTokens.Add(float64(prompt))
	m.generated.Add(float64(len(rep.Tokens)))
	if rep.Cached >= 0 {
		m.queried.Add(float64(prompt))
		m.hits.Add(float64(rep.Cached))
	}
	if rep.Finish != rollout.FinishAbort {
		m.success.WithLabelValues(string(rep.Finish)).Inc()
	}
	m.full.Observe(took.Seconds())
}
