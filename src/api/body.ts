import { GatewayError } from "../errors.ts";

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

async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new GatewayError("body_too_large", `the body is over ${bytesMax} bytes`, { headers: { connection: "close" } });
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw tooLarge(); // leaving the loop cancels the body
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new GatewayError("invalid_body", "the body is not UTF-8", { cause });
  }
}
