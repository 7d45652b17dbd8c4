package parser

import "strings"

// The tags of Kimi K3 are three markers around a name and its attributes.
const (
	k3Open  = "<|open|>"
	k3Close = "<|close|>"
	k3Sep   = "<|sep|>"
)

// KimiK3 reads messages of channels: thoughts, a response, tools. Arguments say
// their type themselves.
func KimiK3() Parser {
	return &dialect{
		think: think{open: k3Open + "think" + k3Sep, close: k3Close + "think" + k3Sep},
		open:  newMarkers([]string{k3Open + "tools" + k3Sep}),
		read:  (*turn).k3Channels,
	}
}

// k3Channels reads the channels after the thoughts.
func (t *turn) k3Channels() *fault {
	const (
		response = k3Open + "response" + k3Sep
		tools    = k3Open + "tools" + k3Sep
		end      = k3Close + "message" + k3Sep
	)
	for _, channel := range []string{response, tools} {
		t.skipBlanks()
		from := t.pos
		if !t.take(channel) {
			continue
		}
		var f *fault
		if channel == response {
			f = t.k3Response()
		} else if f = t.k3Tools(); f != nil {
			f = f.since(max(f.from, from))
		}
		if f != nil {
			return f
		}
	}
	t.skipBlanks()
	from := t.pos
	t.take(end)
	t.skipBlanks()
	if t.done() {
		return nil
	}
	for _, tag := range []string{response, tools, end} {
		if isBeginning(t.src[from:], tag) {
			t.pos = from
			return t.cut()
		}
	}
	return t.malformed("there is text between the channels of the message").since(from)
}

// k3Response reads what is said to the user.
func (t *turn) k3Response() *fault {
	const closing = k3Close + "response" + k3Sep
	i := strings.Index(t.rest(), closing)
	if i < 0 {
		n := cutMarker(t.rest(), []string{closing})
		t.text(t.pos, len(t.src)-n)
		t.pos = len(t.src)
		return t.cut()
	}
	t.text(t.pos, t.pos+i)
	t.pos += i + len(closing)
	return nil
}

// k3Tools reads the calls. Each has a tag that ends it, so one that is complete
// is kept also when the channel is not.
func (t *turn) k3Tools() *fault {
	const closing = k3Close + "tools" + k3Sep
	for n := 0; ; n++ {
		t.skipBlanks()
		if n > 0 && t.take(closing) {
			return nil
		}
		if n > 0 && isBeginning(t.rest(), closing) {
			return t.cut()
		}
		a := attempt{from: t.pos}
		if f := t.k3Call(&a); f != nil {
			return f.since(a.from)
		}
		a.to = t.pos
		t.add(a)
	}
}

func (t *turn) k3Call(a *attempt) *fault {
	args := tagged{
		keyOpen:    k3Open + "argument ",
		valueClose: k3Close + "argument" + k3Sep,
		callClose:  k3Close + "call" + k3Sep,
		block:      k3Close + "tools" + k3Sep,
	}
	tag, f := t.k3Tag("call", "tool", "index")
	if f != nil {
		return f
	}
	if a.call.Name = tag["tool"]; a.call.Name == "" {
		return t.malformed("a call names no tool")
	}
	var o object
	for {
		t.skipBlanks()
		if t.take(args.callClose) {
			a.call.Arguments = o.json()
			return nil
		}
		if isBeginning(t.rest(), args.callClose) {
			return t.cut()
		}
		tag, f := t.k3Tag("argument", "key", "type")
		if f != nil {
			return f
		}
		key, hasKey := tag["key"]
		kind, hasType := tag["type"]
		if !hasKey || !hasType {
			return t.malformed("an argument needs a key and a type")
		}
		text, f := args.value(t, &schema{})
		if f != nil {
			return f
		}
		how := asJSON
		if kind == "string" {
			how = asText
		}
		v, f := t.typedAs(how, text, nil)
		if f != nil {
			return f
		}
		if !o.add(key, v) {
			return t.malformed("an argument occurs twice in one call")
		}
	}
}

// k3Tag reads an opening tag and those of its attributes that are known.
func (t *turn) k3Tag(name string, known ...string) (map[string]string, *fault) {
	if f := t.expect(k3Open+name, "the tag of a call or of an argument"); f != nil {
		return nil, f
	}
	attrs := make(map[string]string)
	for {
		if t.take(k3Sep) {
			return attrs, nil
		}
		if isBeginning(t.rest(), k3Sep) {
			return nil, t.cut()
		}
		if f := t.expect(" ", "a blank before an attribute"); f != nil {
			return nil, f
		}
		var key string
		for _, k := range known {
			if t.take(k + `="`) {
				key = k
				break
			}
			if isBeginning(t.rest(), k+`="`) {
				return nil, t.cut()
			}
		}
		if _, twice := attrs[key]; key == "" || twice {
			return nil, t.malformed("a tag has an attribute that it should not have")
		}
		v, _, ok := strings.Cut(t.rest(), `"`)
		if !ok {
			return nil, t.cut()
		}
		if strings.ContainsAny(v, "<>\n") {
			return nil, t.malformed("an attribute is not closed")
		}
		t.pos += len(v) + 1
		attrs[key] = k3Unescape.Replace(v)
	}
}

// k3Unescape knows the two escapes that attributes have.
var k3Unescape = strings.NewReplacer("&quot;", `"`, "&amp;", "&")
