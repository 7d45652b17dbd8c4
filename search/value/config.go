package value

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"
)

// Config is where the server is and how it is asked. Start from [Defaults].
type Config struct {
	// URL is what is posted to, such as http://127.0.0.1:9000/values. Required.
	URL string `yaml:"url"`
	// APIKeyEnv names the environment variable that holds the server's key,
	// sent as a bearer token. Default: no key is sent.
	APIKeyEnv string `yaml:"api_key_env"`
	// Batch is the most states of one request. Default 32.
	Batch int `yaml:"batch"`
	// Wait is how long a state waits for others to share its request, when a
	// connection is free. Default 10ms; 0 does not wait.
	Wait time.Duration `yaml:"wait"`
	// Timeout of one request. Default 30s.
	Timeout time.Duration `yaml:"timeout"`
	// Connections is the most requests open at once. Default 8.
	Connections int `yaml:"connections"`
}

// Defaults is a Config that needs a URL only.
func Defaults() Config {
	return Config{Batch: 32, Wait: 10 * time.Millisecond, Timeout: 30 * time.Second, Connections: 8}
}

// At is c for the server at an address.
func (c Config) At(url string) Config {
	c.URL = url
	return c
}

// Validate reports every problem at once, by key.
func (c Config) Validate() error {
	var errs []error
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	u, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		wrong(true, "url: missing; give the address that states are posted to, such as http://127.0.0.1:9000/values")
	case err != nil:
		wrong(true, "url: %v", err)
	default:
		wrong(u.Scheme != "http" && u.Scheme != "https" || u.Host == "", "url: %q is not an address, write http://HOST:PORT/PATH", c.URL)
	}
	wrong(c.Batch < 1, "batch: %d, must be at least 1", c.Batch)
	wrong(c.Connections < 1, "connections: %d, must be at least 1", c.Connections)
	wrong(c.Wait < 0, "wait: %s is less than 0", c.Wait)
	wrong(c.Timeout <= 0, "timeout: %s, must be above 0", c.Timeout)
	return errors.Join(errs...)
}

// key is the server's, empty when none is asked for.
func (c Config) key() (string, error) {
	if c.APIKeyEnv == "" {
		return "", nil
	}
	key := os.Getenv(c.APIKeyEnv)
	if key == "" {
		return "", fmt.Errorf("api_key_env: the environment variable %s is not set", c.APIKeyEnv)
	}
	return key, nil
}
