import { decodeBody } from "../../../runtime/content-coding.ts";
import {
  type Upstream,
  type UpstreamCall,
  UpstreamError,
  type UpstreamEvents,
  type UpstreamRequest,
} from "../../../runtime/http/upstream.ts";
import { headerValue } from "./provider-head.ts";

const AT_ONCE = 4;
/** Bedrock reports a call's usage in headers. */
const COUNT_HEADER = /^x-amzn-bedrock-.*-token-count$/i;

interface Part {
  call: UpstreamCall | undefined;
  status: number;
  reason: string;
  headers: readonly string[];
  readonly chunks: Uint8Array[];
}

interface JoinOptions {
  readonly upstream: Upstream;
  readonly requests: readonly UpstreamRequest[];
  readonly events: UpstreamEvents;
  /** Bytes of all responses together, decompressed. */
  readonly bytesMax: number;
}

/**
 * Makes several calls, a few at a time, as if they were one: their JSON bodies are returned as a list in the order of the
 * requests, with their usage headers added up. The first failure is the response of all.
 */
export class JoinedCall implements UpstreamCall {
  readonly #options: JoinOptions;
  readonly #parts: Part[];
  readonly #bodies: Uint8Array[] = [];
  #begun = 0;
  #whole = 0;
  #bytes = 0;
  #over = false;

  constructor(options: JoinOptions) {
    this.#options = options;
    this.#parts = options.requests.map(() => ({ call: undefined, status: 0, reason: "", headers: [], chunks: [] }));
    for (let at = 0; at < AT_ONCE; at++) this.#openNext();
  }

  /** The bodies are sent with the calls. */
  write(): boolean {
    return true;
  }

  end(): void {}

  // The responses are buffered, whatever the client reads.
  pause(): void {}

  resume(): void {}

  abort(): void {
    this.#over = true;
    for (const { call } of this.#parts) call?.abort();
  }

  #openNext(): void {
    const { upstream, requests } = this.#options;
    const at = this.#begun;
    if (this.#over || at >= requests.length) return;
    this.#begun++;
    const part = this.#parts[at]!;
    part.call = upstream.open(requests[at]!, {
      onHead: (status, reason, headers) => {
        Object.assign(part, { status, reason, headers });
      },
      onData: (bytes) => {
        part.chunks.push(bytes);
        this.#count(bytes.byteLength);
      },
      onEnd: () => void this.#end(at),
      onError: (error) => this.#fail(error),
    });
  }

  async #end(at: number): Promise<void> {
    const { events, requests, bytesMax } = this.#options;
    const { status, reason, headers, chunks } = this.#parts[at]!;
    if (status !== 200) {
      if (this.#over) return;
      this.abort();
      events.onHead(status, reason, headers);
      for (const bytes of chunks) events.onData(bytes);
      events.onEnd();
      return;
    }
    const coding = headerValue(headers, "content-encoding");
    const decoded = await decodeBody(Buffer.concat(chunks), coding, bytesMax);
    if (this.#over) return;
    if (decoded.incomplete) return this.#fail(new UpstreamError("protocol", "the response cannot be unpacked"));
    this.#bodies[at] = decoded.bytes;
    this.#parts[at]!.chunks.length = 0;
    this.#whole++;
    if (this.#whole < requests.length) this.#openNext();
    else this.#join();
  }

  #join(): void {
    const { events } = this.#options;
    this.#over = true;
    const list = this.#bodies.flatMap((body, at) => [Buffer.from(at === 0 ? "[" : ","), body]);
    events.onHead(200, "OK", this.#joinedHeaders());
    events.onData(Buffer.concat([...list, Buffer.from("]")]));
    events.onEnd();
  }

  /** The headers of the first response, without those that frame its body. */
  #joinedHeaders(): string[] {
    const { headers } = this.#parts[0]!;
    const joined = ["Content-Type", "application/json"];
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!;
      if (/^(?:content-.*|transfer-encoding|connection)$/i.test(name)) continue;
      joined.push(name, COUNT_HEADER.test(name) ? String(this.#sumOf(name)) : headers[at + 1]!);
    }
    return joined;
  }

  #sumOf(name: string): number {
    const counted = this.#parts.map(({ headers }) => Number(headerValue(headers, name.toLowerCase())));
    return counted.reduce((sum, count) => sum + (count || 0), 0);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#options.bytesMax) return;
    this.#fail(new UpstreamError("protocol", `the responses are over ${this.#options.bytesMax} bytes`));
  }

  #fail(error: UpstreamError): void {
    if (this.#over) return;
    this.abort();
    this.#options.events.onError(error);
  }
}
