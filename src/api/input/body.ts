import { GatewayError } from "../../errors.ts";

const JSON_TYPE = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i;

/**
 * The body of a request as JSON. A key given twice has its last value.
 *
 * @param bytesMax - enforced while reading: a longer body is not kept, whatever length it claims to have.
 * @throws GatewayError `body_too_large`, or `invalid_body` for anything that is not JSON in UTF-8.
 */
export async function readJson(request: Request, bytesMax: number): Promise<unknown> {
  const type = request.headers.get("content-type");
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new GatewayError("invalid_body", "send JSON with Content-Type: application/json");
  }
  const text = await readText(request, bytesMax);
  if (text.trim() === "") throw new GatewayError("invalid_body", "the body is empty: send a JSON object");
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof RangeError ? "it is nested too deeply" : "it cannot be parsed";
    throw new GatewayError("invalid_body", `the body is not JSON: ${why}`, { cause });
  }
}

/** @throws GatewayError `invalid_body` for JSON that is no object. */
export function requireObject(body: unknown): void {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return;
  throw new GatewayError("invalid_body", "send a JSON object");
}

/**
 * The body of a request as text, whatever its content type.
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
 * A body that is too large is read on for so long, without being kept: who still sends it would otherwise lose the answer
 * with the connection.
 */
const DISCARD_BYTES_MAX = 64 * 1_024 * 1_024;
const DISCARD_MS = 1_000;

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.byteLength;
    if (bytes > bytesMax) {
      await discard(reader);
      throw new GatewayError(
        "body_too_large",
        `the body is over ${bytesMax} bytes; WEIR_MAX_API_BODY_BYTES sets the limit`,
        {
          headers: { connection: "close" },
        },
      );
    }
    chunks.push(next.value);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const giveUp = setTimeout(() => void reader.cancel(), DISCARD_MS);
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.byteLength;
    if (bytes > DISCARD_BYTES_MAX) await reader.cancel();
  }
  clearTimeout(giveUp);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatewayError("invalid_body", "the body is not UTF-8", { cause });
  }
}
