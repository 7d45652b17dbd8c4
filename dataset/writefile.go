package dataset

// WriteFile writes a small file beside a run's shards so that a reader finds
// the old content or the new, also after a crash.
func WriteFile(path string, data []byte) error { return replaceFile(osFS{}, path, data) }
