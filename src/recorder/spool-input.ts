import { type Log, messageOf } from "../log.ts";
import { FRAME_HEAD_BYTES, frameBytes, frameKind, isIntact } from "../spool/codec.ts";
import { FRAME, type Position, type StartMeta } from "../spool/frame.ts";
import { readStart } from "../spool/read-meta.ts";
import { SpoolReader } from "../spool/reader.ts";
import { listSegments } from "../spool/segments.ts";
import type { Positions } from "../store/spool-positions.ts";
import { Assembler } from "./exchanges/assemble.ts";
import { CarryFiles } from "./exchanges/carry.ts";
import type { RecorderLosses } from "./losses.ts";
import type { RecorderMetrics } from "./metrics.ts";
import { SpoolWatch } from "./spool-watch.ts";
import type { RecordWriter } from "./write/record-writer.ts";

interface SpoolInputOptions {
  readonly directory: string;
  readonly writer: RecordWriter;
  readonly log: Log;
  readonly metrics: RecorderMetrics;
  readonly losses: RecorderLosses;
  readonly bodyBytesMax: number;
}

const READ_BYTES = 2 * 1024 * 1024;
/** A batch is full at this many bytes of bodies, or at the sink's maximum of records. */
const BATCH_BYTES = 16 * 1024 * 1024;
/** Bytes of the spool that are read before the exchanges in flight are checked again. */
const BATCH_READ_BYTES = 64 * 1024 * 1024;
/** Maximum segments that exchanges in flight may keep from deletion. */
const SEGMENTS_BEHIND_MAX = 16;
const START: Position = { segment: 0, offset: 0 };
/** Larger than any first frame of a segment. */
const START_FRAME_BYTES = 1_024;

/** Reads the spool from the last commit on as exchanges: ended ones and those in flight. */
export class SpoolInput {
  readonly assembler: Assembler;
  readonly #directory: string;
  readonly #log: Log;
  readonly #reader: SpoolReader;
  readonly #carry: CarryFiles;
  readonly #recordsMax: number;
  readonly #onFrame: Parameters<SpoolReader["read"]>[0];
  /** Everything before this position was read before this input was opened. */
  readonly readBefore: Position;
  /** Lower segments are deleted. */
  #kept = 0;
  /** The segment at which long exchanges were last searched for. */
  #carriedAt = 0;

  private constructor(options: SpoolInputOptions, from: Position, readBefore: Position, assembler: Assembler) {
    const { directory, log } = options;
    const watch = new SpoolWatch({ ...options, from, assembler });
    const [onDamage, onLeft] = [watch.damage.bind(watch), watch.left.bind(watch)];
    this.#directory = directory;
    this.#log = log;
    this.#reader = new SpoolReader({ directory, from, onDamage, onLeft });
    this.assembler = assembler;
    this.#recordsMax = options.writer.sink.recordsTogether;
    this.readBefore = readBefore;
    this.#onFrame = watch.frame.bind(watch);
    this.#carry = new CarryFiles(directory, watch.carried.bind(watch));
  }

