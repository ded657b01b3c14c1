import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import { organizations } from "../record/tables.ts";
import { over } from "./database/builder.ts";
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
    if ((await over(records).$count(organizations, eq(organizations.id, id))) === 0) return id;
  }
}

function shortId(text: string): string {
  return BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString(36)
    .slice(-8);
}
