import { Elysia, t } from "elysia";
import { GatewayError } from "../../errors.ts";
import { storable } from "../../record/storable.ts";
import { decodeBody } from "../../runtime/content-coding.ts";
import type { Callers } from "../access/callers.ts";
import { settled } from "../caught-up.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { asGatewayError, success } from "../envelope.ts";
import { readBytes } from "../input/body.ts";
import { aged, ingest } from "./ingest.ts";
import { PassedOver } from "./join.ts";
import { readJsonSpans } from "./read-json.ts";
import { readProtoSpans } from "./read-proto.ts";
import type { ReadSpans } from "./span.ts";
import { linksOfSession } from "./traced-requests.ts";
import { bytesField, numberField } from "./wire.ts";

/** How far a body may unpack: this many times its limit. */
const UNPACKED_TIMES = 10;
/** Exports that wait for earlier ones; further ones are asked to retry. */
const WAITING_MAX = 32;
const LINKS_MAX = 10_000;

const TYPES = { json: "application/json", proto: "application/x-protobuf" } as const;
type Form = keyof typeof TYPES;

/** OpenTelemetry spans become steps of their session. */
export function traceEndpoints(context: ApiContext, callers: Callers) {
  // Exports are processed one at a time, so that a duplicate that arrives concurrently is detected.
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const passedOver = new PassedOver();
  const inTurn = async (work: () => Promise<void>): Promise<void> => {
    if (waiting >= WAITING_MAX)
      throw new GatewayError("rate_limited", "too many exports are waiting: send this one again later");
    waiting++;
    const turn = last.then(work).finally(() => waiting--);
    last = turn.catch(() => {}); // the waiting request reports it
    return turn;
  };
  return new Elysia()
    .post(
      "/v1/traces",
      async ({ request }) => {
        const { key } = callers.of(request);
        const form = formOf(request);
        try {
          const read = readSpans(form, await bodyOf(request, context.config.max_api_body_bytes));
          await aged(read.spans);
          await inTurn(() => ingest(context, read.spans, key, passedOver));
          return respond(form, 200, form === "json" ? jsonResponse(read) : protoResponse(read));
        } catch (error) {
          const known = asGatewayError(error);
          if (known === undefined) throw error;
          return failed(form, known);
        }
      },
      endpoint(
        "Requests",
        "Receive OpenTelemetry spans",
        "OTLP over HTTP, in protobuf or JSON, with gzip. Spans by the conventions for generative AI and by OpenInference become steps of their session. See the page on OpenTelemetry.",
        {
          takes: { [TYPES.proto]: { type: "string" }, [TYPES.json]: { type: "object" } },
          responses: { [TYPES.proto]: { type: "string" }, [TYPES.json]: { type: "object" } },
        },
      ),
    )
    .get(
      "/v1/session/:id/spans",
      async ({ params, request }) => {
        const { organizationId } = callers.of(request);
        await settled(context);
        const sessionId = storable(params.id);
        return success(await linksOfSession(context, { organizationId, sessionId, limit: LINKS_MAX }));
      },
      endpoint(
        "Sessions",
        "Read the place of a session's requests in their traces",
        "For each request that is a span or was made within one: its trace, span, parent span, name and kind.",
        { responses: { "application/json": t.Object({ data: t.Array(t.Unknown()) }) } },
      ),
    );
}

function formOf(request: Request): Form {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === TYPES.json) return "json";
  if (type === TYPES.proto) return "proto";
  throw new GatewayError("invalid_body", `send spans as Content-Type: ${TYPES.proto} or ${TYPES.json}`);
}

async function bodyOf(request: Request, bytesMax: number): Promise<Buffer> {
  const sent = Buffer.from(await readBytes(request, bytesMax));
  const coding = request.headers.get("content-encoding") ?? undefined;
  const unpackedMax = bytesMax * UNPACKED_TIMES;
  const { bytes, incomplete } = await decodeBody(sent, coding, unpackedMax);
  if (!incomplete) return bytes;
  if (bytes.byteLength >= unpackedMax)
    throw new GatewayError("body_too_large", `the body unpacks to over ${unpackedMax} bytes`);
  throw new GatewayError("invalid_body", "the body does not match its Content-Encoding");
}

function readSpans(form: Form, body: Buffer): ReadSpans {
  return form === "json" ? readJsonSpans(body.toString("utf8")) : readProtoSpans(body);
}

function respond(
  form: Form,
  status: number,
  body: Uint8Array<ArrayBuffer> | string,
  more: Record<string, string> = {},
): Response {
  const headers = { "content-type": TYPES[form], "cache-control": "no-store", ...more };
  return new Response(body, { status, headers });
}

const messageOf = ({ rejected, why }: ReadSpans) => `${rejected} spans are not taken: ${why}`;

/** ExportTraceServiceResponse. */
function jsonResponse(read: ReadSpans): string {
  if (read.rejected === 0) return "{}";
  return JSON.stringify({ partialSuccess: { rejectedSpans: String(read.rejected), errorMessage: messageOf(read) } });
}

function protoResponse(read: ReadSpans): Uint8Array<ArrayBuffer> {
  if (read.rejected === 0) return new Uint8Array(0);
  const partial = Buffer.concat([numberField(1, read.rejected), bytesField(2, Buffer.from(messageOf(read)))]);
  return Uint8Array.from(bytesField(1, partial));
}

/** Codes of google.rpc.Status; clients retry after 429, 502, 503 and 504. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: 3, 413: 8, 429: 8, 503: 14, 504: 4 };
const RETRY_SECONDS = 2;

function failed(form: Form, { status, message, headers }: GatewayError): Response {
  const code = RPC_CODES[status] ?? 13;
  const later = status === 429 || status === 503 ? { "retry-after": `${RETRY_SECONDS}` } : {};
  const body =
    form === "json"
      ? JSON.stringify({ code, message })
      : Uint8Array.from(Buffer.concat([numberField(1, code), bytesField(2, Buffer.from(message))]));
  return respond(form, status, body, { ...later, ...headers });
}
