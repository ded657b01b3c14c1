import { index, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The position of requests in the traces that clients sent; deleted with the record. */
export const spans = sqliteTable(
  "spans",
  {
    request_id: text().primaryKey(),
    organization_id: text().notNull(),
    /** Hexadecimal, as in the trace context. */
    trace_id: text().notNull(),
    /** Null for a call whose own span has not arrived. */
    span_id: text(),
    parent_span_id: text(),
    name: text().notNull(),
    kind: text().notNull(),
  },
  (t) => [index("spans_trace").on(t.organization_id, t.trace_id)],
);
