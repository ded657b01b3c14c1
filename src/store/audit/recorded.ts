import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, lte, sql } from "drizzle-orm";
import { messageOf } from "../../log.ts";
import { maskText } from "../../masking/mask.ts";
import type { Act, ActionOutcome } from "../../people/actions.ts";
import type { Acting } from "../../people/actor.ts";
import { audit, auditChain, organizations } from "../../record/tables.ts";
import { type Change, isOneOf, over, statementOf } from "../database/builder.ts";
import { isAway } from "../database/failure.ts";
import { PATIENCE_MS, PAUSE_MS } from "../database/while-locked.ts";
import type { Database, Statement } from "../store.ts";
import { audienceChange } from "./audience.ts";
import { type AuditRow, hashOf } from "./entry.ts";
import { shownChange, storable } from "./shown-change.ts";

interface Recording {
  readonly statements: readonly Change[];
  readonly by: Acting;
  readonly acts: readonly Act[];
  readonly outcome?: ActionOutcome;
  /** Writes no entry if the last statement changes no row, because another process was faster. */
  readonly ifChanged?: boolean;
  /** Filters out acts that are already logged. Called again whenever another entry was written first. */
  readonly stillNew?: (acts: readonly Act[]) => Promise<readonly Act[]>;
}

/** How often another process may write an entry first before the change fails. */
const LOST_MAX = 500;
const LOST_PAUSE_MS = 20;
const NAME_CHARS_MAX = 300;

/** Changes on one connection run one after another, so only other processes can be faster. */
const queues = new WeakMap<Database, Promise<unknown>>();

/** Makes a change and logs it in the same transaction: neither happens without the other. */
export function recorded(
  records: Database,
  statements: readonly Change[],
  by: Acting,
  ...acts: readonly Act[]
): Promise<void> {
  return record(records, { statements, by, acts });
}

/** Logs an action, or its refusal, that changes nothing else. */
export function noted(records: Database, by: Acting, act: Act, outcome: ActionOutcome = "done"): Promise<void> {
  return record(records, { statements: [], by, acts: [act], outcome });
}

/**
 * Each entry takes the next number and hashes the previous hash with its own content. If another process took the number
 * meanwhile, the transaction is rolled back and retried with the next number.
 */
export function record(records: Database, recording: Recording): Promise<void> {
  const turn = (queues.get(records) ?? Promise.resolve()).then(() => write(records, recording));
  queues.set(
    records,
    turn.catch(() => {}),
  );
  return turn;
}

async function write(records: Database, recording: Recording): Promise<void> {
  const time = Date.now();
  const endsAt = performance.now() + PATIENCE_MS;
  const statements = recording.statements.map(statementOf);
  let tried: readonly AuditRow[] = [];
  for (let lost = 0; ; ) {
    try {
      const acts = (await recording.stillNew?.(recording.acts)) ?? recording.acts;
      if (acts.length === 0 && statements.length === 0) return;
      const chain = await readChain(records);
      const names = await organizationNames(records, acts);
      tried = chained({ ...recording, acts }, { chain, names, time });
      await records.batch([...statements, ...entryStatements(tried, chain, recording.ifChanged === true)]);
      return;
    } catch (cause) {
      if (messageOf(cause).includes("audit.seq")) {
        // The entry may be ours: committed, but the response was lost. Compare the last entry, because two processes may
        // create an organization of the same name at once.
        if (await isKept(records, tried.at(-1)!)) return;
        if (++lost > LOST_MAX) throw cause;
        await sleep(Math.random() * LOST_PAUSE_MS);
        continue;
      }
      if (!isAway(cause) || performance.now() > endsAt) throw cause;
    }
    await sleep(PAUSE_MS);
  }
}

interface Chain {
  readonly seq: number;
  readonly hash: string;
}

/** The newest entry. If entries at the end were deleted, the numbers still continue, so that the gap can be found. */
async function readChain(records: Database): Promise<Chain> {
  const { newest_seq, newest_hash } = auditChain;
  const newest = sql`(select max(${audit.seq}) from ${audit})`;
  const row = await over(records)
    .select({ newest_seq, newest_hash, seq: audit.seq, hash: audit.hash })
    .from(auditChain)
    .leftJoin(audit, eq(audit.seq, newest))
    .get();
  if (row === undefined) return { seq: 0, hash: "" };
  if (row.seq !== null && row.seq >= row.newest_seq) return { seq: row.seq, hash: row.hash! };
  return { seq: row.newest_seq, hash: row.newest_hash };
}

/** Names of the organizations in these acts, as far as this database has them. */
async function organizationNames(records: Database, acts: readonly Act[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(acts.map(({ organizationId }) => organizationId).filter((id) => id !== null))];
  const names = new Map<string, string>();
  for (const { action, object } of acts) if (action === "organization.created") names.set(object.id, object.name);
  if (ids.length === 0) return names;
  const rows = await over(records).select().from(organizations).where(isOneOf(organizations.id, ids));
  for (const { id, name } of rows) names.set(id, name);
  return names;
}

function chained(
  { acts, by, outcome = "done" }: Pick<Recording, "acts" | "by" | "outcome">,
  { chain, names, time }: { chain: Chain; names: ReadonlyMap<string, string>; time: number },
): AuditRow[] {
  let { seq, hash } = chain;
  return acts.map(({ action, organizationId, object, before, after }) => {
    const row = {
      seq: ++seq,
      time,
      organization_id: organizationId,
      organization: organizationId === null ? null : (names.get(organizationId) ?? null),
      actor_kind: by.actor.kind,
      actor_id: named(by.actor.id),
      actor_name: named(by.actor.name),
      address: by.address === null ? null : named(by.address),
      action,
      object_kind: object.kind,
      object_id: named(object.id),
      object_name: named(maskText(object.name)),
      before: shownChange(before),
      after: shownChange(after),
      request_id: by.requestId === null ? null : named(by.requestId),
      outcome,
    };
    hash = hashOf(row, hash);
    return { ...row, hash };
  });
}

function named(text: string): string {
  return storable(text.slice(0, NAME_CHARS_MAX));
}

function entryStatements(rows: readonly AuditRow[], chain: Chain, ifChanged: boolean): Statement[] {
  const last = rows.at(-1);
  if (last === undefined) return [];
  const condition = ifChanged ? sql` where changes() > 0` : sql``;
  const inserts = rows.map((row) => {
    const columns = sql.join(
      Object.keys(row).map((name) => sql.identifier(name)),
      sql`, `,
    );
    const values = sql.join(
      Object.values(row).map((value) => sql`${value}`),
      sql`, `,
    );
    return sql`insert into ${audit} (${columns}) select ${values}${condition}`;
  });
  const isThere = sql`exists (select 1 from ${audit} where ${eq(audit.seq, last.seq)})`;
  const advance = sql`update ${auditChain} set newest_seq = ${last.seq}, newest_hash = ${last.hash}
    where ${and(lte(auditChain.newest_seq, chain.seq), isThere)}`;
  return [...inserts, advance, ...rows.map(audienceChange)].map(statementOf);
}

async function isKept(records: Database, { seq, hash }: AuditRow): Promise<boolean> {
  return (await over(records).$count(audit, and(eq(audit.seq, seq), eq(audit.hash, hash)))) > 0;
}
