import { propertyName } from "../../filter/property-names.ts";
import type { AgedDays, NotedRecord, PropertyTest } from "../aged-records.ts";
import type { ClickHouse } from "./client.ts";
import { literal } from "./literal.ts";
import { type Layout, localTable, onCluster } from "./tables.ts";
import { DAY_MS, dropPartition, isOfDay } from "./write/drop-day.ts";

/** Time limit for copying the ids of a day, which the database does by itself. */
const NOTE_MS = 900_000;
/** SQL of a row's UTC day, counted from 1970. */
const DAY = `intDiv(request_created_at, ${DAY_MS})`;

/** A partition of `requests` and `removed` is a UTC day. */
export function agedDays(client: ClickHouse, layout: Layout): AgedDays {
  return {
    async before(day) {
      const rows = await client.query<{ day: number; ids: string[] }>(
        `select ${DAY} as day, groupUniqArray(organization_id) as ids from requests
          where request_created_at >= 0 and request_created_at < ${day * DAY_MS} group by day order by day`,
      );
      return rows.map(({ day, ids }) => ({ day, organizationIds: ids }));
    },
    async holds({ day, organizationId }, tests) {
      if (tests.length === 0) return false;
      const rows = await client.query<object>(
        `select 1 as one from requests where organization_id = ${literal(organizationId)} and ${isOfDay(day)}
          and (${tests.map(testSql).join(" or ")}) limit 1`,
      );
      return rows.length > 0;
    },
    // Discards ids that an interrupted run stored without reaching the drop.
    async note(day) {
      await dropPartition(client, layout, { table: "removed", day });
      const columns = "organization_id, request_id, request_created_at";
      await client.command(`insert into removed (${columns}) select ${columns} from requests where ${isOfDay(day)}`, {
        deadlineMs: NOTE_MS,
      });
    },
    async forget(day) {
      await dropPartition(client, layout, { table: "removed", day });
      const own = await client.query<object>(`select 1 as one from ids where ${isOfDay(day)} limit 1`);
      if (own.length === 0) return;
      // Rewrites parts of this small table, in the background.
      const ids = `${localTable("ids", layout)}${onCluster(layout)}`;
      await client.command(`alter table ${ids} delete where ${isOfDay(day)}`, { settings: { mutations_sync: 0 } });
    },
    async noted() {
      const rows = await client.query<{ day: number }>(`select distinct ${DAY} as day from removed order by day`);
      return rows.map(({ day }) => day);
    },
    idsOf(day, after, limit) {
      return client.query<NotedRecord>(
        `select request_id as requestId, request_created_at as createdAt, organization_id as organizationId from removed
          where ${isOfDay(day)} ${after === undefined ? "" : afterSql(after)}
          order by organization_id, request_created_at, request_id limit 1 by request_id limit ${limit}`,
      );
    },
  };
}

/** Compares names and values like `isTooOld` of the job. */
function testSql({ property, value }: PropertyTest): string {
  const { exact, erased } = propertyName(property);
  const has = (name: string) => {
    const isValue = value === null ? "" : ` and properties[${literal(name)}] = ${literal(value)}`;
    return `(mapContains(properties, ${literal(name)})${isValue})`;
  };
  if (erased === undefined) return has(exact);
  return `(${has(exact)} or (${has(erased)} and has(case_erased, ${literal(erased)})))`;
}

function afterSql({ organizationId, createdAt, requestId }: NotedRecord): string {
  const organization = literal(organizationId);
  return `and organization_id >= ${organization}
    and (organization_id, request_created_at, request_id) > (${organization}, ${createdAt}, ${literal(requestId)})`;
}
