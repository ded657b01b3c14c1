import { createHash } from "node:crypto";
import type { Action, ActionOutcome } from "../../people/actions.ts";
import type { Actor } from "../../people/actor.ts";
import { isoTime } from "../../record/iso-time.ts";
import type { audit } from "../../record/tables.ts";

/** An entry as it is shown, exported and hashed. */
export interface AuditEntry {
  /** Consecutive, without gaps. */
  readonly seq: number;
  readonly time: string;
  /** The organization's name at that time; null for actions on the deployment. */
  readonly organization: string | null;
  readonly organization_id: string | null;
  readonly actor: Actor;
  /** IP address of the client; null when unknown. */
  readonly address: string | null;
  readonly action: Action;
  readonly object: { readonly kind: string; readonly id: string; readonly name: string };
  /** Without secrets. */
  readonly change: { readonly before: unknown; readonly after: unknown };
  readonly request_id: string | null;
  readonly outcome: ActionOutcome;
  /** SHA-256, hexadecimal, of the previous entry's hash followed by this entry's canonical JSON without `hash`. */
  readonly hash: string;
}

/** A stored entry. */
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

/** A damaged cell is shown unchanged; the hash chain reveals the change. */
function parsed(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param previous - hash of the previous entry; empty for the first one. */
export function hashOf(row: Omit<AuditRow, "hash">, previous: string): string {
  const { hash: _, ...entry } = toEntry({ ...row, hash: "" });
  return createHash("sha256")
    .update(previous + canonical(entry))
    .digest("hex");
}

/** JSON without whitespace, with the members of every object sorted by name. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
