import { createHash } from "node:crypto";
import type { Database } from "./store.ts";

/**
 * The id of an organization comes from its name: records that move to another Weir, into the organization of the same
 * name, keep theirs. It stands in every record and in its indexes, and is short for that: 41 bits of a SHA-256.
 * Organizations that were made before have a UUID. An organization that was renamed keeps its id: a new one of its earlier
 * name gets another.
 */
export async function freeOrganizationId(records: Database, name: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const id = shortId(`weir organization ${name}${attempt === 1 ? "" : `\n${attempt}`}`);
    const [taken] = await records.query({ sql: "select 1 from organizations where id = ?", args: [id] });
    if (taken === undefined) return id;
  }
}

function shortId(text: string): string {
  return BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString(36)
    .slice(-8);
}
