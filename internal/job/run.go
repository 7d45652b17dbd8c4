package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"focus/dataset"
	"focus/search"
)

// Options are of one start of a job, and not of the job.
type Options struct {
	// Out replaces the job file's output folder.
	Out string
	// Stop, when closed, drains the job: no task is admitted any more.
	Stop <-chan struct{}
	// Report is called about once a second, and once at the end; nil is quiet.
	Report func(Progress)
}

// Summary is a finished run.
type Summary struct {
	Progress
	RunID string `json:"run_id"`
	Dir   string `json:"dir"`
	// Groups and Rows were written.
	Groups int `json:"groups"`
	Rows   int `json:"rows"`
	// Stopped says that the job was asked to stop before its last task.
	Stopped  bool           `json:"stopped"`
	Warnings []string       `json:"warnings,omitempty"`
	Verified dataset.Report `json:"verified"`
}

// reportEvery is how often progress is reported and written to metrics.jsonl.
const reportEvery = time.Second

// Run plays the job and writes its files. Cancelling ctx cuts rollouts in
// flight short; their groups are dropped. The error is a [*GaveUpError] when
// the infrastructure kept failing; the files are finished all the same, as they
// are on every error but one of the files themselves.
func (l *Live) Run(ctx context.Context, o Options) (sum Summary, err error) {
	dir := l.Plan.Out(o.Out)
	if err := CheckOut(dir); err != nil {
		return sum, err
	}
	held, err := lock(dir)
	if err != nil {
		return sum, &OutputError{err}
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	out, err := l.create(dir)
	if err != nil {
		return sum, &OutputError{err}
	}
	warnings := l.Warnings()
	if err := l.writeRunFile(dir, warnings); err != nil {
		return sum, &OutputError{errors.Join(err, out.Abort())}
	}
	r := &running{live: l, count: newCounters(), started: time.Now(), report: o.Report}
	sum, err = r.play(ctx, o.Stop, out, filepath.Join(dir, metricsName))
	sum.RunID, sum.Dir, sum.Warnings = string(l.Plan.RunID()), dir, warnings
	if dead, ok := errors.AsType[*filesError](err); ok {
		return sum, dead
	}
	report, verr := dataset.Verify(dir)
	sum.Verified = report
	if verr == nil && !report.OK() {
		verr = fmt.Errorf("the finished run in %s does not verify: %s", dir, report.Problems[0])
	}
	return sum, errors.Join(err, verr)
}

func (l *Live) create(dir string) (*dataset.Writer, error) {
	md, err := l.metadata()
	if err != nil {
		return nil, err
	}
	o := l.Plan.Config.Output
	return dataset.Create(dataset.Config{
		Dir: dir, Metadata: md, BatchRows: o.BatchRows, BatchBytes: o.BatchMiB << 20, ShardBytes: o.ShardMiB << 20,
	})
}

// Warnings are what a trainer must know about the law of this run.
func (l *Live) Warnings() []string {
	var out []string
	if s := l.Strategy; s.Budget.WallTime > 0 && s.Order != search.Arrival {
		out = append(out, "search.budget.wall_time makes trees depend on timing: the same job will not give the same digest twice")
	}
	if sp := l.Agent.Sampling(); sp.Truncates() {
		out = append(out, fmt.Sprintf("top_p %v, top_k %d, min_p %v truncate the distribution: processed logprobs are renormalised over what survives and a trainer's full softmax is not; see docs/trainers.md", sp.TopP, sp.TopK, sp.MinP))
	}
	return out
}

// OutputError says that the run's folder cannot be written to, found before
// anything was played.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return e.Err.Error() + "; choose another folder with --out" }
func (e *OutputError) Unwrap() error { return e.Err }

// filesError is an error of the run's own files: what is on disk is as far as
// the manifest says.
type filesError struct{ error }

func (e *filesError) Unwrap() error { return e.error }

// running is one run under way.
type running struct {
	live    *Live
	count   *Counters
	started time.Time
	report  func(Progress)
}

// play runs engine, writer and reporter, and returns when all have ended.
func (r *running) play(ctx context.Context, stop <-chan struct{}, out *dataset.Writer, metrics string) (Summary, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	seed := strconv.FormatInt(r.live.Plan.Config.Seed, 10)
	w := &writer{live: r.live, seed: seed, out: out}
	groups, broken := make(chan *search.Tree, 64), make(chan struct{})
	limit := max(1, r.live.Plan.Config.Run.Concurrency)
	e := &engine{
		live: r.live, seed: seed, limit: limit, results: make(chan played, limit), groups: groups,
		broken: broken, stop: stop, count: r.count, open: map[*active]bool{},
	}
	var wg sync.WaitGroup
	var werr error
	wg.Go(func() {
		if werr = w.write(groups); werr != nil {
			close(broken)
			cancel(werr)
		}
	})
	done := make(chan struct{})
	var rep sync.WaitGroup
	var merr error
	rep.Go(func() { merr = r.reporter(done, metrics) })

	err := e.run(ctx)
	close(groups)
	wg.Wait()
	for tree := range groups {
		release(tree) // the writer stopped before it
	}
	close(done)
	rep.Wait()
	if werr != nil {
		return Summary{Progress: r.progress()}, &filesError{errors.Join(werr, out.Abort())}
	}
	if cerr := out.Close(); cerr != nil {
		return Summary{Progress: r.progress()}, &filesError{errors.Join(cerr, merr)}
	}
	sum := Summary{Progress: r.progress(), Groups: w.groups, Rows: w.rows, Stopped: e.next < len(r.live.Tasks) || r.count.dropped.Load() > 0}
	return sum, errors.Join(err, merr)
}

// rewriter is a policy that counts how often its template rewrote a history.
type rewriter interface{ Rewrites() int64 }

// failing is a value model that counts its missing scores by cause.
type failing interface{ Failures() map[string]int }

func (r *running) progress() Progress {
	p := r.count.snapshot(r.started)
	p.Tasks = len(r.live.Tasks)
	if h, ok := r.live.Agent.Policy().(rewriter); ok {
		p.Rewrites = h.Rewrites()
	}
	if m, ok := r.live.Values.(failing); ok {
		for cause, n := range m.Failures() {
			p.ValueFailures[cause] += n
		}
	}
	p.Rollouts = r.live.Strategy.Rollouts * p.Tasks
	return p
}

// reporter reports progress and appends it to metrics.jsonl until done, and
// once more then.
func (r *running) reporter(done <-chan struct{}, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	enc := json.NewEncoder(f)
	for last := false; ; {
		select {
		case <-tick.C:
		case <-done:
			last = true
		}
		p := r.progress()
		if r.report != nil {
			r.report(p)
		}
		if err := enc.Encode(p); err != nil {
			return errors.Join(fmt.Errorf("write %s: %w", path, err), f.Close())
		}
		if last {
			return f.Close()
		}
	}
}
