package vllm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
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
		WriteBufferSize:       writeBuffer,
	}
}

// writeBuffer holds the request of a prompt of 9,000 ids, so that it goes out in
// one write; 512 open connections take 32 MiB.
const writeBuffer = 64 << 10

// maxBody bounds a reply: an echo of a million ids with logprobs fits.
const maxBody = 256 << 20

// buffers are reused bodies, of requests and of replies.
var buffers = sync.Pool{New: func() any { return new(buffer).traced() }}

// buffer is a body. The transport may still be reading that of a request after
// the call has returned, so the writes that began and ended are counted: a
// buffer that may be in use is left to the garbage collector.
//
// A body of a type of our own that tells when it is closed would do the same,
// but net/http then sends the header in a write of its own: for a short prompt
// that is a third of the call's cost.
type buffer struct {
	b            []byte
	began, ended atomic.Int32
	trace        httptrace.ClientTrace
}

func (b *buffer) traced() *buffer {
	b.trace.GotConn = func(httptrace.GotConnInfo) { b.began.Add(1) }
	b.trace.WroteRequest = func(httptrace.WroteRequestInfo) { b.ended.Add(1) }
	return b
}

func newBuffer() *buffer {
	b := buffers.Get().(*buffer)
	b.b = b.b[:0]
	b.began.Store(0)
	b.ended.Store(0)
	return b
}

// release gives the buffer back, unless the transport may still read it.
func (b *buffer) release() {
	if b.began.Load() == b.ended.Load() {
		buffers.Put(b)
	}
}

func (b *buffer) reader() io.ReadCloser { return io.NopCloser(bytes.NewReader(b.b)) }

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
	}).WithContext(httptrace.WithClientTrace(ctx, &body.trace))
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
