import type { EventFraming } from "../mapping/events/event-reader.ts";
import { utf8Of } from "../mapping/json.ts";
import type { FetchedFiles } from "../mapping/translate/addresses.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { Shape } from "../plugin-host/contract.ts";
import { decodeBody } from "../runtime/content-coding.ts";
import type { Soon } from "../runtime/pending.ts";
import { connect, type Remote } from "../runtime/rpc.ts";
import { joinedBytes } from "../runtime/shared-bytes.ts";
import { startThread, type Thread } from "../runtime/thread.ts";
import {
  type ConvertedResponse,
  type CountRequest,
  countedBody,
  type EmbeddingsRequest,
  type Reading,
  readConverted,
  type WrittenEmbeddings,
  writeEmbeddings,
} from "./converted.ts";
import { roughTokens } from "./count-estimate.ts";
import { type Description, describe } from "./describe.ts";
import { describeOwn } from "./describe-own.ts";
import { type Outbound, type OutboundRequest, writeOutbound } from "./outbound.ts";
import { keepParsed } from "./parsed-bodies.ts";
import { fromPlain } from "./plain-outbound.ts";
import { type WithItems, withItems } from "./references.ts";
import { type ResponseContext, translateWhole, type WholeResponse } from "./response.ts";
import { isParsed, type SameOnlyRequest, sameOnlyBody } from "./same-only.ts";
import type { TranslatorFunctions } from "./translator-worker.ts";

/** Larger bodies are read and written in a separate thread: 1 MB keeps a thread busy for 10 to 100 ms. */
const HERE_BYTES_MAX = 64 * 1_024;
/** Maximum decompressed bytes of a body. */
const DECODED_BYTES_MAX = 256 * 1_024 * 1_024;

interface Running {
  readonly thread: Thread;
  readonly remote: Remote<TranslatorFunctions>;
}

/**
 * Reads and writes the bodies of unified requests and of their complete responses: small ones here, larger ones in a thread
 * that is started on demand, so that they do not delay other streams. Shapes of drop-ins are functions of this thread, and
 * stay here.
 */
export class Translator {
  #running: Running | undefined;
  /** Numbers of large bodies, by which the thread recognizes them. */
  readonly #numbers = new WeakMap<Uint8Array, number>();
  #number = 0;

  /** Decodes a body; undefined if it cannot be decompressed. A large one is in memory that threads share. */
  unpacked({ bytes, coding }: { readonly bytes: Uint8Array; readonly coding: string }): Soon<Uint8Array | undefined> {
    const shared = (all: Uint8Array) => (all.byteLength <= HERE_BYTES_MAX ? all : joinedBytes([all]));
    if (coding === "") return shared(bytes);
    return decodeBody(Buffer.from(bytes), coding, DECODED_BYTES_MAX).then((decoded) =>
      decoded.incomplete ? undefined : shared(decoded.bytes),
    );
  }

  describe(bytes: Uint8Array): Soon<Description | undefined> {
    return this.#run(
      bytes.byteLength,
      () => describe(utf8Of(bytes), (body) => keepParsed(bytes, body)),
      (remote) => remote.describe(bytes, this.#numberOf(bytes)),
    );
  }

  /** @throws GatewayError if the drop-in's shape cannot read the body. */
  describeOwn(bytes: Uint8Array, shape: Shape): Description | undefined {
    return describeOwn(utf8Of(bytes), shape, (body) => keepParsed(bytes, body));
  }

