package policy

import "context"

// Origin says whose request a generate is. A server may see it as request id
// and session, a log as fields; it never changes what is sampled.
type Origin struct {
	// Request names the request, such as "<rollout>-<turn>"; a policy adds what
	// makes each attempt unique.
	Request string
	// Session names the trajectory, so that a router can keep it on the server
	// that has its prefix.
	Session string
}

type originKey struct{}

// WithOrigin marks the requests made under ctx.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf is the mark of ctx, the zero Origin when it has none.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}
