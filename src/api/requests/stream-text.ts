import { JSON_HEADERS } from "../envelope.ts";

/** A response up to this length is sent at once, so that a failure before its end can still become an error response. */
const WHOLE_CHARS = 1 << 20;
/** Characters per chunk of a longer one. */
const CHUNK_CHARS = 64 << 10;

/**
 * Sends JSON text as it is produced, no faster than the client reads it.
 *
 * A failure after the first `WHOLE_CHARS` aborts the connection, so that a partial response does not seem complete.
 *
 * @param onBroken - called with such a failure, which the response cannot report.
 */
export async function streamText(
  pieces: AsyncGenerator<string>,
  headers: Readonly<Record<string, string>>,
  onBroken: (error: unknown) => void,
): Promise<Response> {
  let start = "";
  for (;;) {
    const next = await pieces.next();
    if (next.done) return new Response(start, { headers: { ...JSON_HEADERS, ...headers } });
    start += next.value;
    if (start.length > WHOLE_CHARS) break;
  }
  const encoder = new TextEncoder();
  let left = false;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(start)),
    async pull(controller) {
      const text = await chunkOf(pieces).catch((error: unknown) => {
        if (!left) onBroken(error);
        throw error;
      });
      if (text === "") controller.close();
      else controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      left = true;
      await pieces.return(undefined);
    },
  });
  // Proxies must not buffer it either.
  return new Response(stream, { headers: { ...JSON_HEADERS, "cache-control": "no-store, no-transform", ...headers } });
}

/** @returns an empty string at the end. */
async function chunkOf(pieces: AsyncGenerator<string>): Promise<string> {
  let text = "";
  while (text.length < CHUNK_CHARS) {
    const next = await pieces.next();
    if (next.done) break;
    text += next.value;
  }
  return text;
}
