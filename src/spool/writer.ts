import { randomUUID } from "node:crypto";
import { type Log, messageOf } from "../log.ts";
import { BodyEncryption } from "./body-encryption.ts";
import { BodyKey } from "./body-key.ts";
import { CHUNK_BYTES_MAX, encodeFrame, FRAME_HEAD_BYTES, NO_ID, PAYLOAD_BYTES_MAX, putFrame } from "./codec.ts";
import {
  type BeginMeta,
  type EndMeta,
  FRAME,
  type FrameKind,
  type HeadMeta,
  type MessageMeta,
  type Position,
  type ProviderRequestMeta,
  type ProviderResponseMeta,
  type SpoolStats,
  type SpoolWriter,
  type StartMeta,
} from "./frame.ts";
import { Journal } from "./journal.ts";
import { Losses } from "./losses.ts";
import { Syncer } from "./syncer.ts";
import { Tip } from "./tip.ts";

const BUFFER_BYTES = 2 * 1024 * 1024;
const SEGMENT_BYTES = 64 * 1024 * 1024;
const ROOM_MIN = 1024 * 1024 * 1024;
const SYNC_EVERY_MS = 1_000;
const REPAIR_EVERY_MS = 250;

export interface SpoolOptions {
  readonly directory: string;
  /** With "always" the caller awaits `synced`; the spool itself syncs to disk every second in both cases. */
  readonly sync: "second" | "always";
  readonly log: Log;
  /** Size at which the next segment is begun. */
  readonly segmentBytes?: number;
  /** Free bytes of the disk with which segments grow ahead of their frames: see `Journal`. */
  readonly roomMin?: number;
  /** Result of another thread's `share`: this writer then appends to that spool. */
  readonly shared?: SpoolShare;
}

/** What a thread needs to write into another thread's spool, in the same directory. */
export interface SpoolShare {
  readonly run: string;
  readonly bodyKey: Uint8Array;
  readonly tip: SharedArrayBuffer;
  /** Number of this writer within the run; numbers of ended writers are not reused. */
  readonly writer: number;
}

export interface Spool extends SpoolWriter {
  /** The recorder's thread needs it to read the usage in omitted bodies; written nowhere. */
  readonly bodyKey: Uint8Array;
  /** Creates the share for another writer, in another thread. */
  share(): SpoolShare;
  /**
   * Begins the next segment, so that the previous one is deleted once it is recorded completely.
   *
   * @returns the current segment.
   */
  leaveSegment(): number;
  /** Reports that a writer's thread has ended: it will not end its open exchanges. */
  lost(writer: number): void;
}

/** Number of the writer that opens a spool; those that share it get the following numbers. */
const FIRST_WRITER = 1;

/**
 * Opens the journal for appending, in a new segment unless the spool is shared. Does not throw: if the directory cannot be
 * written, the spool is unhealthy and retries four times a second.
 */
export function openSpool(options: SpoolOptions): Spool {
  return new Writer(options);
}

/**
 * Collects frames in one buffer and writes them together: at the end of the event-loop turn, when the buffer is full, and on
 * `flush`. Frames that cannot be written are dropped one by one; `Losses` tracks the affected exchanges.
 */
class Writer implements Spool {
  readonly #log: Log;
  readonly #journal: Journal;
  readonly #syncer: Syncer;
  readonly #losses = new Losses();
  readonly #encryption: BodyEncryption;
  readonly #tip: Tip;
  readonly #run: string;
  /** Undefined for the first writer, whose exchanges do not name it. */
  readonly #writer: number | undefined;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  readonly #secondly: ReturnType<typeof setInterval>;
  #used = 0;
  #scheduled = false;
  readonly #atTurnEnd: (() => void)[] = [];
  #healthy = true;
  #closed = false;
  #unsynced = false;
  #repair: ReturnType<typeof setTimeout> | undefined;
  #framesWritten = 0;
  #bytesWritten = 0;
  #writers = FIRST_WRITER;

