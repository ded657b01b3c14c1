import type { ApiError } from "../../../plugin-host/contract.ts";
import { type Spoken, shapeOf } from "../../../unified/outbound.ts";
import { UnframedEvents, UsageStripper } from "../../../unified/passed-streams.ts";
import { wholeFailure } from "../../../unified/response-failure.ts";
import { StreamWatch } from "../../../unified/stream-watch.ts";
import type { BodyHost, ResponseBody } from "./response-body.ts";

/** A larger non-stream response is content, and is passed on. */
const WHOLE_LOOKED_AT_MAX = 64 * 1_024;

/** A response in the client's own shape: its bytes are passed on once it is clear that a stream does not begin with a failure. */
export class SameShapeBody implements ResponseBody {
  readonly #host: BodyHost;
  /** Watches a held-back stream; undefined once it is passed on. */
  #watch: StreamWatch | undefined;
  /** Watches a stream that is passed on, while a limit includes its first content. */
  #passed: StreamWatch | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** A non-stream response is held back while another target could replace an error inside it. */
  #isWhole = false;
  /** Transforms its bytes: removes frames around events, or usage that the client did not request. */
  readonly #filter: UnframedEvents | UsageStripper | undefined;

  constructor(host: BodyHost, { isStream, isCoded }: { readonly isStream: boolean; readonly isCoded: boolean }) {
    this.#host = host;
    const { attempt, work } = host.options;
    const { outbound } = attempt;
    const isFramed = outbound.at.place?.frames === "aws";
    if (isStream && isFramed) this.#filter = new UnframedEvents();
    else if (isStream && outbound.kind === "same" && outbound.addsUsage) this.#filter = new UsageStripper();
    const isGenerated = work.admission.endpoint.kind === "generate";
    if (isStream && !isCoded && isGenerated)
      this.#watch = new StreamWatch(isFramed ? "aws" : "sse", spokenShape(outbound.at));
    else if (!isStream && isGenerated && host.options.walk.hasMore) this.#isWhole = true;
    else host.sendHead(undefined, this.#filter);
  }

  onData(bytes: Uint8Array): void {
    if (this.#isWhole) {
      this.#held.push(bytes);
      this.#heldBytes += bytes.byteLength;
      if (this.#heldBytes > WHOLE_LOOKED_AT_MAX) this.release();
      return;
    }
    const watch = this.#watch;
    if (watch === undefined) {
      if (this.#host.awaitsContent) this.#lookForContent(bytes);
      this.#pass(bytes);
      return;
    }
    this.#held.push(bytes);
    watch.push(bytes);
    if (watch.hasContent) this.#host.noteContent();
    if (watch.error !== undefined && !watch.hasContent) this.#host.failInStream(watch.error);
    else if (watch.hasContent || (watch.begun && !this.#host.options.walk.hasMore)) this.release();
  }

  /** Sends what has been received so far. */
  release(): void {
    if (this.#watch === undefined && !this.#isWhole) return;
    this.#passed = this.#watch;
    this.#watch = undefined;
    this.#isWhole = false;
    this.#host.sendHead(undefined, this.#filter);
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.#pass(bytes);
  }

  onEnd(): void {
    if (this.#isWhole) {
      void this.#judge();
      return;
    }
    // A complete stream without content counts as malformed only while another target is left.
    if (this.#watch?.hasContent === false && this.#host.options.walk.hasMore) {
      this.#host.failMalformed();
      return;
    }
    this.release();
    if (this.#filter instanceof UsageStripper) this.#send(this.#filter.end());
    this.#host.finish();
  }

  /** In a stream that cannot be read here, because it is compressed, any byte counts as content. */
  #lookForContent(bytes: Uint8Array): void {
    this.#passed?.push(bytes);
    if (this.#passed === undefined || this.#passed.hasContent) this.#host.noteContent();
  }

  async #judge(): Promise<void> {
    const bytes = await this.#host.heldBytes();
    const failure = wholeFailure(bytes, spokenShape(this.#host.options.attempt.outbound.at));
    if (!this.#isWhole || failure === undefined) {
      this.release();
      this.#host.finish();
    } else if (failure === "malformed") this.#host.failMalformed();
    else this.#host.failInStream(failure);
  }

  /** Cuts the connection, so that the client sees that the response is incomplete. */
  onBroken(error: ApiError): void {
    this.#host.cutOff(error);
  }

  #pass(bytes: Uint8Array): void {
    if (this.#filter === undefined) {
      this.#host.options.events.onData(bytes);
      return;
    }
    this.#host.options.admitted.exchange.recording.providerBody(bytes);
    try {
      this.#send(this.#filter.push(bytes));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#host.cutOff({ code: "upstream_malformed", message: error.message });
    }
  }

  #send(bytes: Uint8Array): void {
    if (bytes.byteLength > 0) this.#host.options.events.onData(bytes);
  }
}

const spokenShape = ({ shape }: Spoken) => (shape === undefined ? undefined : shapeOf({ shape }));
