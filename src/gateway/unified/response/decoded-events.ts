import { type StreamDecoder, streamDecoder } from "../../../runtime/content-coding.ts";
import { UpstreamError, type UpstreamEvents } from "../../../runtime/http/upstream.ts";
import { pairsWhere } from "../../headers/headers.ts";
import { STREAM_TYPE } from "../../recording.ts";
import { headerValue } from "./provider-head.ts";

/** Headers that describe a body's coding and its coded length. */
const OF_CODING = /^content-(?:encoding|length)$/i;

/**
 * A provider's stream whose events are read here. The provider should send it uncompressed; if it compresses anyway, the
 * stream is decompressed on arrival, and its head no longer declares the coding.
 */
export class DecodedEvents implements UpstreamEvents {
  readonly #events: UpstreamEvents;
  #decoder: StreamDecoder | undefined;

  constructor(events: UpstreamEvents) {
    this.#events = events;
  }

  onHead(status: number, reason: string, headers: string[]): void {
    const coding = headerValue(headers, "content-encoding");
    const isStream = status < 400 && STREAM_TYPE.test(headerValue(headers, "content-type"));
    if (isStream && coding !== "")
      this.#decoder = streamDecoder(coding, {
        onData: (bytes) => this.#events.onData(bytes),
        onEnd: (damaged) => {
          if (damaged)
            this.#events.onError(new UpstreamError("protocol", "the provider's compressed stream is damaged"));
          else this.#events.onEnd();
        },
      });
    const isPlain = this.#decoder === undefined;
    this.#events.onHead(status, reason, isPlain ? headers : pairsWhere(headers, (name) => !OF_CODING.test(name)));
  }

  onData(bytes: Uint8Array): void {
    if (this.#decoder === undefined) this.#events.onData(bytes);
    else this.#decoder.write(bytes);
  }

  onEnd(): void {
    if (this.#decoder === undefined) this.#events.onEnd();
    else this.#decoder.end();
  }

  onError(error: UpstreamError): void {
    this.#decoder?.stop();
    this.#events.onError(error);
  }
}
