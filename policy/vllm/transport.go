package vllm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// newTransport is the way to one server. It has no limit on the wait for
// headers, which come when the whole reply is there, and drops idle connections
// before uvicorn does (5 s), which would reset them under the next request.
func newTransport(connections int) *http.Transport {
	return &http.Transport{
		Proxy:                 nil, // an environment's proxy is not meant for engines
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConnsPerHost:   connections,
		IdleConnTimeout:       2500 * time.Millisecond,
		ResponseHeaderTimeout: 0,
		DisableCompression:    true,
		WriteBufferSize:       16 << 10, // a prompt of 2k ids in one write
	}
}

// maxBody bounds a reply: an echo of a million ids with logprobs fits.
const maxBody = 256 << 20

// buffers are reused bodies, of requests and of replies.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

type buffer struct {
	b    []byte
	refs atomic.Int32
}

func newBuffer() *buffer {
	b := buffers.Get().(*buffer)
	b.b = b.b[:0]
	b.refs.Store(1)
	return b
}

// release gives the buffer back when nobody reads it any more.
func (b *buffer) release() {
	if b.refs.Add(-1) == 0 {
		buffers.Put(b)
	}
}

// reader is a request body over the buffer. The transport may read it after the
// call has returned, so the buffer is kept until the reader is closed.
func (b *buffer) reader() io.ReadCloser {
	b.refs.Add(1)
	return &bodyReader{from: b, rest: b.b}
}

type bodyReader struct {
	mu   sync.Mutex // the transport may close while it reads
	from *buffer
	rest []byte
}

func (r *bodyReader) Read(dst []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(dst, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *bodyReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.from != nil {
		r.from.release()
		r.from, r.rest = nil, nil
	}
	return nil
}

// fill reads a whole response body.
func (b *buffer) fill(resp *http.Response) error {
	switch n := resp.ContentLength; {
	case n > maxBody:
		return fmt.Errorf("body of %d bytes, at most %d are taken", n, maxBody)
	case n >= 0:
		if int64(cap(b.b)) < n {
			b.b = make([]byte, n+n/8)
		}
		b.b = b.b[:n]
		_, err := io.ReadFull(resp.Body, b.b)
		return err
	}
	w := bytes.NewBuffer(b.b[:0])
	n, err := w.ReadFrom(io.LimitReader(resp.Body, maxBody+1))
	b.b = w.Bytes()
	if err == nil && n > maxBody {
		err = fmt.Errorf("body of more than %d bytes", maxBody)
	}
	return err
}

// post sends a body to a path of the server and reads the answer into the
// buffer that is returned, which the caller releases.
func (p *Policy) post(ctx context.Context, u *url.URL, body *buffer, header http.Header) (int, http.Header, *buffer, error) {
	req := (&http.Request{
		Method: http.MethodPost, URL: u, Host: u.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: body.reader(), ContentLength: int64(len(body.b)),
		GetBody: func() (io.ReadCloser, error) { return body.reader(), nil },
	}).WithContext(ctx)
	resp, err := p.rt.RoundTrip(req)
	if err != nil {
		return 0, nil, nil, err
	}
	out := newBuffer()
	err = out.fill(resp)
	closed := resp.Body.Close()
	if err == nil {
		err = closed
	}
	if err != nil {
		out.release()
		return resp.StatusCode, nil, nil, err
	}
	return resp.StatusCode, resp.Header, out, nil
}