  static async open(options: SpoolInputOptions): Promise<SpoolInput> {
    const positions = within(options, await options.writer.sink.positions());
    const [from, readBefore] = [positions?.resume ?? START, positions?.read ?? START];
    const unknownUpTo = new SpoolReader({ directory: options.directory, from }).end();
    const assembler = openAssembler(options, { recordedUpTo: readBefore, unknownUpTo });
    options.losses.knownUpTo(readBefore);
    const input = new SpoolInput(options, from, readBefore, assembler);
    input.#carry.load(assembler);
    // The end of a carried exchange may be in a deleted segment, with its record in the database.
    const ids = [...assembler.inFlight].map(({ id }) => id);
    for (const id of await options.writer.finalIds(ids)) assembler.forget(id);
    // In the middle of a segment, its first frame, which names the run, has already been read.
    const run = from.offset > 0 ? readRun(input.#reader, from.segment) : undefined;
    if (run !== undefined) assembler.startRun(run, from);
    return input;
  }

  /** Everything before this position has been given to the assembler. */
  get position(): Position {
    return this.#reader.position;
  }

  /** The current end of the spool. */
  end(): Position {
    return this.#reader.end();
  }

  lagBytes(from?: Position): number {
    try {
      return this.#reader.lagBytes(from);
    } catch {
      return 0; // the directory is being deleted meanwhile
    }
  }

  /** Reads until a batch is full. @returns whether the end of the spool was reached. */
  read(): boolean {
    const { assembler } = this;
    let bytes = 0;
    while (assembler.doneCount < this.#recordsMax && assembler.doneBytes < BATCH_BYTES && bytes < BATCH_READ_BYTES) {
      const more = this.#reader.read(this.#onFrame, READ_BYTES);
      if (more === 0) return true;
      bytes += more;
    }
    return false;
  }

  /** Like the reader's `readBack`, also for carried parts. */
  readBack(segment: number, offset: number, target: Buffer): number {
    return (segment >= 0 ? this.#reader : this.#carry).readBack(segment, offset, target);
  }

  /** Releases segments below `resume`, which are in the database, and carries exchanges that keep too many of the others. */
  deleteBelow(resume: number): void {
    if (resume > this.#kept) {
      this.#reader.deleteBelow(resume);
      this.#carry.deleteUnused(this.assembler.inFlight);
    }
    this.#kept = resume;
    if (this.position.segment === this.#carriedAt) return;
    this.#carriedAt = this.position.segment;
    this.#carryLate();
  }

  close(): void {
    this.#reader.close();
    this.#carry.close();
  }

  #carryLate(): void {
    const read = this.position;
    const behind = listSegments(this.#directory).filter((segment) => segment < read.segment);
    const oldest = behind.at(-SEGMENTS_BEHIND_MAX);
    if (oldest === undefined) return;
    const late = [...this.assembler.inFlight].filter(({ needs }) => needs.segment < oldest);
    if (late.length === 0) return;
    try {
      this.#carry.write(late, this.assembler.run ?? "", read, this);
    } catch (error) {
      this.#log.warn("long exchanges keep old spool segments", { exchanges: late.length, error: messageOf(error) });
    }
  }
}

/**
 * Segment numbers come from the clock. If it was set back and the segments were deleted, new segments have lower numbers
 * than the last one read: then everything present is read, and what is already recorded is skipped.
 */
function within({ directory, log }: SpoolInputOptions, positions: Positions | undefined): Positions | undefined {
  const newest = listSegments(directory).at(-1);
  if (newest === undefined || positions === undefined || newest >= positions.resume.segment) return positions;
  log.warn("the spool's segments are older than the one that was read last; all of them are read", {
    newest,
    read: positions.read.segment,
  });
  return undefined;
}

function openAssembler(
  { bodyBytesMax, log, losses, metrics }: SpoolInputOptions,
  known: { readonly recordedUpTo: Position; readonly unknownUpTo: Position },
): Assembler {
  return new Assembler({
    ...known,
    bodyBytesMax,
    onCollision: (id) => {
      metrics.dropped.add(1, { reason: "id_taken" });
      losses.note("unrecorded", "id_taken");
      log.error("an exchange has no record", { reason: "id_taken", request_id: id });
    },
  });
}

function readRun(reader: SpoolReader, segment: number): StartMeta | undefined {
  const buffer = Buffer.alloc(START_FRAME_BYTES);
  const limit = reader.readBack(segment, 0, buffer);
  const length = frameBytes(buffer, 0, limit);
  if (length < FRAME_HEAD_BYTES || length > limit || !isIntact(buffer, 0, length)) return undefined;
  if (frameKind(buffer, 0) !== FRAME.start) return undefined;
  try {
    return readStart(buffer, FRAME_HEAD_BYTES, length);
  } catch {
    return undefined; // it was set aside when it was read
  }
}
