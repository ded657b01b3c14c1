import { createHash } from "node:crypto";
import { isTooDeep } from "../mapping/nesting.ts";
import { toLlmSchema } from "../mapping/read-exchange.ts";
import type { Json, WireSchemaName } from "../plugin/contract.ts";
import type { RequestRow } from "../record/request-record.ts";
import type { RequestBodies, StoredBody } from "../store/bodies.ts";

/** The two bodies and the neutral schema of a record, each as JSON text. */
export function bodyTexts(row: RequestRow, bodies: RequestBodies) {
  const request = readBody(bodies.request, contentType(bodies, "request"));
  const response = readBody(bodies.response, contentType(bodies, "response"));
  return {
    request: request.text,
    response: response.text,
    llmSchema: llmSchemaText(row, request.value, response.value),
  };
}

/** Computed whenever a record is read, never stored: a better mapping holds for old records too. */
function llmSchemaText(row: RequestRow, requestBody: Json, responseBody: Json): string {
  if (row.wire_schema === null) return "null";
  const llmSchema = toLlmSchema({
    wireSchema: row.wire_schema as WireSchemaName,
    provider: row.provider,
    model: row.model,
    requestModel: row.request_model,
    responseModel: row.response_model,
    path: row.request_path ?? "",
    requestBody,
    responseBody,
    status: row.response_status,
  });
  return JSON.stringify(llmSchema);
}

/** A body's JSON text, and its value for the mapping. JSON is passed on as it was written, long numbers included. */
function readBody(body: StoredBody | undefined, type: string | null): { readonly text: string; readonly value: Json } {
  if (body === undefined) return { text: "null", value: undefined };
  if (body.form === "binary") {
    const value = describeBinary(body, type);
    return { text: JSON.stringify(value), value };
  }
  const text = Buffer.from(body.content.buffer, body.content.byteOffset, body.content.byteLength).toString("utf8");
  // One body that no client can parse must not take the records beside it along.
  if (body.form === "json" && !isTooDeep(text)) {
    try {
      return { text, value: JSON.parse(text) };
    } catch {
      // Cut off at the recorded size, it is JSON no more: then it is shown as text.
    }
  }
  return { text: JSON.stringify(text), value: text };
}

function describeBinary({ bytes, content, hash, contentType: stored }: StoredBody, type: string | null) {
  const sha256 = hash ?? createHash("sha256").update(content).digest("hex");
  return { _type: "binary", content_type: type ?? stored, bytes, sha256 };
}

/** The content type that the wire gave a body, or null. */
export function contentType(bodies: RequestBodies, part: "request" | "response"): string | null {
  if (bodies.headers === undefined) return null;
  const lists: Json = JSON.parse(new TextDecoder().decode(bodies.headers.content));
  const pairs: unknown = lists?.[part];
  if (!Array.isArray(pairs)) return null;
  const at = pairs.findIndex((name, index) => index % 2 === 0 && String(name).toLowerCase() === "content-type");
  return at === -1 ? null : String(pairs[at + 1]);
}
