package parser

// Dialect is a parser's constructor under the name that a job file calls it by.
type Dialect struct {
	Name string
	New  func() Parser
}

// Dialects lists every parser of this package: first the two that know no calls.
// The names are those of the reference and of the goldens.
func Dialects() []Dialect {
	return []Dialect{
		{"text", Text},
		{"token_chunk", TokenChunk},
		{"hermes", Hermes},
		{"granite4", Granite4},
		{"ernie45", Ernie45},
		{"longcat", LongCat},
		{"qwen3_xml", Qwen3XML},
		{"seed_oss", SeedOSS},
		{"glm", GLM},
		{"minimax_m2", MiniMaxM2},
		{"minimax_m3", MiniMaxM3},
		{"minicpm5", MiniCPM5},
		{"step3", Step3},
		{"deepseek_v3", DeepSeekV3},
		{"deepseek_v31", DeepSeekV31},
		{"deepseek_v32", DeepSeekV32},
		{"deepseek_v4", DeepSeekV4},
		{"kimi_k2", KimiK2},
		{"kimi_k3", KimiK3},
		{"harmony", Harmony},
		{"llama3_json", Llama3JSON},
		{"pythonic", Pythonic},
		{"llama4_pythonic", Llama4Pythonic},
		{"lfm2", LFM2},
		{"olmo3", Olmo3},
		{"minicpm3", MiniCPM3},
		{"mistral_old", MistralOld},
		{"mistral_new", MistralNew},
		{"cohere", Cohere},
		{"gemma4", Gemma4},
		{"functiongemma", FunctionGemma},
		{"phi4mini", Phi4Mini},
		{"granite3", Granite3},
		{"jamba", Jamba},
		{"hunyuan", Hunyuan},
		{"apriel", Apriel},
		{"xlam", XLAM},
		{"internlm2", InternLM2},
		{"gigachat3", GigaChat3},
		{"apertus", Apertus},
		{"functionary_v31", FunctionaryV31},
	}
}
