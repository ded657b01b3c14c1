import type { Log } from "../../observe.ts";
import { FRAME_HEAD_BYTES, frameBytes, frameKind, isIntact } from "../../spool/codec.ts";
import { FRAME, type Position, type StartMeta } from "../../spool/frame.ts";
import { SpoolReader } from "../../spool/reader.ts";
import type { RecorderMetrics } from "../metrics.ts";
import type { Ledger } from "../write/ledger.ts";
import { Assembler } from "./assemble.ts";
import { CarryFiles } from "./carry.ts";

interface ResumeOptions {
  readonly directory: string;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly metrics: RecorderMetrics;
  readonly bodyBytesMax: number;
}

const START: Position = { segment: 0, offset: 0 };
/** More than any frame that begins a segment. */
const START_FRAME_BYTES = 1_024;

export interface Opened {
  readonly reader: SpoolReader;
  readonly assembler: Assembler;
  readonly carry: CarryFiles;
}

/** Opens the spool where the last commit left it. */
export async function openAssembler(options: ResumeOptions): Promise<Opened> {
  const { directory, ledger, log, metrics, bodyBytesMax } = options;
  const positions = await ledger.positions();
  const from = positions?.resume ?? START;
  const reader = new SpoolReader({
    directory,
    from,
    onTorn: (segment, bytes) => {
      metrics.tornBytes.inc(bytes);
      log.warn("the end of a spool segment was no whole frame and is passed over", { segment, bytes });
    },
  });
  const assembler = new Assembler({
    bodyBytesMax,
    recordedUpTo: positions?.read ?? START,
    unknownUpTo: reader.end(),
    onCollision: (id) => {
      metrics.dropped.inc({ reason: "id_taken" });
      log.error("an exchange has no record", { reason: "id_taken", request_id: id });
    },
  });
  const carry = new CarryFiles(directory);
  carry.load(assembler);
  // The end of a carried exchange may lie in a segment that is deleted already, with its record in the database.
  const ids = [...assembler.inFlight].map(({ id }) => id);
  for (const id of await ledger.finalIds(ids)) assembler.forget(id);
  // In the middle of a segment its first frame, which names the run, has been read before.
  const run = from.offset > 0 ? readRun(reader, from.segment) : undefined;
  if (run !== undefined) assembler.startRun(run, from);
  return { reader, assembler, carry };
}

function readRun(reader: SpoolReader, segment: number): StartMeta | undefined {
  const buffer = Buffer.alloc(START_FRAME_BYTES);
  const limit = reader.readBack(segment, 0, buffer);
  const length = frameBytes(buffer, 0, limit);
  if (length < FRAME_HEAD_BYTES || length > limit || !isIntact(buffer, 0, length)) return undefined;
  if (frameKind(buffer, 0) !== FRAME.start) return undefined;
  return JSON.parse(buffer.toString("utf8", FRAME_HEAD_BYTES, length)) as StartMeta;
}
