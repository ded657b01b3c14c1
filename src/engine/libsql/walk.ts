import { Parameters } from "../../filter/parameters.ts";
import type { RequestRow } from "../../record/request-record.ts";
import type { Database } from "../../store/store.ts";
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

/**
 * Walks records of a libSQL database in the order in which they were stored: a record that comes late is still ahead. A
 * position whose record was deleted begins again.
 */
export function libsqlWalk(database: Database): RecordWalk {
  return {
    async next(walked: Walked, after: WalkPosition | undefined, limit: number) {
      const parameters = new Parameters();
      const seq = `coalesce((select seq from requests where request_id = ${parameters.bind(after?.request_id ?? "")}), 0)`;
      const where = walkedSql(walked, parameters.bind);
      const sql = `select * from ${tableOf(walked)} where ${where} and seq > ${seq} order by seq limit ${limit}`;
      return database.query<RequestRow>(parameters.statement(sql));
    },
    async count(walked: Walked) {
      const parameters = new Parameters();
      const sql = `select count(*) as n from ${tableOf(walked)} where ${walkedSql(walked, parameters.bind)}`;
      const [row] = await database.query<{ n: number }>(parameters.statement(sql));
      return row!.n;
    },
    async samples(asked: SamplesAsked) {
      const parameters = new Parameters();
      const where = samplesSql(asked, parameters.bind);
      const sql = `select * from requests where ${where} order by seq desc limit ${asked.limit}`;
      return database.query<RequestRow>(parameters.statement(sql));
    },
    async formatOf(model: WalkedModel) {
      const parameters = new Parameters();
      const newest = `select provider, model, model_override, request_model, wire_schema, response_status,
          request_created_at, request_id from whole_requests where organization_id = ${parameters.bind(model.organizationId)}
        order by request_created_at desc, request_id desc limit ${LOOKED_AT}`;
      const sql = formatSql(model, newest, parameters.bind);
      const [row] = await database.query<{ wire_schema: string | null }>(parameters.statement(sql));
      return row?.wire_schema;
    },
  };
}

/** The index of what is not mapped finds rows by their own columns, and such rows share none with others. */
const tableOf = ({ kind }: Walked) => (kind === "mapped" ? "requests" : "whole_requests");
