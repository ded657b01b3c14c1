import {
  type EndMeta,
  FRAME,
  type FrameKind,
  type HeadMeta,
  type ProviderRequestMeta,
  type ProviderResponseMeta,
  type SentMeta,
} from "../../spool/frame.ts";
import { HeaderList } from "../../spool/header-list.ts";
import { readProviderRequest, readProviderResponse, UnreadableFrame, type WithHeaders } from "../../spool/read-meta.ts";
import { headersFrom } from "../../spool/sent-headers.ts";
import type { Capture } from "./capture.ts";

/** The payload `[from, to)` of a frame, which is at `place` in `segment`. */
interface Payload {
  readonly buffer: Buffer;
  readonly from: number;
  readonly to: number;
  readonly segment: number;
  readonly place: number;
}

/** A request of the provider's side, with its headers. */
type SentRequest = WithHeaders<ProviderRequestMeta> & { readonly headers: HeaderList };

/** What a provider received instead of the client's request, and sent instead of the client's response. */
export class ProviderSide {
  readonly #capture: () => Capture;
  requestHead: SentRequest | undefined;
  responseHead: WithHeaders<ProviderResponseMeta> | undefined;
  #request: Capture | undefined;
  #response: Capture | undefined;

  /** @param capture - creates an empty one. */
  constructor(capture: () => Capture) {
    this.#capture = capture;
  }

  get request(): Capture {
    this.#request ??= this.#capture();
    return this.#request;
  }

  get response(): Capture {
    this.#response ??= this.#capture();
    return this.#response;
  }

  get bytes(): number {
    return (this.#request?.bytes ?? 0) + (this.#response?.bytes ?? 0);
  }

  /**
   * Takes the provider's request from the head of the response, which says what was sent.
   *
   * @param client - the headers of the client's request, from which the sent ones differ.
   * @throws UnreadableFrame if the headers cannot be read.
   */
  sent({ time }: Pick<HeadMeta, "time">, { headers: beside, edited }: SentMeta, client: HeaderList): void {
    const headers = headersFrom(beside, client.pairs);
    if (headers === undefined) throw new UnreadableFrame("the headers are not as they are written");
    this.#setRequest({ time, hasBody: false, edited, headers: HeaderList.of(headers) });
  }

  add(kind: FrameKind, { buffer, from, to, segment, place }: Payload): void {
    if (kind === FRAME.providerRequestChunk) this.request.add(buffer, from, to, segment, place);
    else if (kind === FRAME.providerResponseChunk) this.response.add(buffer, from, to, segment, place);
    else if (kind === FRAME.providerRequest) {
      const head = readProviderRequest(buffer, from, to);
      this.#setRequest(head.headers === undefined ? undefined : { ...head, headers: head.headers });
    } else if (kind === FRAME.providerResponse) {
      const head = readProviderResponse(buffer, from, to);
      this.#dropResponse();
      this.responseHead = head;
    }
  }

  #setRequest(head: SentRequest | undefined): void {
    this.#request?.release();
    this.#request = undefined;
    this.requestHead = head;
  }

  #dropResponse(): void {
    this.#response?.release();
    this.#response = undefined;
    this.responseHead = undefined;
  }

  /** A response that arrived before the last call was made belongs to a failed call, which has a record of its own. */
  settle({ forwardedAt }: EndMeta): void {
    if (forwardedAt === undefined || this.responseHead === undefined || this.responseHead.time >= forwardedAt) return;
    this.#dropResponse();
  }

  release(): void {
    this.#request?.release();
    this.#response?.release();
  }
}
