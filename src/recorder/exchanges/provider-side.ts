import {
  type EndMeta,
  FRAME,
  type FrameKind,
  type ProviderRequestMeta,
  type ProviderResponseMeta,
} from "../../spool/frame.ts";
import { readProviderRequest, readProviderResponse } from "../../spool/read-meta.ts";
import type { Capture } from "./capture.ts";

/** The payload `[from, to)` of a frame, which is at `place` in `segment`. */
interface Payload {
  readonly buffer: Buffer;
  readonly from: number;
  readonly to: number;
  readonly segment: number;
  readonly place: number;
}

/** What a provider received instead of the client's request, and sent instead of the client's response. */
export class ProviderSide {
  readonly #capture: () => Capture;
  requestHead: (ProviderRequestMeta & Required<Pick<ProviderRequestMeta, "headers">>) | undefined;
  request: Capture;
  responseHead: ProviderResponseMeta | undefined;
  response: Capture;

  /** @param capture - creates an empty one. */
  constructor(capture: () => Capture) {
    this.#capture = capture;
    this.request = capture();
    this.response = capture();
  }

  get bytes(): number {
    return this.request.bytes + this.response.bytes;
  }

  add(kind: FrameKind, { buffer, from, to, segment, place }: Payload): void {
    if (kind === FRAME.providerRequestChunk) this.request.add(buffer, from, to, segment, place);
    else if (kind === FRAME.providerResponseChunk) this.response.add(buffer, from, to, segment, place);
    else if (kind === FRAME.providerRequest) {
      const head = readProviderRequest(buffer, from, to);
      this.request.release();
      this.request = this.#capture();
      this.requestHead = head.headers === undefined ? undefined : { ...head, headers: head.headers };
    } else if (kind === FRAME.providerResponse) {
      const head = readProviderResponse(buffer, from, to);
      this.response.release();
      this.response = this.#capture();
      this.responseHead = head;
    }
  }

  /** A response that arrived before the last call was made belongs to a failed call, which has a record of its own. */
  settle({ forwardedAt }: EndMeta): void {
    if (forwardedAt === undefined || this.responseHead === undefined || this.responseHead.time >= forwardedAt) return;
    this.response.release();
    this.response = this.#capture();
    this.responseHead = undefined;
  }

  release(): void {
    this.request.release();
    this.response.release();
  }
}
