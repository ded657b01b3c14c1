import type { Database } from "../../store/store.ts";
import type { AgedRecords, AgePage, StoredProperty } from "../aged-records.ts";

interface Row {
  readonly request_id: string;
  readonly seq: number;
  readonly request_created_at: number;
}

/** Records of a libSQL database by their age. */
export function libsqlAged(records: Database): AgedRecords {
  const idsOf = async (sql: string, args: readonly (string | number)[]) =>
    (await records.query<{ id: string }>({ sql, args: [...args] })).map(({ id }) => id);
  return {
    steps: { look: 1_000, remove: 500 },
    // One index step for each organization.
    organizations: () =>
      idsOf(
        `with recursive found(id) as (
          select min(organization_id) from requests
          union all
          select (select min(r.organization_id) from requests r where r.organization_id > found.id) from found
            where found.id is not null
        )
        select id from found where id is not null`,
        [],
      ),
    finished: (organizationId, limit) =>
      idsOf("select request_id as id from requests where organization_id = ? and response_status is not null limit ?", [
        organizationId,
        limit,
      ]),
    async count(organizationId, deadline) {
      const sql = "select count(*) as n from requests where organization_id = ?";
      const [row] = await records.query<{ n: number }>({ sql, args: [organizationId] }, deadline.rest());
      return row!.n;
    },
    async page({ organizationId, before, after, limit, withProperties }: AgePage) {
      const sql = `select request_id, seq, request_created_at from requests
        where organization_id = ? and request_created_at < ? and (request_created_at, request_id) > (?, ?)
        order by request_created_at, request_id limit ?`;
      const from = [after?.createdAt ?? Number.MIN_SAFE_INTEGER, after?.requestId ?? ""];
      const rows = await records.query<Row>({ sql, args: [organizationId, before, ...from, limit] });
      const properties = withProperties ? await propertiesOf(records, rows) : new Map<number, StoredProperty[]>();
      return rows.map(({ seq, request_id: requestId, request_created_at: createdAt }) => {
        return { requestId, createdAt, properties: properties.get(seq) ?? [] };
      });
    },
    showing: (requestIds) =>
      idsOf(
        `select request_id as id from requests
          where request_id in (select value from json_each(?)) and coalesce(input, output) is not null`,
        [JSON.stringify(requestIds)],
      ),
    having: async (requestIds) =>
      new Set(
        await idsOf("select request_id as id from requests where request_id in (select value from json_each(?))", [
          JSON.stringify(requestIds),
        ]),
      ),
  };
}

async function propertiesOf(records: Database, page: readonly Row[]): Promise<Map<number, StoredProperty[]>> {
  const rows = await records.query<StoredProperty & { seq: number }>({
    sql: `select seq, name, value, case_erased from properties
      where seq in (select value from json_each(?)) and kind = 0`,
    args: [JSON.stringify(page.map(({ seq }) => seq))],
  });
  return Map.groupBy(rows, ({ seq }) => seq);
}
