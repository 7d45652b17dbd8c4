package tinylm

import (
	"embed"
	"io/fs"
)

//go:embed model
var bundled embed.FS

// Bundled is the checkpoint folder inside the binary: a Qwen3-form model of about a million weights, trained on
// demonstrations of the bundled task families by examples/tinylm/train.py. The folder is an ordinary one that
// transformers and vLLM load as well.
func Bundled() fs.FS {
	dir, err := fs.Sub(bundled, "model")
	if err != nil {
		panic(err) // the name is a constant
	}
	return dir
}
