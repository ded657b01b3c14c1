import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Where requests stand in the traces that programs sent; they go with the record. */
export const spans = sqliteTable(
  "spans",
  {
    request_id: text().primaryKey(),
    organization_id: text().notNull(),
    /** Hexadecimal, as the trace's context has it. */
    trace_id: text().notNull(),
    /** Null of a call whose own span has not come. */
    span_id: text(),
    parent_span_id: text(),
    name: text().notNull(),
    kind: text().notNull(),
  },
  (t) => [index("spans_trace").on(t.organization_id, t.trace_id)],
);
