import { createHash } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import type { Config } from "../../src/config.ts";
import { KIND_COLUMNS } from "../../src/record/kinds.ts";
import type { RequestRow } from "../../src/record/request-record.ts";
import { migrate } from "../../src/store/migrate.ts";
import type { RequestContent, StoredPart } from "../../src/store/packs/request-content.ts";
import { openStore, type Statement, type Store, type Value } from "../../src/store/store.ts";
import { ownDirectory } from "../store/open.ts";

export interface Property {
  readonly name: string;
  readonly value: string;
  readonly erased?: boolean;
}

/** A record as tests describe it: what is left out is null or as the database defaults it. */
export interface Exchange {
  readonly columns: Partial<RequestRow> & Pick<RequestRow, "request_id" | "request_created_at">;
  readonly properties?: readonly Property[];
  readonly inputs?: readonly Property[];
  readonly scores?: Readonly<Record<string, number>>;
  readonly assets?: readonly string[];
  readonly prompt?: string;
  readonly completion?: string;
  readonly requestBody?: string;
  readonly responseBody?: string;
}

export const ORGANIZATION = "org-1";

/** An id that is valid, and the same for the same number. */
export function idOf(number: number): string {
  const digits = createHash("sha256").update(String(number)).digest("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** A database of its own that holds the exchanges, opened for reading. */
export async function openWorld(
  exchanges: readonly Exchange[],
  tags: readonly { session: string; tag: string }[] = [],
  settings: Partial<Config> = {},
): Promise<{ reader: Store } & AsyncDisposable> {
  const directory = ownDirectory(settings);
  const writer = await openStore(directory.config, "write");
  await migrate(writer);
  await insert(writer, exchanges);
  await writer.records.batch(
    tags.map(({ session, tag }) =>
      row("session_tags", { organization_id: ORGANIZATION, session_id: session, tag, updated_at: 0 }),
    ),
  );
  await writer.close();
  const reader = await openStore(directory.config, "read");
  return {
    reader,
    async [Symbol.asyncDispose]() {
      await reader.close();
      directory[Symbol.dispose]();
    },
  };
}

/**
 * Writes exchanges as the recorder would; what was said in every second one as it did before there were packs. Of the
 * others every second one leaves its input and output to the packs. Of the rows
 * that may leave columns to a kind every third one does.
 */
export async function insert(store: Store, exchanges: readonly Exchange[]): Promise<void> {
  const packed = exchanges.filter((_, at) => at % 4 === 1);
  await store.bodies.batch(exchanges.filter((_, at) => at % 2 === 0).flatMap(bodyRows));
  await store.content.put(
    exchanges
      .filter((_, at) => at % 2 === 1)
      .map((each) => ({ ...contentOf(each), ...(packed.includes(each) && { excerpts: excerptsOf(each) }) })),
  );
  await store.records.batch(
    exchanges.flatMap((each) => recordRows(packed.includes(each) ? withoutExcerpts(each) : each)),
  );
}

function excerptsOf({ columns: { input = null, output = null } }: Exchange) {
  return { input, output };
}

function withoutExcerpts(exchange: Exchange): Exchange {
  return { ...exchange, columns: { ...exchange.columns, input: null, output: null, excerpts_packed: 1 } };
}

function recordRows(exchange: Exchange): Statement[] {
  const { properties = [], inputs = [], scores = {}, assets = [] } = exchange;
  const columns: Record<string, unknown> = {
    organization_id: ORGANIZATION,
    key_id: "key-1",
    method: "POST",
    provider: "OPENAI",
    updated_at: exchange.columns.request_created_at,
    properties: JSON.stringify(Object.fromEntries(properties.map(({ name, value }) => [name, value]))),
    prompt_inputs: JSON.stringify(Object.fromEntries(inputs.map(({ name, value }) => [name, value]))),
    scores: JSON.stringify(scores),
    assets: JSON.stringify(assets),
    ...exchange.columns,
  };
  const entry = (kind: number) => (property: Property) =>
    row("properties", {
      organization_id: columns["organization_id"],
      kind,
      name: property.name,
      value: property.value,
      request_created_at: columns["request_created_at"],
      case_erased: property.erased === true ? 1 : 0,
      cost: exchange.columns.cost ?? null,
    });
  const entries = [...properties.map(entry(0)), ...inputs.map(entry(1))];
  return [...rowStatements(columns), ...entries.map((statement) => withSeq(statement, exchange.columns.request_id))];
}

let kinds = 0;

/** A row that may leave columns to a kind does so every third time. */
function rowStatements(columns: Readonly<Record<string, unknown>>): Statement[] {
  const mayShare = columns["cache_enabled"] !== 1 && (columns["wire_schema"] ?? null) === null;
  if (!mayShare || ++kinds % 3 !== 0) return [row("requests", columns)];
  const own = Object.entries(columns).filter(([name]) => !(KIND_COLUMNS as readonly string[]).includes(name));
  const shared = Object.entries(columns).filter(([name]) => (KIND_COLUMNS as readonly string[]).includes(name));
  const standard = { storage_location: "libsql", ai_gateway_body_mapping: "NO_MAPPING" };
  const empty = { key_id: "", method: "", provider: "", storage_location: "", ai_gateway_body_mapping: "" };
  return [
    row("kinds", { id: kinds, ...standard, ...Object.fromEntries(shared) }),
    row("requests", { ...Object.fromEntries(own), ...empty, kind: kinds }),
  ];
}

function contentOf({ columns, prompt, completion, requestBody, responseBody }: Exchange): RequestContent {
  const part = (name: "request" | "response", body: string | undefined): StoredPart[] =>
    body === undefined ? [] : [{ part: name, form: formOf(body), bytes: Buffer.from(body), contentType: null }];
  return {
    requestId: columns.request_id,
    organizationId: ORGANIZATION,
    parts: [...part("request", requestBody), ...part("response", responseBody)],
    assets: [],
    texts: { prompt: prompt ?? null, completion: completion ?? null },
  };
}

function bodyRows({ columns, prompt, completion, requestBody, responseBody }: Exchange): Statement[] {
  const { request_id } = columns;
  const statements: Statement[] = [];
  if (prompt !== undefined || completion !== undefined) {
    statements.push(row("texts", { request_id, prompt: prompt ?? null, completion: completion ?? null }));
  }
  // One part is stored as it is, the other compressed and shared, so that both ways are read.
  if (requestBody !== undefined) {
    const data = Buffer.from(requestBody);
    const common = { request_id, part: "request", form: formOf(requestBody), bytes: data.length };
    statements.push(row("bodies", { ...common, codec: "plain", data }));
  }
  if (responseBody !== undefined) {
    const data = Buffer.from(responseBody);
    const hash = createHash("sha256").update(data).digest("hex");
    const common = { request_id, part: "response", form: formOf(responseBody), bytes: data.length };
    statements.push(row("bodies", { ...common, codec: "zstd", blob_hash: hash }));
    const blob = row("blobs", { hash, codec: "zstd", bytes: data.length, data: zstdCompressSync(data) });
    statements.push({ ...blob, sql: `${blob.sql} on conflict do nothing` });
  }
  return statements;
}

function formOf(body: string): "json" | "text" {
  return body.startsWith("{") ? "json" : "text";
}

function row(table: string, columns: Readonly<Record<string, unknown>>): Statement {
  const names = Object.keys(columns).filter((name) => columns[name] !== undefined);
  const sql = `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`;
  return { sql, args: names.map((name) => columns[name] as Value) };
}

function withSeq({ sql, args }: Statement, requestId: string): Statement {
  const [before, after] = sql.split(") values (") as [string, string];
  const values = after.replace(/\)$/, ", (select seq from requests where request_id = ?))");
  return { sql: `${before}, seq) values (${values}`, args: [...args, requestId] };
}