  constructor({ directory, log, segmentBytes = SEGMENT_BYTES, roomMin = ROOM_MIN, shared }: SpoolOptions) {
    this.#log = log.with({ component: "spool" });
    this.#run = shared?.run ?? randomUUID();
    this.#encryption = new BodyEncryption(new BodyKey(shared?.bodyKey));
    this.#writer = shared?.writer;
    this.#tip = new Tip(shared?.writer ?? FIRST_WRITER, shared?.tip);
    const firstFrame = (previous: Position | undefined) => {
      const start: StartMeta = { run: this.#run, time: Date.now(), ...(previous && { previous }) };
      return encodeFrame(FRAME.start, NO_ID, Buffer.from(JSON.stringify(start)));
    };
    this.#journal = new Journal(directory, { segmentBytes, roomMin }, firstFrame, this.#tip);
    this.#syncer = new Syncer(this.#journal, (error) => this.#fail(error.message));
    this.#secondly = setInterval(() => this.#everySecond(), SYNC_EVERY_MS);
    this.#secondly.unref();
    if (shared !== undefined) return;
    try {
      this.#journal.openNext();
    } catch (error) {
      this.#fail(messageOf(error));
    }
  }

  get stats(): SpoolStats {
    return {
      framesWritten: this.#framesWritten,
      bytesWritten: this.#bytesWritten,
      exchangesDropped: this.#losses.exchanges,
      healthy: this.#healthy,
      lastError: this.#journal.lastError,
    };
  }

  begin(id: string, meta: BeginMeta): boolean {
    if (!this.#healthy) {
      this.#losses.lose(FRAME.begin, id);
      return false;
    }
    const own = this.#writer === undefined ? meta : { writer: this.#writer, ...meta };
    if (meta.omitRequest || meta.omitResponse) this.#putJson(FRAME.begin, id, this.#encryption.begin(id, own));
    else this.#putJson(FRAME.begin, id, own);
    return true;
  }

  share(): SpoolShare {
    this.#writers += 1;
    return { run: this.#run, bodyKey: this.bodyKey, tip: this.#tip.memory, writer: this.#writers };
  }

  leaveSegment(): number {
    this.flush();
    if (this.#healthy) this.#journal.leaveSegment();
    return this.#tip.segment;
  }

  lost(writer: number): void {
    this.#tip.release(writer);
    const gone: StartMeta = { run: this.#run, time: Date.now(), gone: writer };
    this.#putJson(FRAME.start, NO_ID, gone);
  }

  get bodyKey(): Uint8Array {
    return this.#encryption.key.bytes;
  }

  requestChunk(id: string, bytes: Uint8Array): void {
    this.#putChunk(FRAME.requestChunk, id, this.#encryption.encrypted(id, "request", bytes));
  }

  head(id: string, meta: HeadMeta): void {
    this.#putJson(FRAME.head, id, meta);
  }

  responseChunk(id: string, bytes: Uint8Array): void {
    this.#putChunk(FRAME.responseChunk, id, this.#encryption.encrypted(id, "response", bytes));
  }

  message(id: string, meta: MessageMeta): void {
    this.#putJson(FRAME.message, id, meta);
  }

  providerRequest(id: string, meta: ProviderRequestMeta): void {
    this.#putJson(FRAME.providerRequest, id, meta);
  }

  providerRequestChunk(id: string, bytes: Uint8Array): void {
    this.#putChunk(FRAME.providerRequestChunk, id, bytes);
  }

  providerResponse(id: string, meta: ProviderResponseMeta): void {
    this.#putJson(FRAME.providerResponse, id, meta);
  }

  providerResponseChunk(id: string, bytes: Uint8Array): void {
    this.#putChunk(FRAME.providerResponseChunk, id, this.#encryption.encrypted(id, "provider_response", bytes));
  }

  end(id: string, meta: EndMeta): void {
    this.#encryption.end(id);
    const closing = this.#losses.closing(id, meta);
    if (closing !== undefined) this.#putJson(FRAME.end, id, closing);
  }

  atTurnEnd(work: () => void): void {
    this.#atTurnEnd.push(work);
    this.#schedule();
  }

  flush(): void {
    if (this.#used === 0) return;
    const frames = this.#buffer.subarray(0, this.#used);
    this.#used = 0;
    this.#write(frames);
  }

  synced(): Promise<void> {
    this.flush();
    this.#unsynced = false;
    return this.#syncer.sync();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    clearInterval(this.#secondly);
    clearTimeout(this.#repair);
    if (!this.#healthy) this.#tryRepair();
    clearTimeout(this.#repair);
    await this.synced();
    this.#journal.noteTip();
    this.#closed = true;
    this.#healthy = false;
    this.#journal.close();
  }

  #putChunk(kind: FrameKind, id: string, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES_MAX) {
      const part = bytes.byteLength <= CHUNK_BYTES_MAX ? bytes : bytes.subarray(at, at + CHUNK_BYTES_MAX);
      if (this.#isLost(kind, id)) return;
      this.#put(kind, id, part, part.byteLength);
    }
  }

  #putJson(kind: FrameKind, id: string, meta: object): void {
    if (this.#losses.has(id) && !this.#losses.takes(kind, id)) return;
    const text = JSON.stringify(meta);
    // A UTF-16 unit becomes three bytes at most.
    const bytesMax = text.length * 3;
    if (!this.#healthy) this.#losses.lose(kind, id, text);
    else if (FRAME_HEAD_BYTES + bytesMax > BUFFER_BYTES) this.#putLarge(kind, id, text);
    else this.#put(kind, id, text, bytesMax);
  }

  #putLarge(kind: FrameKind, id: string, text: string): void {
    const payload = Buffer.from(text);
    if (payload.byteLength > PAYLOAD_BYTES_MAX) this.#losses.lose(kind, id);
    else {
      this.flush();
      this.#framesWritten++;
      this.#write(encodeFrame(kind, id, payload));
    }
  }

  #isLost(kind: FrameKind, id: string): boolean {
    if (this.#losses.has(id) && !this.#losses.takes(kind, id)) return true;
    if (this.#healthy) return false;
    this.#losses.lose(kind, id);
    return true;
  }

  /** @param bytesMax - at least the payload's bytes. */
  #put(kind: FrameKind, id: string, payload: Uint8Array | string, bytesMax: number): void {
    if (this.#used + FRAME_HEAD_BYTES + bytesMax > BUFFER_BYTES) this.flush();
    this.#used = putFrame(this.#buffer, this.#used, kind, id, payload);
    this.#framesWritten++;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    try {
      while (this.#atTurnEnd.length > 0) this.#atTurnEnd.shift()!();
    } finally {
      this.#scheduled = false;
      this.flush();
      if (this.#atTurnEnd.length > 0) this.#schedule(); // one before them threw
    }
  };

  #write(frames: Buffer): void {
    if (!this.#healthy) {
      this.#losses.loseAll(frames);
      return;
    }
    const written = this.#journal.append(frames);
    this.#bytesWritten += written;
    this.#unsynced = true;
    if (written === frames.byteLength) return;
    this.#losses.loseAll(frames.subarray(written));
    this.#fail(this.#journal.lastError ?? "a write was cut short");
  }

  #fail(why: string): void {
    if (this.#closed) return;
    this.#journal.lastError = why;
    if (this.#healthy) this.#log.error("spool cannot be written; traffic continues, unrecorded", { error: why });
    this.#healthy = false;
    clearTimeout(this.#repair);
    this.#repair = setTimeout(() => this.#tryRepair(), REPAIR_EVERY_MS);
    this.#repair.unref();
  }

  #tryRepair(): void {
    try {
      this.#journal.repair();
      const owed = this.#losses.owed();
      const written = this.#journal.append(owed);
      this.#bytesWritten += written;
      this.#losses.paid(written);
      if (written < owed.byteLength) throw new Error(this.#journal.lastError ?? "a write was cut short");
    } catch (error) {
      this.#fail(messageOf(error));
      return;
    }
    this.#healthy = true;
    this.#journal.lastError = undefined;
    this.#log.info("spool can be written again", { exchangesDropped: this.#losses.exchanges });
  }

  #everySecond(): void {
    this.flush();
    // The directory may have been deleted under us: the descriptor still works, but the file is gone.
    if (this.#healthy && this.#journal.isUnlinked()) {
      this.#fail("the segment being written was deleted");
      this.#tryRepair();
    }
    if (!this.#unsynced) return;
    this.#unsynced = false;
    this.#journal.noteTip();
    void this.#syncer.sync();
  }
}
