import { EMPTY, print, raw, type Sql, sql } from "../../filter/sql.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { REQUEST_COLUMNS } from "../../record/written-row.ts";
import {
  formatSql,
  LOOKED_AT,
  type RecordWalk,
  type SampleQuery,
  samplesSql,
  type Walked,
  type WalkedModel,
  type WalkPosition,
  walkedSql,
} from "../record-walk.ts";
import type { ClickHouse } from "./client.ts";
import { literal } from "./literal.ts";
import { NOT_STORED } from "./read.ts";
import { storedColumns, type TableRow, toRequestRow } from "./rows.ts";

const COLUMNS = raw(storedColumns(REQUEST_COLUMNS).join(", "));

/** Walks records in ClickHouse in the order of their table: organizations by id, and the records of each by time. */
export function clickhouseWalk(client: ClickHouse): RecordWalk {
  const ask = <T>(statement: Sql) => client.query<T>(print(statement, literal));
  const rows = async (statement: Sql) =>
    (await ask<TableRow>(statement)).map((row) => ({ ...NOT_STORED, ...toRequestRow(row) }) as RequestRow);
  return {
    next: (walked: Walked, after: WalkPosition | undefined, limit: number) =>
      rows(sql`select ${COLUMNS} from requests where ${walkedSql(walked)} ${afterSql(after)}
        order by organization_id, request_created_at, request_id limit ${limit}`),
    async count(walked: Walked) {
      const [row] = await ask<{ n: number }>(sql`select count() as n from requests where ${walkedSql(walked)}`);
      return row!.n;
    },
    samples: (query: SampleQuery) =>
      rows(sql`select ${COLUMNS} from requests where ${samplesSql(query)}
        order by organization_id desc, request_created_at desc, request_id desc limit ${query.limit}`),
    async formatOf(model: WalkedModel) {
      const newest = sql`select provider, model, model_override, request_model, wire_schema, response_status,
          request_created_at, request_id from requests where organization_id = ${model.organizationId}
        order by organization_id desc, request_created_at desc, request_id desc limit ${LOOKED_AT}`;
      const [row] = await ask<{ wire_schema: string | null }>(formatSql(model, newest));
      return row?.wire_schema;
    },
  };
}

/** Separate bounds, so that the database skips earlier rows without reading them. */
function afterSql(after: WalkPosition | undefined): Sql {
  if (after === undefined) return EMPTY;
  const { organization_id: organization, request_created_at: createdAt, request_id: id } = after;
  return sql`and organization_id >= ${organization} and (organization_id > ${organization} or request_created_at >= ${createdAt})
    and (organization_id, request_created_at, request_id) > (${organization}, ${createdAt}, ${id})`;
}
