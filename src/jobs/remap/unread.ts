import { setImmediate as nextTurn } from "node:timers/promises";
import { readBoth } from "../../bodies/readings.ts";
import { bodyParts } from "../../bodies/stored-parts.ts";
import type { RecordWalk, WalkPosition } from "../../engine/record-walk.ts";
import type { Log } from "../../log.ts";
import { readExchange } from "../../mapping/read-exchange.ts";
import { type TimeLimit, withinLimit } from "../../plugin-host/hooks/time-limit.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { REREADING, ReadingNote } from "../../spool/reading-note.ts";
import type { RequestBodies } from "../../store/packs/read.ts";
import type { StoredPart } from "../../store/packs/request-content.ts";
import type { Store } from "../../store/store.ts";
import type { RecordChange } from "../../threads.ts";
import { RECORDED_PARTS, toRecorded } from "./recorded.ts";
import { changeOf, estimated, inputsOf, type RereadContext } from "./reread.ts";

/** CPU milliseconds for each step of a record; only other jobs wait here. */
const STEP_MS = 10_000;
const RECORDS = 20;
const SWITCHED_PROTOCOLS = 101;

interface UnreadOptions extends RereadContext {
  /** Directory of the current record's note, as in the recorder. */
  readonly spoolDirectory: string;
  readonly log: Log;
  readonly reader: Store;
  readonly walk: RecordWalk;
  readonly rewrite: (changes: readonly RecordChange[]) => Promise<unknown>;
  readonly stepMs?: number;
}

export interface UnreadProgress {
  /** Number of checked unread records. */
  readonly seen: number;
  /** Number of those that are now readable. */
  readonly read: number;
}

/**
 * Reads unread records again. A record that still cannot be read stays as it is.
 *
 * A record may kill its thread or the process. A file notes it, so that later runs skip it, after the second time at the
 * latest.
 */
export async function rereadUnread(options: UnreadOptions): Promise<UnreadProgress> {
  const note = new ReadingNote(options.spoolDirectory, undefined, REREADING);
  try {
    return await rereadEach(options, note);
  } finally {
    note.close();
  }
}

async function rereadEach(options: UnreadOptions, note: ReadingNote): Promise<UnreadProgress> {
  const { walk, rewrite, log } = options;
  const leftOut: string[] = [];
  let progress: UnreadProgress = { seen: 0, read: 0 };
  for (let after: WalkPosition | undefined; ; ) {
    const rows = await walk.next({ kind: "unread" }, after, RECORDS);
    for (const row of rows) {
      const fault = note.faultOf(row.request_id);
      if (fault !== undefined) {
        leftOut.push(row.request_id);
        log.error("an unread record is skipped: reading it again has failed", {
          request_id: row.request_id,
          ...fault,
        });
      } else note.begin(row.request_id, "read");
      const change = fault === undefined ? await readAgain(row, options) : undefined;
      note.clear();
      if (change !== undefined) await rewrite([change]);
      progress = { seen: progress.seen + 1, read: progress.read + Number(change !== undefined) };
      after = row;
      await nextTurn();
    }
    if (rows.length < RECORDS) {
      // The next order retries them.
      note.settle(leftOut);
      return progress;
    }
  }
}

async function readAgain(row: RequestRow, options: UnreadOptions): Promise<RecordChange | undefined> {
  const found = await options.reader.content.get([row.request_id], RECORDED_PARTS, "sent");
  const bodies = found.get(row.request_id) ?? {};
  try {
    return await withinLimit((within) => read(row, bodies, options, within), options.stepMs ?? STEP_MS);
  } catch {
    return undefined; // the record already has its reason
  }
}

async function read(
  row: RequestRow,
  stored: RequestBodies,
  context: RereadContext,
  within: TimeLimit,
): Promise<RecordChange> {
  const first = within(row.size_bytes, () => {
    const recorded = toRecorded(row, stored);
    const inputs = inputsOf(recorded, context);
    return { recorded, inputs, readings: readBoth(inputs, readExchange) };
  });
  const { recorded, inputs, readings } = first;
  const reading = await estimated(inputs, readings);
  return within(row.size_bytes, () => {
    const change = changeOf(recorded, inputs, reading, context);
    const { request, response } = recorded.bodies;
    // The client's side of a routed request is known without its body.
    const requestModel = row.request_model ?? reading.requestModel ?? null;
    const streamed = recorded.events !== undefined;
    const responseBody = streamed ? reading.responseBody : recorded.responseBody;
    const messages = row.response_status === SWITCHED_PROTOCOLS ? asBuffer(stored.response?.content) : undefined;
    const { parts, assets } = bodyParts({ request, response }, responseBody, messages);
    const headers = stored.headers;
    const kept: StoredPart[] = headers
      ? [{ part: "headers", form: "json", bytes: asBuffer(headers.content)!, contentType: null }]
      : [];
    const { responseBody: _, ...rest } = change;
    return {
      ...rest,
      columns: {
        ...change.columns,
        request_model: requestModel,
        model: row.model_override ?? reading.responseModel ?? row.routed_model ?? requestModel,
        user_id: row.user_id ?? reading.userId ?? null,
        streamed: Number(streamed),
        assets: JSON.stringify(assets.map(({ id }) => id)),
        unread: null,
      },
      stored: { parts: [...kept, ...parts], assets },
    };
  });
}

const asBuffer = (bytes: Uint8Array | undefined) =>
  bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
