package parser_test

import "focus/parser/parsertest"

// dialectSamples holds, for each dialect, replies of every status it has.
var dialectSamples = map[string][]parsertest.Sample{}
