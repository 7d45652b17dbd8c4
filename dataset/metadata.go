package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"

	"focus/rollout"
)

// OwnershipRule is written to every file, so that whoever trains on it knows
// what loss_mask means.
const OwnershipRule = "loss_mask is 1 where a token was sampled and its turn is owned by the row; " +
	"a turn is owned by the first valid row of its group that holds it"

// Metadata is what every file of a run says about the run. It holds no time and
// no host, so that the same rows make the same bytes.
type Metadata struct {
	RunID rollout.RunID
	// Config is the job's configuration as JSON.
	Config json.RawMessage
	// TokenizerSHA256 and TemplateSHA256 are hex; empty when there is none.
	TokenizerSHA256 string
	TemplateSHA256  string
	Model           string
	// Strategy names the search strategy; empty when there was none.
	Strategy string
	// StrategyParams are its parameters as JSON, defaults included.
	StrategyParams json.RawMessage
	// Estimator names the advantage estimator; empty when none ran.
	Estimator string
	// EstimatorParams are its parameters as JSON.
	EstimatorParams json.RawMessage
}

// Keys of the Arrow schema metadata.
const (
	keyFormat    = "focus.format"
	keyTable     = "focus.table"
	keyRun       = "focus.run_id"
	keyConfig    = "focus.config"
	keyConfigSum = "focus.config_sha256"
	keyTokenizer = "focus.tokenizer_sha256"
	keyTemplate  = "focus.template_sha256"
	keyModel     = "focus.model"
	keyEstimator = "focus.estimator"
	keyParams    = "focus.estimator_params"
	keyOwnership = "focus.ownership"
	// The strategy's are in files of runs that name one.
	keyStrategy       = "focus.strategy"
	keyStrategyParams = "focus.strategy_params"
)

func (m Metadata) validate() error {
	var errs []error
	if m.RunID == "" {
		errs = append(errs, errors.New("metadata: run id is empty"))
	}
	if len(m.Config) > 0 && !json.Valid(m.Config) {
		errs = append(errs, errors.New("metadata: config is not JSON"))
	}
	if len(m.EstimatorParams) > 0 && !json.Valid(m.EstimatorParams) {
		errs = append(errs, errors.New("metadata: estimator parameters are not JSON"))
	}
	if len(m.StrategyParams) > 0 && !json.Valid(m.StrategyParams) {
		errs = append(errs, errors.New("metadata: strategy parameters are not JSON"))
	}
	return errors.Join(errs...)
}

// schema is the Arrow schema of a table of this run.
func (m Metadata) schema(t table) *arrow.Schema {
	sum := sha256.Sum256(m.Config)
	keys := []string{
		keyFormat, keyTable, keyRun, keyConfig, keyConfigSum, keyTokenizer,
		keyTemplate, keyModel, keyEstimator, keyParams, keyOwnership,
	}
	values := []string{
		strconv.Itoa(FormatVersion), string(t), string(m.RunID), string(m.Config), hex.EncodeToString(sum[:]), m.TokenizerSHA256,
		m.TemplateSHA256, m.Model, m.Estimator, string(m.EstimatorParams), OwnershipRule,
	}
	if m.Strategy != "" {
		keys, values = append(keys, keyStrategy, keyStrategyParams), append(values, m.Strategy, string(m.StrategyParams))
	}
	md := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(t.columns(FormatVersion), &md)
}

// readMetadata checks a file's schema against the format and returns what it
// says about the run.
func readMetadata(s *arrow.Schema, t table) (Metadata, error) {
	md := s.Metadata()
	get := func(key string) string { v, _ := md.GetValue(key); return v }
	format := formatOf(s)
	if !readable(format) {
		return Metadata{}, fmt.Errorf("format version is %q, this focus reads %d to %d", get(keyFormat), oldestFormat, FormatVersion)
	}
	if v := get(keyTable); v != string(t) {
		return Metadata{}, fmt.Errorf("file holds %q, want %q", v, t)
	}
	if want := arrow.NewSchema(t.columns(format), nil); !s.Equal(want) {
		return Metadata{}, fmt.Errorf("columns are not those of %s, format %d", t, format)
	}
	m := Metadata{
		RunID: rollout.RunID(get(keyRun)), Config: raw(get(keyConfig)),
		TokenizerSHA256: get(keyTokenizer), TemplateSHA256: get(keyTemplate), Model: get(keyModel),
		Strategy: get(keyStrategy), StrategyParams: raw(get(keyStrategyParams)),
		Estimator: get(keyEstimator), EstimatorParams: raw(get(keyParams)),
	}
	if sum := sha256.Sum256(m.Config); get(keyConfigSum) != hex.EncodeToString(sum[:]) {
		return Metadata{}, errors.New("the config's hash is not that of the config")
	}
	return m, nil
}

// formatOf is the format that a file says it has; 0 when it says none.
func formatOf(s *arrow.Schema) int {
	v, _ := s.Metadata().GetValue(keyFormat)
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0
	}
	return n
}

// readable reports whether this package reads files of a format.
func readable(format int) bool { return format >= oldestFormat && format <= FormatVersion }

func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func (m Metadata) equal(o Metadata) bool {
	return m.RunID == o.RunID && bytes.Equal(m.Config, o.Config) && m.Model == o.Model &&
		m.TokenizerSHA256 == o.TokenizerSHA256 && m.TemplateSHA256 == o.TemplateSHA256 &&
		m.Strategy == o.Strategy && bytes.Equal(m.StrategyParams, o.StrategyParams) &&
		m.Estimator == o.Estimator && bytes.Equal(m.EstimatorParams, o.EstimatorParams)
}
