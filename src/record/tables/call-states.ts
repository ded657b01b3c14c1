import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** State of calls that clients may omit, by the call's id; kept for a day. */
export const callStates = sqliteTable(
  "call_states",
  {
    organization_id: text().notNull(),
    call_id: text().notNull(),
    /** The request whose response made the call: the state is deleted with its bodies. */
    request_id: text().notNull(),
    /** JSON of a `CallMemory`. */
    state: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.organization_id, t.call_id] }),
    index("call_states_request").on(t.request_id),
    index("call_states_created").on(t.created_at),
  ],
);
