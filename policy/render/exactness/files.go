package exactness

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// read reads a file, or its gzipped form where only that is there.
func read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(path, ".gz") {
		if packed, gz := os.ReadFile(path + ".gz"); gz == nil {
			path, data, err = path+".gz", packed, nil
		}
	}
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return data, err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if data, err = io.ReadAll(z); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

func readJSON(path string, v any) error {
	data, err := read(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// given is the file that was asked for, or the folder's own.
func given(file, dir, name string) string {
	if file != "" {
		return file
	}
	return filepath.Join(dir, name)
}