  outbound(request: OutboundRequest): Soon<Outbound> {
    const { body, shapes, turns = "", files } = request;
    const fileBytes = files === undefined ? 0 : bytesOf(files);
    const isForeign = typeof request.from !== "string" || shapes.some(({ shape }) => typeof shape !== "string");
    const bytes = isForeign ? 0 : body.byteLength + turns.length + fileBytes;
    return this.#run(
      bytes,
      () => writeOutbound(request),
      (remote) => {
        const plain = shapes.map((at) => ({ shape: at.shape, ...(at.place !== undefined && { place: at.place }) }));
        const number = this.#numberOf(body);
        return remote.outbound({ ...request, shapes: plain }, number).then((found) => fromPlain(found, request));
      },
    );
  }

  /** A complete response in the client's shape. @param framing - if the provider sent a stream. */
  whole(bytes: Uint8Array, context: ResponseContext, framing: EventFraming | undefined): Soon<WholeResponse> {
    const { shape, prompt, names } = context.outbound;
    const isForeign = typeof context.to !== "string" || SHAPES[shape.name] !== shape;
    return this.#run(
      isForeign ? 0 : bytes.byteLength,
      () => translateWhole(bytes, context, framing),
      (remote) =>
        remote.whole(bytes, { ...context, outbound: { shape: shape.name, prompt, names: names.plain } }, framing),
    );
  }

  embeddings(request: EmbeddingsRequest): Soon<WrittenEmbeddings> {
    return this.#run(
      request.body.byteLength,
      () => writeEmbeddings(request),
      (remote) => remote.embeddings(request, this.#numberOf(request.body)),
    );
  }

  /** Writes the body for an endpoint that no other shape has; undefined if it cannot be read. */
  sameOnly(request: SameOnlyRequest): Soon<Uint8Array | undefined> {
    return this.#run(
      isParsed(request) ? request.body.byteLength : 0,
      () => sameOnlyBody(request),
      (remote) => remote.sameOnly(request),
    );
  }

  /** A body with its references replaced by items. @param recorded - a JSON list of items for each response. */
  withItems(bytes: Uint8Array, recorded: readonly string[]): Soon<WithItems> {
    return this.#run(
      bytes.byteLength + recorded.reduce((sum, { length }) => sum + length, 0),
      () => withItems(bytes, recorded),
      (remote) => remote.withItems(bytes, recorded),
    );
  }

  /** Converts a generation request's body to one for the provider's token count. */
  counted(bytes: Uint8Array, request: CountRequest): Soon<Uint8Array | undefined> {
    return this.#run(
      bytes.byteLength,
      () => countedBody(bytes, request),
      (remote) => remote.counted(bytes, request),
    );
  }

  /** Converts the response to a count or to embeddings to the client's form. @param headers - raw pairs. */
  converted(bytes: Uint8Array, headers: readonly string[], reading: Reading): Soon<ConvertedResponse | undefined> {
    return this.#run(
      bytes.byteLength,
      () => readConverted(bytes, headers, reading),
      (remote) => remote.converted(bytes, headers, reading),
    );
  }

  /** Estimates the input tokens of a body if the provider has no count. The tokenizer is in the thread. */
  async count(bytes: Uint8Array): Promise<number> {
    return this.#ask((remote) => remote.count(bytes)).catch(() => roughTokens(utf8Of(bytes)));
  }

  async close(): Promise<void> {
    await this.#running?.thread.terminate();
  }

  #numberOf(body: Uint8Array): number {
    const number = this.#numbers.get(body) ?? this.#number++;
    this.#numbers.set(body, number);
    return number;
  }

  /** Runs here or in the thread, by the size of the body. If the thread is gone it runs here: slow is better than failed. */
  #run<T>(bytes: number, here: () => T, there: (remote: Remote<TranslatorFunctions>) => Promise<T>): Soon<T> {
    return bytes <= HERE_BYTES_MAX ? here() : this.#ask(there).catch(here);
  }

  /** Rejects if the thread is gone. */
  async #ask<T>(ask: (remote: Remote<TranslatorFunctions>) => Promise<T>): Promise<T> {
    this.#running ??= this.#start();
    return ask(this.#running.remote);
  }

  #start(): Running {
    const thread = startThread("src/unified/translator-worker.ts", null);
    const remote = connect<TranslatorFunctions>(thread.port);
    void thread.ended.then(() => {
      this.#running = undefined;
      remote.abandon("the thread has ended");
    });
    return { thread, remote };
  }
}

const bytesOf = (files: FetchedFiles) =>
  Object.values(files).reduce((sum, file) => sum + ("bytes" in file ? file.bytes.length : 0), 0);
