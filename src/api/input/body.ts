import { GatewayError } from "../../errors.ts";
import { FILTER_NODES_MAX } from "../../filter/tree.ts";
import { isTooDeep } from "../../json-text/nesting.ts";
import { IMPORT_BYTES_MAX } from "../../record/imported.ts";
import { PACE, PacedReads } from "./pace.ts";

/** Largest body of an endpoint that takes it from everybody, such as a log-in. */
export const OPEN_BYTES_MAX = 64 * 1_024;

const JSON_TYPE = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i;

/** Levels of the deepest filter, in which half of the nodes are branches, with some for the JSON around it. */
const NESTING_MAX = FILTER_NODES_MAX / 2 + 1_000;

/** Whether JSON is so deep that code which follows it would overflow the stack. Each overflow takes most of a second. */
export const overflows = (json: string): boolean => isTooDeep(json, NESTING_MAX);

/**
 * The request body as JSON. If a key occurs twice, the last value counts.
 *
 * @param bytesMax - enforced while reading, whatever the Content-Length.
 * @throws GatewayError `body_too_large`, or `invalid_body` for anything that is not JSON in UTF-8.
 */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new GatewayError("invalid_body", "send JSON with Content-Type: application/json");
  }
  const text = await readText(request, bytesMax);
  if (text.trim() === "") throw new GatewayError("invalid_body", "the body is empty: send a JSON object");
  if (overflows(text)) throw new GatewayError("invalid_body", `it is nested deeper than ${NESTING_MAX} levels`);
  try {
    return MAY_NAME_TO_STRING.test(text) ? JSON.parse(text, makePrintable) : JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof RangeError ? "it is nested too deeply" : "it cannot be parsed";
    throw new GatewayError("invalid_body", `the body is not JSON: ${why}`, { cause });
  }
}

/** The second part finds the name written with escapes. */
const MAY_NAME_TO_STRING = /toString|\\u00[4-7]/;

/** Lets `{"toString": 1}` be converted to text: Elysia does so with a value that does not fit, and would throw. */
function makePrintable(_name: string, value: unknown): unknown {
  if (typeof value === "object" && value !== null && Object.hasOwn(value, "toString")) {
    Object.defineProperty(value, Symbol.toPrimitive, { value: () => "[object Object]" });
  }
  return value;
}

/** @throws GatewayError `invalid_body` for JSON that is not an object. */
export function requireObject(body: unknown): void {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return;
  throw new GatewayError("invalid_body", "send a JSON object");
}

/**
 * The request body as text, whatever its content type.
 *
 * @throws GatewayError `body_too_large`, or `invalid_body` for anything that is not UTF-8.
 */
export async function readText(request: Request, bytesMax: number): Promise<string> {
  const coding = request.headers.get("content-encoding");
  if (coding !== null && coding !== "identity") {
    throw new GatewayError("invalid_body", "send the body without Content-Encoding");
  }
  return decode(await readBytes(request, bytesMax));
}

/**
 * The body as it was sent.
 *
 * @throws GatewayError `body_too_large`, `body_too_slow`, or `invalid_body` if the client does not send all of it.
 */
export async function readBytes(request: Request, bytesMax: number, pace = PACE): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0);
  // If the announced length is too large, nothing is read.
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const reader = request.body.getReader();
  const reads = new PacedReads(pace);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const read = () =>
    reads.next(reader.read(), bytes).catch((cause) => {
      if (!(cause instanceof GatewayError))
        throw new GatewayError("invalid_body", "the body did not arrive whole", { cause });
      void reader.cancel().catch(() => undefined);
      throw cause;
    });
  for (let next = await read(); !next.done; next = await read()) {
    bytes += next.value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel();
      throw tooLarge(bytesMax);
    }
    chunks.push(next.value);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/**
 * The connection stays open, and the server drops the rest of the body. A client that sends everything before it reads would
 * otherwise lose the response with the connection.
 */
function tooLarge(bytesMax: number): GatewayError {
  const how: Readonly<Record<number, string>> = {
    [IMPORT_BYTES_MAX]: ": send the records in parts",
    [OPEN_BYTES_MAX]: "",
  };
  const more = how[bytesMax] ?? "; WEIR_MAX_API_BODY_BYTES sets the limit";
  return new GatewayError("body_too_large", `the body is over ${bytesMax} bytes${more}`);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatewayError("invalid_body", "the body is not UTF-8", { cause });
  }
}
