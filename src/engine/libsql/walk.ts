import { statementOf } from "../../filter/parameters.ts";
import { raw, sql } from "../../filter/sql.ts";
import type { RequestRow } from "../../record/request-record.ts";
import type { Database } from "../../store/store.ts";
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

/**
 * Walks the records of a libSQL database in the order in which they were stored, so late records are still ahead. If the
 * record of a position was deleted, the walk starts over.
 */
export function libsqlWalk(database: Database): RecordWalk {
  return {
    async next(walked: Walked, after: WalkPosition | undefined, limit: number) {
      const seq = sql`coalesce((select seq from requests where request_id = ${after?.request_id ?? ""}), 0)`;
      return database.query<RequestRow>(
        statementOf(sql`select * from ${tableOf(walked)} where ${walkedSql(walked)} and seq > ${seq}
          order by seq limit ${limit}`),
      );
    },
    async count(walked: Walked) {
      const statement = statementOf(sql`select count(*) as n from ${tableOf(walked)} where ${walkedSql(walked)}`);
      const [row] = await database.query<{ n: number }>(statement);
      return row!.n;
    },
    async samples(query: SampleQuery) {
      return database.query<RequestRow>(
        statementOf(sql`select * from requests where ${samplesSql(query)} order by seq desc limit ${query.limit}`),
      );
    },
    async formatOf(model: WalkedModel) {
      const newest = sql`select provider, model, model_override, request_model, wire_schema, response_status,
          request_created_at, request_id from whole_requests where organization_id = ${model.organizationId}
        order by request_created_at desc, request_id desc limit ${LOOKED_AT}`;
      const [row] = await database.query<{ wire_schema: string | null }>(statementOf(formatSql(model, newest)));
      return row?.wire_schema;
    },
  };
}

/** The index of unmapped records needs the rows' own columns, and such rows have no kind. */
const tableOf = ({ kind }: Walked) => raw(kind === "mapped" ? "requests" : "whole_requests");
