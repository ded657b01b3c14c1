import { readBody } from "../../src/bodies/body.ts";
import { filledText } from "../../src/mapping/json.ts";
import type { ExchangeInput } from "../../src/mapping/read-exchange.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { decodeBody } from "../../src/runtime/content-coding.ts";

const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** The response of a recorded exchange as the recorder hands it to the readers: events of a stream, or the whole body. */
export async function recordedResponse({
  request,
  response,
}: Json): Promise<Pick<ExchangeInput, "events" | "responseBody">> {
  const url = new URL(request.url);
  const { bytes } = await decodeBody(...codedBytes(response), BODY_BYTES_MAX);
  return responseIn(bytes, filledText(new Headers(response.headers).get("content-type")), url.pathname + url.search);
}

/** The same from decoded bytes. */
export function responseIn(
  bytes: Buffer,
  contentType: string | undefined,
  path: string,
): Pick<ExchangeInput, "events" | "responseBody"> {
  if (bytes.byteLength === 0) return { events: undefined, responseBody: undefined };
  const body = readBody(bytes, { contentType, path, isResponse: true, incomplete: false });
  return { events: body.events, responseBody: body.events === undefined ? (body.json ?? body.text) : undefined };
}

/** Where the body was kept as it was on the wire, it still has its coding. */
function codedBytes(response: Json): [Buffer, string] {
  if (typeof response.body_wire_base64 === "string") {
    return [Buffer.from(response.body_wire_base64, "base64"), filledText(response.content_encoding) ?? "gzip"];
  }
  const text = typeof response.body === "string" ? response.body : "";
  return [
    typeof response.body_base64 === "string" ? Buffer.from(response.body_base64, "base64") : Buffer.from(text),
    "identity",
  ];
}
