import { eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { GatewayError } from "../../errors.ts";
import { ACTIONS, type Action, type ActionOutcome } from "../../people/actions.ts";
import { audit } from "../../record/tables.ts";
import { isOneOf, over, statementOf } from "../database/builder.ts";
import type { Database } from "../store.ts";
import { type AuditEntry, type AuditRow, toEntry } from "./entry.ts";

/** Conditions for entries; missing ones match everything. */
export interface AuditFilter {
  /** Only entries of this organization; by default all, including those about the deployment. */
  readonly organizationId?: string | undefined;
  /** Id, name or kind of the actor. */
  readonly actor?: string | undefined;
  /** An action, or a group such as `key.*`. */
  readonly action?: string | undefined;
  /** Id, name or kind of the object. */
  readonly object?: string | undefined;
  readonly outcome?: string | undefined;
  /** Milliseconds since 1970; `until` is exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

interface PageOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly deadlineMs: number;
}

const ACTOR_KINDS: readonly string[] = ["user", "key", "cli", "plugin", "system"];
const KIND = /^[a-z_]{1,30}$/;
/** Maximum entries counted per index when choosing an index. */
const COUNTED_MAX = 20_000;

/** Newest first; entries with the same time by number. */
export async function listAudit(records: Database, filter: AuditFilter, page: PageOptions): Promise<AuditPage> {
  const { deadlineMs } = page;
  const conditions = [...(await conditionsOf(records, filter, deadlineMs)), ...readCursor(page.cursor)];
  const index = await rarest(records, conditions, deadlineMs);
  const where =
    conditions.length === 0
      ? sql`true`
      : sql.join(
          conditions.map(({ holds }) => holds),
          sql` and `,
        );
  const query = sql`select * from ${audit} indexed by ${sql.identifier(index)}
    where ${where} order by time desc, seq desc limit ${page.limit + 1}`;
  const rows = await records.query<AuditRow>(statementOf(query), { deadlineMs });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > page.limit && last !== undefined ? cursorOf(last) : null;
  return { entries: shown.map(toEntry), nextCursor };
}

type Indexed = "organization_id" | "action" | "actor_id" | "actor_name" | "object_id" | "object_name";

interface Condition {
  readonly holds: SQL;
  /** The index that contains exactly these entries. */
  readonly index?: string;
}

async function conditionsOf(records: Database, filter: AuditFilter, deadlineMs: number): Promise<Condition[]> {
  const { organizationId, actor, action, object, outcome, since, until } = filter;
  const conditions: Condition[] = [];
  if (organizationId !== undefined) conditions.push(equals("organization_id", organizationId));
  if (actor !== undefined) conditions.push(await named(records, "actor", actor, deadlineMs));
  if (action !== undefined) conditions.push(actionIs(action));
  if (object !== undefined) conditions.push(await named(records, "object", object, deadlineMs));
  if (outcome !== undefined) conditions.push({ holds: eq(audit.outcome, readOutcome(outcome)) });
  if (since !== undefined) conditions.push({ holds: gte(audit.time, since) });
  if (until !== undefined) conditions.push({ holds: lt(audit.time, until) });
  return conditions;
}

function equals(column: Indexed, value: string): Condition {
  return { holds: eq(audit[column], value), index: `audit_${column}` };
}

/** Matches by id, then by name, then by kind: users may have any of them at hand. */
async function named(
  records: Database,
  what: "actor" | "object",
  value: string,
  deadlineMs: number,
): Promise<Condition> {
  for (const column of [`${what}_id`, `${what}_name`] as const) {
    const any = over(records, deadlineMs).select({ seq: audit.seq }).from(audit).where(eq(audit[column], value));
    if ((await any.limit(1)).length > 0) return equals(column, value);
  }
  const isKind = what === "actor" ? ACTOR_KINDS.includes(value) : KIND.test(value);
  return isKind ? { holds: sql`${audit[`${what}_kind`]} = ${value}` } : equals(`${what}_id`, value);
}

/** @throws GatewayError `invalid_body` for an unknown action. */
function actionIs(value: string): Condition {
  const isGroup = value.endsWith(".*");
  const all = Object.keys(ACTIONS) as Action[];
  const meant = isGroup
    ? all.filter((name) => name.startsWith(value.slice(0, -1)))
    : all.filter((name) => name === value);
  if (meant.length === 0) {
    const message = `action: there is no action ${JSON.stringify(value.slice(0, 100))}; give one of ${all.join(", ")}, or a group such as key.*`;
    throw new GatewayError("invalid_body", message, { path: "action" });
  }
  if (!isGroup) return equals("action", value);
  return { holds: isOneOf(audit.action, meant) };
}

function readOutcome(value: string): ActionOutcome {
  if (value === "done" || value === "refused") return value;
  throw new GatewayError("invalid_body", "outcome: give done or refused", { path: "outcome" });
}

/** The index with the fewest matching entries, counting up to `COUNTED_MAX`; the time index if there are no conditions. */
async function rarest(records: Database, conditions: readonly Condition[], deadlineMs: number): Promise<string> {
  const indexed = conditions.filter(({ index }) => index !== undefined);
  if (indexed.length < 2) return indexed[0]?.index ?? "audit_time";
  const counts = await Promise.all(
    indexed.map(async ({ holds, index }) => {
      const counted = sql`select count(*) as n from (select 1 from ${audit} indexed by ${sql.identifier(index!)}
        where ${holds} limit ${COUNTED_MAX})`;
      const [row] = await records.query<{ n: number }>(statementOf(counted), { deadlineMs });
      return { index: index!, n: row!.n };
    }),
  );
  return counts.reduce((least, each) => (each.n < least.n ? each : least)).index;
}

function cursorOf({ time, seq }: AuditRow): string {
  return Buffer.from(`${time}.${seq}`).toString("base64url");
}

function readCursor(cursor: string | undefined): Condition[] {
  if (cursor === undefined) return [];
  const [, time, seq] = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (time === undefined || seq === undefined)
    throw new GatewayError("invalid_body", "cursor: send the next_cursor of the page before", { path: "cursor" });
  return [{ holds: sql`(${audit.time}, ${audit.seq}) < (${Number(time)}, ${Number(seq)})` }];
}
