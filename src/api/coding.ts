import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { JSON_HEADERS } from "./envelope.ts";

/** Shorter responses fit into one to three packets uncompressed. */
const CODED_BYTES_MIN = 4_096;

/** Codings by name, fastest first, each at its fastest level: a response of 200 kB takes a millisecond or two and shrinks to a tenth. */
const CODINGS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  zstd: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/**
 * The response, compressed if that is worthwhile and the client accepts it.
 *
 * Only complete JSON: streamed responses are mostly bulk reads by programs nearby, and recorded bytes are sent unchanged.
 */
export async function coded(request: Request, response: Response): Promise<Response> {
  if (response.body === null || !isWholeJson(response)) return response;
  const coding = codingFor(request.headers.get("accept-encoding") ?? "");
  if (coding === undefined) return response;
  const { status } = response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.set("vary", "accept-encoding");
  if (bytes.byteLength < CODED_BYTES_MIN) return new Response(bytes, { status, headers });
  headers.set("content-encoding", coding);
  return new Response(CODINGS[coding]!(bytes) as Uint8Array<ArrayBuffer>, { status, headers });
}

const isWholeJson = ({ headers }: Response) =>
  headers.get("content-type") === JSON_HEADERS["content-type"] &&
  headers.get("cache-control") === JSON_HEADERS["cache-control"];

/** @param accepted - such as `gzip;q=0.5, br`; a weight of 0 refuses a coding. */
function codingFor(accepted: string): string | undefined {
  const names = accepted
    .toLowerCase()
    .split(",")
    .filter((each) => !/;\s*q=0(?:\.0*)?\s*$/.test(each))
    .map((each) => each.split(";")[0]!.trim());
  return Object.keys(CODINGS).find((name) => names.includes(name));
}
