package parser_test

import "focus/parser/parsertest"

// dialectSamples holds, for each dialect, replies of every status it has.
var dialectSamples = map[string][]parsertest.Sample{
	"granite4": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "Looking.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Bodø\", \"days\": 2}}\n</tool_call>"),
		sample("call 1", ok, `<tool_call>{"name":"f"}</tool_call>B<tool_call>{"name":"g","arguments":{"x":"</tool_call> \u00e6"}}</tool_call>`),
		sample("broken 0", malformed, `<tool_call>{"name":"f"}</tool_call><tool_call>{'name':"f"}</tool_call>`),
		sample("broken 1", malformed, `Use </tool_call>`),
		sample("cut 0", truncated, `<tool_call>{"name":"f","arguments":{"a":"\ud83d`),
		sample("cut 1", truncated, `Now <tool_`),
	},
	"ernie45": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "Looking.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Bodø\", \"days\": 2}}\n</tool_call>"),
		sample("call 1", ok, `<tool_call>{"name":"f"}</tool_call>B<tool_call>{"name":"g","arguments":{"x":"</tool_call> \u00e6"}}</tool_call>`),
		sample("broken 0", malformed, `<tool_call>{"name":"f"}</tool_call><tool_call>{'name':"f"}</tool_call>`),
		sample("broken 1", malformed, `Use </tool_call>`),
		sample("cut 0", truncated, `<tool_call>{"name":"f","arguments":{"a":"\ud83d`),
		sample("cut 1", truncated, `Now <tool_`),
	},
	"longcat": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "Looking.\n<longcat_tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Bodø\", \"days\": 2}}\n</longcat_tool_call>"),
		sample("call 1", ok, `<longcat_tool_call>{"name":"f"}</longcat_tool_call>B<longcat_tool_call>{"name":"g","arguments":{"x":"</longcat_tool_call> \u00e6"}}</longcat_tool_call>`),
		sample("broken 0", malformed, `<longcat_tool_call>{"name":"f"}</longcat_tool_call><longcat_tool_call>{'name':"f"}</longcat_tool_call>`),
		sample("broken 1", malformed, `Use </longcat_tool_call>`),
		sample("cut 0", truncated, `<longcat_tool_call>{"name":"f","arguments":{"a":"\ud83d`),
		sample("cut 1", truncated, `Now <longc`),
	},
	"qwen3_xml": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "A\n<tool_call>\n<function=get_weather>\n<parameter=city>\na </parameter> b\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>"),
		sample("broken 0", malformed, "<tool_call>\n<function=get_weather>\n<parameter=city>\na\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>"),
		sample("broken 1", malformed, `<function=get_weather>`),
		sample("cut 0", truncated, "<tool_call>\n<function=get_weather>\n<parameter=city>\nBo"),
	},
	"seed_oss": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "A\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>\na </parameter> b\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</seed:tool_call>"),
		sample("broken 0", malformed, "<seed:tool_call>\n<function=get_weather>\n<parameter=city>\na\n<parameter=days>\n2\n</parameter>\n</function>\n</seed:tool_call>"),
		sample("broken 1", malformed, `<function=get_weather>`),
		sample("cut 0", truncated, "<seed:tool_call>\n<function=get_weather>\n<parameter=city>\nBo"),
	},
	"glm": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "</think>A<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>a </arg_value> b</arg_value>\n<arg_key>metric</arg_key><arg_value>None</arg_value></tool_call><tool_call>f</tool_call>"),
		sample("broken 0", malformed, `<tool_call>get_weather<arg_key>city</arg_key><arg_value>a<arg_key>days</arg_key><arg_value>1</arg_value></tool_call>`),
		sample("broken 1", malformed, `<tool_call>{"name":"f"}</tool_call>`),
		sample("cut 0", truncated, `<tool_call>get_weather<arg_key>city</arg_key><arg_value>Bo</arg_va`),
	},
	"minimax_m2": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "A\n<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">a </parameter> b</parameter>\n<parameter name=\"where\">{\"x\": [1]}</parameter>\n</invoke>\n<invoke name=\"f\">\n</invoke>\n</minimax:tool_call>"),
		sample("broken 0", malformed, `<minimax:tool_call><invoke name="get_weather"><parameter=city>a</parameter></invoke></minimax:tool_call>`),
		sample("cut 0", truncated, "<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">a</parameter>\n</invoke>\n"),
	},
	"minimax_m3": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "</mm:think>A]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"get_weather\">]<]minimax[>[<city></city> b]<]minimax[>[</city>]<]minimax[>[<where>]<]minimax[>[<x>]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[</x>]<]minimax[>[</where>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"),
		sample("broken 0", malformed, `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>a]<]minimax[>[<days>1]<]minimax[>[</days>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>`),
		sample("cut 0", truncated, `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>a]<]mini`),
	},
	"minicpm5": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "A<function name=\"get_weather\"><param name=\"city\"><![CDATA[a </param> <b>]]></param><param name=\"where\">{'k': (1, None)}</param></function>\n<function name=\"f\"></function>"),
		sample("broken 0", malformed, `<function name="get_weather"><param name="city">a<param name="days">1</param></function>`),
		sample("cut 0", truncated, `<function name="get_weather"><param name="city">a</param></func`),
	},
	"step3": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, `A<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather"><steptml:parameter name="city">1 < 2</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>`),
		sample("broken 0", malformed, `<｜tool_calls_begin｜><｜tool_calls_end｜>`),
		sample("cut 0", truncated, `<｜tool_calls_begin｜><｜tool_call_begin｜>func`),
	},
	"deepseek_v3": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "A<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \"```\"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
		sample("broken 0", malformed, `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`),
		sample("cut 0", truncated, "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{\"city\": \""),
	},
	"deepseek_v31": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, `A<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "a } ] b", "days": 1e2}<｜tool▁call▁end｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`),
		sample("broken 0", malformed, `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>[1]<｜tool▁call▁end｜><｜tool▁calls▁end｜>`),
		sample("cut 0", truncated, `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{}<｜tool▁call▁end｜>`),
		sample("cut 1", truncated, `so <｜to`),
	},
	"deepseek_v32": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "A\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">a </｜DSML｜parameter> b</｜DSML｜parameter>\n<｜DSML｜parameter name=\"days\" string=\"false\">2</｜DSML｜parameter>\n<｜DSML｜parameter name=\"metric\">TRUE</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"),
		sample("broken 0", malformed, `<｜DSML｜function_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="false">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>`),
		sample("cut 0", truncated, `<｜DSML｜function_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" stri`),
	},
	"deepseek_v4": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, "A\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"get_weather\">\n<｜DSML｜parameter name=\"city\" string=\"true\">a </｜DSML｜parameter> b</｜DSML｜parameter>\n<｜DSML｜parameter name=\"days\" string=\"false\">2</｜DSML｜parameter>\n<｜DSML｜parameter name=\"metric\">TRUE</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>"),
		sample("broken 0", malformed, `<｜DSML｜tool_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="false">x</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>`),
		sample("cut 0", truncated, `<｜DSML｜tool_calls><｜DSML｜invoke name="f"><｜DSML｜parameter name="a" stri`),
	},
	"kimi_k2": {
		sample("prose", none, `It will rain.`),
		sample("call 0", ok, `A<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:3<|tool_call_argument_begin|>{"city": "<|tool_call_end|>"}<|tool_call_end|><|tool_call_begin|>functions.f:4<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`),
		sample("broken 0", malformed, `<|tool_calls_section_begin|><|tool_call_begin|>call_1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`),
		sample("cut 0", truncated, `<|tool_calls_section_begin|><|tool_call_begin|>functions.get`),
	},
	"kimi_k3": {
		sample("prose", none, `<|open|>response<|sep|>It will rain.<|close|>response<|sep|><|close|>message<|sep|>`),
		sample("call 0", ok, `<|open|>response<|sep|>A<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="a&quot;" type="string"<|sep|>x <|close|>argument<|sep|> y<|close|>argument<|sep|><|open|>argument key="d" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>`),
		sample("broken 0", malformed, `<|open|>tools<|sep|><|open|>call index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`),
		sample("broken 1", malformed, `It will rain.`),
		sample("cut 0", truncated, `<|open|>response<|sep|>A<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="a&quot;" type="string"<|sep|>x <|close|>argument<|sep|> y<|clo`),
	},
}
