package jinja

import (
	"fmt"
	"html"
	"net/url"
	"strings"
)

func htmlFilters(add addFilter) {
	add("safe", nil, 0, func(st *state, v Value, _ []Value) Value { return st.str(v).safe() })
	add("escape", nil, 0, func(st *state, v Value, _ []Value) Value { return escape(st, v) })
	add("forceescape", nil, 0, func(st *state, v Value, _ []Value) Value { return escape(st, st.str(v).plain()) })
	add("striptags", nil, 0, func(st *state, v Value, _ []Value) Value {
		s := st.str(v)
		st.work(len(s.s) / 8)
		return s.wholly(stripTags(s.s)).plain()
	})
	add("urlencode", nil, 0, urlencodeFilter)
	add("xmlattr", []string{"autospace"}, 0, xmlattrFilter)
	add("urlize", []string{"trim_url_limit", "nofollow", "target", "rel", "extra_schemes"}, 0,
		func(*state, Value, []Value) Value {
			raise("NotImplementedError", "the urlize filter is not supported")
			return nil
		})
}

// escape is markupsafe's: Markup stays as it is.
func escape(st *state, v Value) *Str {
	s := st.str(v)
	if s.markup {
		return s
	}
	if !strings.ContainsAny(s.s, `&<>'"`) {
		return s.safe()
	}
	st.rewriting(len(s.s), 5)
	var b builder
	b.rewrite(s, appendHTML)
	st.grow(len(b.buf))
	return b.take().safe()
}

func appendHTML(dst []byte, s string) []byte {
	done := 0
	for i := 0; i < len(s); i++ {
		var e string
		switch s[i] {
		case '&':
			e = "&amp;"
		case '<':
			e = "&lt;"
		case '>':
			e = "&gt;"
		case '\'':
			e = "&#39;"
		case '"':
			e = "&#34;"
		default:
			continue
		}
		dst = append(append(dst, s[done:i]...), e...)
		done = i + 1
	}
	return append(dst, s[done:]...)
}

// stripTags removes comments and tags, collapses white space and decodes entities.
func stripTags(s string) string {
	cutOut := func(open, end string) {
		for {
			i := strings.Index(s, open)
			if i < 0 {
				return
			}
			j := strings.Index(s[i:], end)
			if j < 0 {
				return
			}
			s = s[:i] + s[i+j+len(end):]
		}
	}
	cutOut("<!--", "-->")
	cutOut("<", ">")
	return html.UnescapeString(strings.Join(strings.FieldsFunc(s, isSpace), " "))
}

func urlencodeFilter(st *state, v Value, _ []Value) Value {
	quoteURL := func(v Value, query bool) string {
		s := st.str(v).s
		st.grow(3 * len(s))
		e := strings.ReplaceAll(url.QueryEscape(s), "%7E", "~")
		if !query {
			e = strings.ReplaceAll(strings.ReplaceAll(e, "+", "%20"), "%2F", "/")
		}
		return e
	}
	s, isStr := v.(*Str)
	it, iterable := st.iter(v)
	if isStr || !iterable {
		if !isStr {
			s = st.str(v)
		}
		return s.plain().wholly(quoteURL(s, false))
	}
	if d, ok := v.(*Dict); ok {
		it = iterator{view: &dictView{d: d, kind: "items"}}
	}
	var b builder
	for i := 0; ; i++ {
		x, ok := it.next()
		if !ok {
			break
		}
		pair := st.items(x)
		if len(pair) != 2 {
			valueError("urlencode needs pairs")
		}
		if i > 0 {
			b.byte('&')
		}
		k, val := st.str(pair[0]), st.str(pair[1])
		b.str(k.plain().wholly(quoteURL(k, true)))
		b.byte('=')
		b.str(val.plain().wholly(quoteURL(val, true)))
		st.checkSize(&b)
	}
	return b.take()
}

func xmlattrFilter(st *state, v Value, a []Value) Value {
	d, ok := v.(*Dict)
	if !ok {
		failIfUndefined(v)
		raise("AttributeError", "%s object has no attribute 'items'", quote(v.typeName()))
	}
	var b builder
	for i, k := range d.keys {
		val := d.vals[i]
		if _, undef := val.(*undefined); undef || val == None {
			continue
		}
		key, ok := k.(*Str)
		if !ok {
			typeError("expected string or bytes-like object, got %s", quote(k.typeName()))
		}
		if strings.ContainsAny(key.s, " \t\n\r\f\v/>=") {
			valueError("Invalid character in attribute name: %s", quote(key.s))
		}
		if len(b.buf) > 0 || argBool(a, 0, true) {
			b.byte(' ')
		}
		b.str(escape(st, key))
		b.raw(`="`)
		b.str(escape(st, val))
		b.byte('"')
		st.checkSize(&b)
	}
	return st.autoSafe(b.take())
}

// fileSize is the filesizeformat filter.
func fileSize(n float64, binary bool) string {
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if binary {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case n == 1:
		return "1 Byte"
	case n < base:
		return fmt.Sprintf("%d Bytes", int64(n))
	}
	unit := base
	for i, u := range units {
		unit *= base
		if n < unit || i == len(units)-1 {
			return fmt.Sprintf("%.1f %s", base*n/unit, u)
		}
	}
	return ""
}
