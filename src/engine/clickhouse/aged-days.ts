import { propertyName } from "../../filter/property-names.ts";
import type { AgedDays, NotedRecord, PropertyTest, TestedDay } from "../aged-records.ts";
import { type ClickHouse, LARGE } from "./client.ts";
import { literal } from "./literal.ts";
import { type Layout, localTable, onCluster } from "./tables.ts";
import { DAY, DAY_MS, dropPartitions, isOfDays } from "./write/drop-days.ts";

/** Time limit for copying the ids of days, which the database does by itself. */
const NOTE_MS = 900_000;

/** A partition of `requests` and `removed` is a UTC day. */
export function agedDays(client: ClickHouse, layout: Layout): AgedDays {
  return {
    async before(day) {
      const rows = await client.query<{ day: number; ids: string[]; records: number }>(
        `select ${DAY} as day, groupUniqArray(organization_id) as ids, count() as records from requests
          where request_created_at >= 0 and request_created_at < ${day * DAY_MS} group by day order by day`,
      );
      return rows.map(({ day, ids, records }) => ({ day, organizationIds: ids, records }));
    },
    async having(tested) {
      if (tested.length === 0) return new Set();
      const rows = await client.query<{ day: number }>(
        `select distinct ${DAY} as day from requests where ${alike(tested).map(testedSql).join(" or ")}`,
        { settings: LARGE },
      );
      return new Set(rows.map(({ day }) => day));
    },
    // Discards ids that an interrupted run stored without reaching the drop.
    async note(days) {
      await dropPartitions(client, layout, { table: "removed", days });
      const columns = "organization_id, request_id, request_created_at";
      await client.command(`insert into removed (${columns}) select ${columns} from requests where ${isOfDays(days)}`, {
        deadlineMs: NOTE_MS,
      });
    },
    async forget(days) {
      await dropPartitions(client, layout, { table: "removed", days });
      const own = await client.query<object>(`select 1 as one from ids where ${isOfDays(days)} limit 1`);
      if (own.length === 0) return;
      // Rewrites parts of this small table, in the background.
      const ids = `${localTable("ids", layout)}${onCluster(layout)}`;
      await client.command(`alter table ${ids} delete where ${isOfDays(days)}`, { settings: { mutations_sync: 0 } });
    },
    async noted() {
      const rows = await client.query<{ day: number }>(`select distinct ${DAY} as day from removed order by day`);
      return rows.map(({ day }) => day);
    },
    idsOf(days, after, limit) {
      return client.query<NotedRecord>(
        `select request_id as requestId, request_created_at as createdAt, organization_id as organizationId from removed
          where ${isOfDays(days)} ${after === undefined ? "" : afterSql(after)}
          order by organization_id, request_created_at, request_id limit 1 by request_id limit ${limit}`,
      );
    },
  };
}

interface TestedDays extends Omit<TestedDay, "day"> {
  readonly days: readonly number[];
}

/** Days with the same organization and tests, together. */
function alike(tested: readonly TestedDay[]): readonly TestedDays[] {
  const groups = Map.groupBy(tested, ({ organizationId, tests }) => JSON.stringify([organizationId, tests]));
  return [...groups.values()].map((some) => ({ ...some[0]!, days: some.map(({ day }) => day) }));
}

function testedSql({ organizationId, days, tests }: TestedDays): string {
  return `(organization_id = ${literal(organizationId)} and ${isOfDays(days)} and (${tests.map(testSql).join(" or ")}))`;
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
