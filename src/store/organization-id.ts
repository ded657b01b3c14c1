import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import { organizations } from "../record/tables.ts";
import { over } from "./database/builder.ts";
import type { Database } from "./store.ts";

/**
 * The id of an organization is derived from its name: records that are imported into an organization of the same name on
 * another Weir keep their ids. The id is part of every record and its indexes, so it is short: 41 bits of a SHA-256. Older
 * organizations have a UUID. A renamed organization keeps its id, and a new one with its former name gets another id.
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
