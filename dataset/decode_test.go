package dataset

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/stretchr/testify/require"
)

// TestForeignRowsAreRefused: another writer's file may have the columns and
// break what Arrow's types cannot say.
func TestForeignRowsAreRefused(t *testing.T) {
	rows := build(t, simple("a"))
	schema := metadata().schema(tableSamples)
	column := func(b *array.RecordBuilder, name string) array.Builder { return b.Field(schema.FieldIndices(name)[0]) }
	for name, c := range map[string]struct {
		after func(b *array.RecordBuilder)
		err   error
		says  string
	}{
		"null in a column": {func(b *array.RecordBuilder) { replaceLast(column(b, "group_id"), array.Builder.AppendNull) }, ErrLength, "column group_id is null"},
		"null in a list": {func(b *array.RecordBuilder) {
			column(b, "token_ids").(*array.ListBuilder).ValueBuilder().AppendNull()
		}, ErrLength, "column token_ids has a null in a list"},
		"flag of 2": {func(b *array.RecordBuilder) {
			replaceLast(column(b, "valid"), func(f array.Builder) { f.(*array.Int8Builder).Append(2) })
		}, ErrMask, "column valid is 2"},
		"half a law": {func(b *array.RecordBuilder) { replaceLast(column(b, "top_p"), array.Builder.AppendNull) }, ErrIdentity, "null together"},
		"spans of two lengths": {func(b *array.RecordBuilder) {
			column(b, "span_node").(*array.ListBuilder).ValueBuilder().(*array.Int32Builder).Append(1)
		}, ErrSpan, "different lengths"},
		"info is not JSON": {func(b *array.RecordBuilder) {
			replaceLast(column(b, "info"), func(f array.Builder) { f.(*array.StringBuilder).Append("{") })
		}, ErrText, "info"},
	} {
		t.Run(name, func(t *testing.T) {
			b := array.NewRecordBuilder(memoryOf(t), schema)
			defer b.Release()
			info, err := marshal(rows.Samples[0].Info)
			require.NoError(t, err)
			appendSample(b, rows.Samples[0], info)
			c.after(b)
			rec := b.NewRecord()
			defer rec.Release()
			_, err = readSample(rec, 0)
			require.ErrorIs(t, err, c.err)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// replaceLast writes the one value of a column anew.
func replaceLast(b array.Builder, put func(array.Builder)) {
	b.NewArray().Release()
	put(b)
}

func TestSchemaIsTheContract(t *testing.T) {
	want := map[string]arrow.DataType{
		"token_ids": arrow.ListOf(arrow.PrimitiveTypes.Int32), "loss_mask": arrow.ListOf(arrow.PrimitiveTypes.Int8),
		"logprobs": arrow.ListOf(arrow.PrimitiveTypes.Float32), "advantages": arrow.ListOf(arrow.PrimitiveTypes.Float32),
		"reward": arrow.PrimitiveTypes.Float64, "info": arrow.BinaryTypes.String, "attempt": arrow.PrimitiveTypes.Int32,
		"valid": arrow.PrimitiveTypes.Int8, "span_kind": arrow.ListOf(arrow.BinaryTypes.String),
	}
	schema := metadata().schema(tableSamples)
	for name, typ := range want {
		require.True(t, arrow.TypeEqual(typ, schema.Field(schema.FieldIndices(name)[0]).Type), name)
	}
	for _, s := range []table{tableSamples, tableNodes} {
		md, err := readMetadata(metadata().schema(s), s)
		require.NoError(t, err)
		require.Equal(t, metadata(), md)
	}
	_, err := readMetadata(metadata().schema(tableNodes), tableSamples)
	require.ErrorContains(t, err, `file holds "nodes"`)
	_, err = readMetadata(arrow.NewSchema(sampleColumns, nil), tableSamples)
	require.ErrorContains(t, err, "format version")
	md := metadata().schema(tableSamples).Metadata()
	_, err = readMetadata(arrow.NewSchema(sampleColumns[1:], &md), tableSamples)
	require.ErrorContains(t, err, "columns are not those")
}
