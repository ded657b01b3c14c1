import { createHash } from "node:crypto";
import { isTooDeep } from "../../json-text/nesting.ts";
import { MAPPED } from "../../mapping/mapped-schema.ts";
import type { Mapping } from "../../mapping/mapping.ts";
import { toLlmSchema } from "../../mapping/read-exchange.ts";
import type { Json, WireSchemaName } from "../../plugin-host/contract.ts";
import { providerOf } from "../../record/provider.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { sentStatus } from "../../record/sent-status.ts";
import type { Database } from "../database/database.ts";
import { currentMappings } from "../models/mappings.ts";
import type { RequestBodies, StoredBody } from "../packs/read.ts";
import type { BodyStore } from "./body-store.ts";

type Side = "request" | "response" | "provider_request" | "provider_response";

/** Columns that determine how the bodies are read. */
export const READ_BY = [
  ...["organization_id", "wire_schema", "provider", "model", "model_override", "request_model", "response_model"],
  ...["request_path", "response_status", "outcome"],
] as const satisfies readonly (keyof RequestRow)[];

type ReadBy = Pick<RequestRow, (typeof READ_BY)[number]>;

/** Parts for showing many records: both bodies, further parts, and headers only for binary bodies, for their content type. */
export async function loadShownBodies(
  content: BodyStore,
  requestIds: readonly string[],
  further: readonly Side[] = [],
): Promise<ReadonlyMap<string, RequestBodies>> {
  const shown: readonly Side[] = ["request", "response", ...further];
  const bodies = await content.get(requestIds, shown);
  const isBinary = (parts: RequestBodies) => shown.some((part) => parts[part]?.form === "binary");
  const binary = [...bodies].filter(([, parts]) => isBinary(parts)).map(([id]) => id);
  if (binary.length === 0) return bodies;
  const headers = await content.get(binary, ["headers"]);
  return new Map([...bodies].map(([id, parts]) => [id, { ...parts, ...headers.get(id) }]));
}

/** The two bodies and the neutral schema of a record, each as JSON text. */
export function bodyTexts(row: ReadBy, bodies: RequestBodies, mappings: Mappings) {
  const request = readBody(bodies, "request");
  const response = readBody(bodies, "response");
  return {
    request: request.text,
    response: response.text,
    llmSchema: llmSchemaText(row, request.value, response.value, mappings),
  };
}

/** One body as JSON text; `null` when it was not recorded. */
export function bodyText(bodies: RequestBodies, part: Side): string {
  return readBody(bodies, part).text;
}

/** Both bodies without the neutral schema. */
export function plainBodyTexts(bodies: RequestBodies): { readonly request: string; readonly response: string } {
  return { request: readBody(bodies, "request").text, response: readBody(bodies, "response").text };
}

/** Mappings for the models of one organization. */
interface Mappings {
  of(row: ReadBy): Mapping | undefined;
}

/** Mappings from the providers' files, by provider name: they take precedence over learned ones. */
export type MappingsOfProviders = () => Promise<Readonly<Record<string, Mapping>>>;

/** Reads mappings if a record needs one. */
export async function loadMappings(
  records: Database,
  rows: readonly ReadBy[],
  ofProviders: MappingsOfProviders,
): Promise<Mappings> {
  const row = rows.find(({ wire_schema }) => wire_schema === MAPPED);
  if (row === undefined) return { of: () => undefined };
  const [own, all] = await Promise.all([ofProviders(), currentMappings(records, row.organization_id)]);
  const learnt = new Map(all.map(({ provider, model, mapping }) => [`${provider}\n${model}`, mapping]));
  return {
    of: (row) => {
      const provider = providerOf(row);
      return own[provider] ?? learnt.get(`${provider}\n${row.model_override ?? row.request_model ?? row.model}`);
    },
  };
}

/** Computed whenever a record is read, never stored: an improved mapping applies to old records too. */
function llmSchemaText(row: ReadBy, requestBody: Json, responseBody: Json, mappings: Mappings): string {
  if (row.wire_schema === null) return "null";
  const llmSchema = toLlmSchema({
    wireSchema: row.wire_schema as WireSchemaName | typeof MAPPED,
    mapping: mappings.of(row),
    provider: providerOf(row),
    model: row.model,
    requestModel: row.request_model,
    responseModel: row.response_model,
    path: row.request_path ?? "",
    requestBody,
    responseBody,
    status: sentStatus(row),
  });
  return JSON.stringify(llmSchema);
}

/** A body's JSON text, and its value for the mapping. JSON is returned as written, including long numbers. */
function readBody(bodies: RequestBodies, part: Side): { readonly text: string; readonly value: Json } {
  const body = bodies[part];
  if (body === undefined) return { text: "null", value: undefined };
  if (body.form === "binary") {
    const value = describeBinary(body, contentType(bodies, part));
    return { text: JSON.stringify(value), value };
  }
  const text = Buffer.from(body.content.buffer, body.content.byteOffset, body.content.byteLength).toString("utf8");
  // One body that clients cannot parse must not make the other records unreadable.
  if (body.form === "json" && !isTooDeep(text)) {
    try {
      return { text, value: JSON.parse(text) };
    } catch {
      // A body that was cut off at the recorded size is no longer valid JSON: it is shown as text.
    }
  }
  return { text: JSON.stringify(text), value: text };
}

function describeBinary({ bytes, content, hash, contentType: stored }: StoredBody, type: string | null) {
  const sha256 = hash ?? createHash("sha256").update(content).digest("hex");
  return { _type: "binary", content_type: type ?? stored, bytes, sha256 };
}

/** The recorded headers of one side, as pairs of name and value; undefined when none were recorded. */
export function headerPairs(headers: StoredBody | undefined, side: Side): [string, string][] | undefined {
  if (headers === undefined) return undefined;
  const lists: Json = JSON.parse(new TextDecoder().decode(headers.content));
  const flat: unknown = lists?.[side];
  if (!Array.isArray(flat)) return undefined;
  return flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(flat[at + 1] ?? "")]] : []));
}

/** The content type of a body from its headers, or null. */
export function contentType(bodies: RequestBodies, part: Side): string | null {
  const pair = headerPairs(bodies.headers, part)?.find(([name]) => name.toLowerCase() === "content-type");
  return pair?.[1] ?? null;
}
