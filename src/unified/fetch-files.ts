import { messageOf } from "../log.ts";
import type { Fetched, FetchedFiles } from "../mapping/translate/addresses.ts";
import type { Upstream } from "../runtime/http/upstream.ts";
import { mediaTypeOf } from "./media-type.ts";
import { callWhole, type TakeRoom, type WholeResponse } from "./whole-call.ts";

const FILE_BYTES_MAX = 20 * 1_024 * 1_024;
const FILE_MS = 10_000;
const REDIRECTS_MAX = 5;
/** Files of one request fetched in parallel. */
const AT_ONCE = 4;
/** Files of one request that are fetched at all: one request must not call thousands of addresses. */
const FILES_MAX = 100;

const HEADERS = {
  Accept: "image/*, audio/*, application/pdf",
  "Accept-Encoding": "identity",
  "User-Agent": "Weir",
};

/**
 * Fetches files that clients name by address, for providers that accept only bytes. It sends no credential, and checks every
 * address, including those of redirects.
 */
export class FileFetcher {
  readonly #upstream: Upstream;
  /** Maximum bytes of all files of one request. */
  readonly #bytesMax: number;

  /** @param upstream - allows only public addresses and `allow_private_targets`. */
  constructor(upstream: Upstream, bytesMax: number) {
    this.#upstream = upstream;
    this.#bytesMax = bytesMax;
  }

  /**
   * Never rejects: a failed file has its reason instead.
   *
   * @param room - for the files' bytes.
   */
  async fetch(addresses: readonly string[], signal: AbortSignal, room: TakeRoom): Promise<FetchedFiles> {
    const files: Record<string, Fetched> = {};
    const waiting = addresses.slice(0, FILES_MAX);
    for (const address of addresses.slice(FILES_MAX))
      files[address] = { failure: `of one request at most ${FILES_MAX} files are fetched` };
    let bytes = 0;
    const work = async () => {
      for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
        if (bytes > this.#bytesMax) files[address] = { failure: `the files are over ${this.#bytesMax} bytes together` };
        else if (signal.aborted) files[address] = { failure: "the client has left" };
        else {
          const file = await this.#file(address, { signal, room }).catch((error: unknown) => ({
            failure: messageOf(error),
          }));
          if ("bytes" in file) bytes += file.bytes.length;
          files[address] = file;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, addresses.length) }, work));
    return files;
  }

  async #file(address: string, of: { readonly signal: AbortSignal; readonly room: TakeRoom }): Promise<Fetched> {
    const until = performance.now() + FILE_MS;
    let url = httpUrl(address);
    for (let redirects = 0; ; redirects++) {
      if (url === undefined) return { failure: "it is not an http address" };
      const response = await callWhole(this.#upstream, {
        method: "GET",
        url,
        headers: HEADERS,
        bytesMax: FILE_BYTES_MAX,
        timeoutMs: Math.max(1, until - performance.now()),
        ...of,
      });
      const location = response.status >= 300 && response.status < 400 ? headerOf(response, "location") : undefined;
      if (location === undefined) return fileOf(response);
      if (redirects === REDIRECTS_MAX) return { failure: `it redirects more than ${REDIRECTS_MAX} times` };
      url = httpUrl(location, url);
    }
  }
}

/** Undefined for other schemes, which a redirect may lead to. */
function httpUrl(text: string, base?: URL): URL | undefined {
  const url = URL.parse(text, base);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined;
}

function fileOf(response: WholeResponse): Fetched {
  const { status, body } = response;
  if (status !== 200) return { failure: `it responds with ${status}` };
  const type = headerOf(response, "content-type");
  const mediaType = mediaTypeOf(type, body);
  if (mediaType === undefined) return { failure: `it is ${type ?? "of no known type"}, not an image, PDF or sound` };
  return { mediaType, bytes: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("base64") };
}

/** @param name - lower case. */
const headerOf = ({ headers }: WholeResponse, name: string): string | undefined =>
  headers.find((_, at) => at % 2 === 1 && headers[at - 1]!.toLowerCase() === name);
