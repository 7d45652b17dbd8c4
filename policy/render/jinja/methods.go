package jinja

// dictMethods are the methods of dict the sandbox leaves.
var dictMethods = map[string]*methodDef{
	"get": {name: "get", call: func(st *state, self Value, a args) Value {
		v := bind("get", a, []string{"key", "default"}, nil, 1)
		st.needHashable(v[0])
		d := self.(*Dict)
		if i := d.find(v[0]); i >= 0 {
			return d.vals[i]
		}
		return arg(v, 1, None)
	}},
	"keys":   dictViewMethod("keys"),
	"values": dictViewMethod("values"),
	"items":  dictViewMethod("items"),
	"copy": {name: "copy", call: func(_ *state, self Value, a args) Value {
		bind("copy", a, nil, nil, 0)
		return self // nothing can change the original
	}},
	"fromkeys": {name: "fromkeys", call: func(st *state, _ Value, a args) Value {
		v := bind("fromkeys", a, []string{"iterable", "value"}, nil, 1)
		d := NewDict(0)
		for _, k := range st.items(v[0]) {
			st.setItem(d, k, arg(v, 1, None))
		}
		return d
	}},
}

func dictViewMethod(kind string) *methodDef {
	return &methodDef{name: kind, call: func(_ *state, self Value, a args) Value {
		bind(kind, a, nil, nil, 0)
		return &dictView{d: self.(*Dict), kind: kind}
	}}
}

// listMethods are the methods of list and tuple the sandbox leaves.
var listMethods = map[string]*methodDef{
	"index": {name: "index", call: func(st *state, self Value, a args) Value {
		v := bind("index", a, []string{"value", "start", "stop"}, nil, 1)
		items := st.items(self)
		lo, hi, _ := sliceBounds(len(items), arg(v, 1, None), arg(v, 2, None), None)
		for i := lo; i < hi; i++ {
			st.step()
			if items[i] == v[0] || st.equal(items[i], v[0]) {
				return intValue(i)
			}
		}
		valueError("%s is not in list", reprText(v[0]))
		return nil
	}},
	"count": {name: "count", call: func(st *state, self Value, a args) Value {
		v := bind("count", a, []string{"value"}, nil, 1)
		n := 0
		for _, x := range st.items(self) {
			st.step()
			if x == v[0] || st.equal(x, v[0]) {
				n++
			}
		}
		return intValue(n)
	}},
	"copy": {name: "copy", call: func(_ *state, self Value, a args) Value {
		bind("copy", a, nil, nil, 0)
		return self
	}},
}

// attr is what a range has besides its items.
func (r *rangeVal) attr(id string) Value {
	switch id {
	case "start":
		return intValue(r.start)
	case "stop":
		return intValue(r.stop)
	case "step":
		return intValue(r.step)
	}
	return nil
}
