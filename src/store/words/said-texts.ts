import { parseJson } from "../../mapping/json.ts";
import { newText, type Said, whatWasSaid } from "../../mapping/said.ts";
import { schemaOf } from "../../mapping/to-llm-schema.ts";
import type { Json } from "../../plugin-host/contract.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { loadMappings, type MappingsOfProviders, READ_BY } from "../bodies/body-text.ts";
import { loadBodies } from "../bodies/load-bodies.ts";
import type { StoredBody } from "../packs/read.ts";
import type { Database } from "../store.ts";

type Row = Pick<RequestRow, (typeof READ_BY)[number] | "seq" | "request_id">;

/**
 * The new text in the turns of a few records, as indexed, by record number.
 *
 * @param bodies - the bodies' database, if `database` does not include it.
 */
export async function saidTexts(
  database: Database,
  seqs: readonly number[],
  ofProviders: MappingsOfProviders,
  bodies = database,
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  for (const [seq, said] of await whatRecordsSaid(database, seqs, ofProviders, bodies)) {
    const text = newText(said);
    if (text !== null) texts.set(seq, text);
  }
  return texts;
}

/** The indexed text of a few records by number, as far as their bodies exist and are readable. */
export async function whatRecordsSaid(
  database: Database,
  seqs: readonly number[],
  ofProviders: MappingsOfProviders,
  content = database,
): Promise<ReadonlyMap<number, Said>> {
  const columns = ["seq", "request_id", ...READ_BY].join(", ");
  const rows = await database.query<Row>({
    sql: `select ${columns} from whole_requests where seq in (select value from json_each(?))`,
    args: [JSON.stringify(seqs)],
  });
  const ids = rows.map(({ request_id }) => request_id);
  const [bodies, mappings] = await Promise.all([
    loadBodies(content, ids, ["request", "response"]),
    loadMappings(database, rows, ofProviders),
  ]);
  const texts = new Map<number, Said>();
  for (const row of rows) {
    const schema = schemaOf({ wireSchema: row.wire_schema ?? undefined, mapping: mappings.of(row) });
    const { request, response } = bodies.get(row.request_id) ?? {};
    const said = schema && whatWasSaid({ schema, request: jsonOf(request), response: jsonOf(response) });
    if (said !== undefined) texts.set(row.seq, said);
  }
  return texts;
}

function jsonOf(body: StoredBody | undefined): Json {
  if (body === undefined || body.form === "binary") return undefined;
  const { buffer, byteOffset, byteLength } = body.content;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return body.form === "json" ? parseJson(text) : text;
}
