import type { Database } from "../../../store/store.ts";
import type { Day } from "./copy-day.ts";

const DAY_MS = 86_400_000;

/** Days with records, of all organizations, newest first. */
export async function daysOf(records: Database): Promise<readonly Day[]> {
  const spans = await records.query<{ id: string; oldest: number; newest: number }>({
    // Two subqueries: each takes one index step.
    sql: `select * from (select o.id,
        (select min(request_created_at) from requests where organization_id = o.id) as oldest,
        (select max(request_created_at) from requests where organization_id = o.id) as newest
      from organizations o) where oldest is not null`,
    args: [],
  });
  const days: Day[] = [];
  for (const { id: organizationId, oldest, newest } of spans) {
    for (let from = startOf(newest); from + DAY_MS > oldest; from -= DAY_MS)
      days.push({ organizationId, from, to: from + DAY_MS });
  }
  return days.sort((a, b) => b.from - a.from || (a.organizationId < b.organizationId ? -1 : 1));
}

/** Number of finished records. */
export async function countEnded(records: Database): Promise<number> {
  const [row] = await records.query<{ n: number }>({
    sql: "select count(*) - (select count(*) from requests where response_status is null) as n from requests",
    args: [],
  });
  return row?.n ?? 0;
}

const startOf = (time: number) => Math.floor(time / DAY_MS) * DAY_MS;
