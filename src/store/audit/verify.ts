import { gt } from "drizzle-orm";
import { audit, auditChain } from "../../record/tables.ts";
import { over } from "../database/builder.ts";
import type { Database } from "../store.ts";
import { type AuditEntry, type AuditRow, hashOf, toEntry } from "./entry.ts";

const PAGE_ROWS = 1_000;

interface Verification {
  /** Number of entries read. */
  readonly entries: number;
  /** The oldest and the newest kept entry; null when there is none. */
  readonly first: number | null;
  readonly newest: number | null;
  /** Hash of the newest entry. A copy kept elsewhere proves later that no earlier entry was changed. */
  readonly hash: string;
  /** The first place where the chain breaks. */
  readonly broken: { readonly seq: number; readonly why: string } | null;
}

/** Verifies the chain from the oldest kept entry up to the first break. */
export async function verifyAudit(records: Database): Promise<Verification> {
  const chain = await over(records).select().from(auditChain).get();
  if (chain === undefined) return { ...EMPTY, broken: { seq: 0, why: "the beginning of the chain is missing" } };
  let at = { seq: chain.removed_seq, hash: chain.removed_hash };
  let entries = 0;
  let first: number | null = null;
  const verdict = (broken: Verification["broken"]): Verification => ({
    ...{ entries, first, newest: entries === 0 ? null : at.seq, hash: at.hash, broken },
  });
  for await (const row of rowsAfter(records, at.seq)) {
    if (row.seq !== at.seq + 1) return verdict({ seq: at.seq + 1, why: missing(at.seq + 1, row.seq - 1) });
    if (hashOf(row, at.hash) !== row.hash) return verdict({ seq: row.seq, why: `entry ${row.seq} was changed` });
    // Entries written during verification are newer than the chain that was read.
    if (row.seq === chain.newest_seq && row.hash !== chain.newest_hash)
      return verdict({ seq: row.seq, why: `entry ${row.seq} is not the one that was written` });
    at = { seq: row.seq, hash: row.hash };
    first ??= row.seq;
    entries++;
  }
  if (at.seq < chain.newest_seq) return verdict({ seq: at.seq + 1, why: missing(at.seq + 1, chain.newest_seq) });
  return verdict(null);
}

const EMPTY = { entries: 0, first: null, newest: null, hash: "" } as const;

function missing(from: number, to: number): string {
  return from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`;
}

/** All entries, oldest first, page by page. */
export async function* allEntries(records: Database, organizationId?: string): AsyncGenerator<AuditEntry> {
  for await (const row of rowsAfter(records, -1))
    if (organizationId === undefined || row.organization_id === organizationId) yield toEntry(row);
}

async function* rowsAfter(records: Database, seq: number): AsyncGenerator<AuditRow> {
  for (let after = seq; ; ) {
    const page = over(records).select().from(audit).where(gt(audit.seq, after)).orderBy(audit.seq);
    const rows = await page.limit(PAGE_ROWS);
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1)!.seq;
  }
}
