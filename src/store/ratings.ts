import { and, eq, getTableColumns } from "drizzle-orm";
import { ratings } from "../record/tables.ts";
import { over } from "./database/builder.ts";
import type { Database } from "./store.ts";

/** One score of a record as one source gave it. */
export type Rating = Omit<typeof ratings.$inferSelect, "request_id" | "organization_id">;

/** Those of one request, by name, then in the order in which they were given. */
export async function listRatings(
  records: Database,
  organizationId: string,
  requestId: string,
): Promise<readonly Rating[]> {
  const { request_id, organization_id, ...shown } = getTableColumns(ratings);
  return over(records)
    .select(shown)
    .from(ratings)
    .where(and(eq(request_id, requestId), eq(organization_id, organizationId)))
    .orderBy(shown.name, shown.created_at, shown.source);
}
