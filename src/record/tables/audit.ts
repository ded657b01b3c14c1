import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Action, ActionOutcome } from "../../people/actions.ts";
import type { Actor } from "../../people/actor.ts";

/**
 * One entry for each action. `before` and `after` are JSON text; `hash` covers all other columns and the previous entry's
 * hash.
 */
export const audit = sqliteTable(
  "audit",
  {
    seq: integer().primaryKey(),
    time: integer().notNull(),
    /** Null if the action concerns the deployment. */
    organization_id: text(),
    /** Its name at that time. */
    organization: text(),
    actor_kind: text().$type<Actor["kind"]>().notNull(),
    actor_id: text().notNull(),
    actor_name: text().notNull(),
    address: text(),
    action: text().$type<Action>().notNull(),
    object_kind: text().notNull(),
    object_id: text().notNull(),
    object_name: text().notNull(),
    before: text(),
    after: text(),
    request_id: text(),
    outcome: text().$type<ActionOutcome>().notNull(),
    hash: text().notNull(),
  },
  (t) => [
    index("audit_time").on(t.time),
    index("audit_organization_id").on(t.organization_id, t.time),
    index("audit_action").on(t.action, t.time),
    index("audit_actor_id").on(t.actor_id, t.time),
    index("audit_actor_name").on(t.actor_name, t.time),
    index("audit_object_id").on(t.object_id, t.time),
    index("audit_object_name").on(t.object_name, t.time),
  ],
);

/** One row: the newest entry, and the last entry removed for its age. */
export const auditChain = sqliteTable("audit_chain", {
  id: integer().primaryKey(),
  newest_seq: integer().notNull(),
  newest_hash: text().notNull(),
  removed_seq: integer().notNull(),
  removed_hash: text().notNull(),
});
