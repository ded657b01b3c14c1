import type { AgedRecord, AgedRecords, AgePage } from "../aged-records.ts";
import { agedDays } from "./aged-days.ts";
import type { ClickHouse } from "./client.ts";
import { literal } from "./literal.ts";
import type { Layout } from "./tables.ts";
import { finishedRows, openRows } from "./write/find-rows.ts";
import { ROWS_TOGETHER } from "./write/remove.ts";

interface Row {
  readonly request_id: string;
  readonly request_created_at: number;
  readonly properties?: Readonly<Record<string, string>>;
  readonly case_erased?: readonly string[];
}

/** Records in ClickHouse by age, which is the order of the table. */
export function clickhouseAged(client: ClickHouse, layout: Layout): AgedRecords {
  return {
    steps: { look: 20_000, remove: ROWS_TOGETHER },
    days: agedDays(client, layout),
    async organizations() {
      const rows = await client.query<{ id: string }>(
        "select distinct organization_id as id from requests order by id",
      );
      return rows.map(({ id }) => id);
    },
    async finished(organizationId, limit) {
      const rows = await client.query<{ request_id: string }>(
        `select request_id from requests where organization_id = ${literal(organizationId)} limit ${limit}`,
      );
      return rows.map(({ request_id }) => request_id);
    },
    // A request that ends during this query may be counted twice. The removal counts again before it stops.
    async count(organizationId, deadline) {
      const is = `organization_id = ${literal(organizationId)}`;
      const rows = await client.query<{ n: number }>(
        `select (select count() from requests where ${is}) + (select count() from open final where is_ended = 0 and ${is}) as n`,
        deadline.rest(),
      );
      return rows[0]!.n;
    },
    async page({ organizationId, before, after, limit, withProperties }: AgePage) {
      const from =
        after === undefined
          ? ""
          : `and request_created_at >= ${after.createdAt}
            and (request_created_at, request_id) > (${after.createdAt}, ${literal(after.requestId)})`;
      const rows = await client.query<Row>(
        `select request_id, request_created_at${withProperties ? ", properties, case_erased" : ""} from requests
          where organization_id = ${literal(organizationId)} and request_created_at < ${before} ${from}
          order by request_created_at, request_id limit ${limit}`,
      );
      return rows.map(agedRecord);
    },
    async showing(requestIds) {
      const columns = "coalesce(input, output) is not null as shows";
      const rows = await finishedRows<{ shows: number }>(client, requestIds, columns);
      return rows.filter(({ shows }) => shows === 1).map(({ request_id }) => request_id);
    },
    async having(requestIds) {
      const open = await openRows(client, requestIds);
      return new Set([...open, ...(await finishedRows(client, requestIds))].map(({ request_id }) => request_id));
    },
  };
}

function agedRecord({ request_id, request_created_at, properties = {}, case_erased = [] }: Row): AgedRecord {
  const erased = new Set(case_erased);
  return {
    requestId: request_id,
    createdAt: request_created_at,
    properties: Object.entries(properties).map(([name, value]) => ({
      name,
      value,
      case_erased: erased.has(name) ? 1 : 0,
    })),
  };
}
