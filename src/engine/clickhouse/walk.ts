import type { RequestRow } from "../../record/request-record.ts";
import { REQUEST_COLUMNS } from "../../record/written-row.ts";
import {
  formatSql,
  LOOKED_AT,
  type RecordWalk,
  type SamplesAsked,
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

const COLUMNS = storedColumns(REQUEST_COLUMNS).join(", ");

/** Walks records in ClickHouse in the order of their table: organizations by their ids, and the records of each by time. */
export function clickhouseWalk(client: ClickHouse): RecordWalk {
  const rows = async (sql: string) =>
    (await client.query<TableRow>(sql)).map((row) => ({ ...NOT_STORED, ...toRequestRow(row) }) as RequestRow);
  return {
    next: (walked: Walked, after: WalkPosition | undefined, limit: number) =>
      rows(`select ${COLUMNS} from requests where ${walkedSql(walked, literal)} ${afterSql(after)}
        order by organization_id, request_created_at, request_id limit ${limit}`),
    async count(walked: Walked) {
      const sql = `select count() as n from requests where ${walkedSql(walked, literal)}`;
      const [row] = await client.query<{ n: number }>(sql);
      return row!.n;
    },
    samples: (asked: SamplesAsked) =>
      rows(`select ${COLUMNS} from requests where ${samplesSql(asked, literal)}
        order by organization_id desc, request_created_at desc, request_id desc limit ${asked.limit}`),
    async formatOf(model: WalkedModel) {
      const newest = `select provider, model, model_override, request_model, wire_schema, response_status,
          request_created_at, request_id from requests where organization_id = ${literal(model.organizationId)}
        order by organization_id desc, request_created_at desc, request_id desc limit ${LOOKED_AT}`;
      const [row] = await client.query<{ wire_schema: string | null }>(formatSql(model, newest, literal));
      return row?.wire_schema;
    },
  };
}

/** Each bound by itself, so that the database passes over what lies before without reading it. */
function afterSql(after: WalkPosition | undefined): string {
  if (after === undefined) return "";
  const [organization, createdAt] = [literal(after.organization_id), literal(after.request_created_at)];
  return `and organization_id >= ${organization} and (organization_id > ${organization} or request_created_at >= ${createdAt})
    and (organization_id, request_created_at, request_id) > (${organization}, ${createdAt}, ${literal(after.request_id)})`;
}
