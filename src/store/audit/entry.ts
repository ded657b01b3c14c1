import { createHash } from "node:crypto";
import type { Action, Outcome } from "../../people/actions.ts";
import type { Actor } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import type { audit } from "../../record/tables.ts";

/** An entry as it is shown, exported and hashed. */
export interface AuditEntry {
  /** Counts up without gaps. */
  readonly seq: number;
  readonly time: string;
  /** The organization's name then; null where the act concerns the deployment. */
  readonly organization: string | null;
  readonly organization_id: string | null;
  readonly actor: Actor;
  /** Address of the client, where one is known. */
  readonly address: string | null;
  readonly action: Action;
  readonly object: { readonly kind: string; readonly id: string; readonly name: string };
  /** Without secrets. */
  readonly change: { readonly before: unknown; readonly after: unknown };
  readonly request_id: string | null;
  readonly outcome: Outcome;
  /** SHA-256, hexadecimal, of the hash of the entry before followed by this entry's canonical JSON without `hash`. */
  readonly hash: string;
}

/** An entry as the database has it. */
export type AuditRow = typeof audit.$inferSelect;

export function toEntry(row: AuditRow): AuditEntry {
  return {
    seq: row.seq,
    time: isoTime(row.time),
    organization: row.organization,
    organization_id: row.organization_id,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    address: row.address,
    action: row.action,
    object: { kind: row.object_kind, id: row.object_id, name: row.object_name },
    change: { before: parsed(row.before), after: parsed(row.after) },
    request_id: row.request_id,
    outcome: row.outcome,
    hash: row.hash,
  };
}

/** A cell that somebody damaged is shown as it is; the chain says that it was changed. */
function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param previous - hash of the entry before; empty for the first one. */
export function hashOf(row: Omit<AuditRow, "hash">, previous: string): string {
  const { hash: _, ...entry } = toEntry({ ...row, hash: "" });
  return createHash("sha256")
    .update(previous + canonical(entry))
    .digest("hex");
}

/** JSON with the members of every object in the order of their names, and without blanks. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
