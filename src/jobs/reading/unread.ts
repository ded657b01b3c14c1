import { setImmediate as nextTurn } from "node:timers/promises";
import { readExchange } from "../../mapping/read-exchange.ts";
import type { RequestRow } from "../../record/request-record.ts";
import { readBoth } from "../../recorder/prepare/readings.ts";
import { bodyParts, type StoredPart } from "../../recorder/prepare/stored-parts.ts";
import { type TimeLimit, withinLimit } from "../../recorder/prepare/time-limit.ts";
import { loadBodies, type RequestBodies } from "../../store/bodies/bodies.ts";
import type { Store } from "../../store/store.ts";
import type { RecordChange } from "../../threads.ts";
import { RECORDED_PARTS, toRecorded } from "./recorded.ts";
import { changeOf, estimated, inputsOf, type RereadContext } from "./reread.ts";

/** CPU milliseconds for each step of a record: here nothing waits for it but other jobs. */
const STEP_MS = 10_000;
const RECORDS = 20;
const SWITCHED_PROTOCOLS = 101;

interface UnreadOptions extends RereadContext {
  readonly reader: Store;
  readonly rewrite: (changes: readonly RecordChange[]) => Promise<unknown>;
  readonly onProgress?: (progress: UnreadProgress) => void;
  readonly stepMs?: number;
}

export interface UnreadProgress {
  /** Unread records that were looked at. */
  readonly seen: number;
  /** Of these, how many are read now. */
  readonly read: number;
}

/** Reads records again whose bodies could not be read when they came. What still cannot be read stays as it is. */
export async function rereadUnread(options: UnreadOptions): Promise<UnreadProgress> {
  const { reader, rewrite, onProgress } = options;
  let progress: UnreadProgress = { seen: 0, read: 0 };
  for (let after = 0; ; ) {
    const sql = `select * from requests where unread is not null and seq > ? and response_status is not null
      order by seq limit ${RECORDS}`;
    const rows = await reader.records.query<RequestRow>({ sql, args: [after] });
    for (const row of rows) {
      const change = await readAgain(row, options);
      if (change !== undefined) await rewrite([change]);
      progress = { seen: progress.seen + 1, read: progress.read + Number(change !== undefined) };
      onProgress?.(progress);
      after = row.seq;
      await nextTurn();
    }
    if (rows.length < RECORDS) return progress;
  }
}

async function readAgain(row: RequestRow, options: UnreadOptions): Promise<RecordChange | undefined> {
  const found = await loadBodies(options.reader.bodies, [row.request_id], RECORDED_PARTS);
  const bodies = found.get(row.request_id) ?? {};
  try {
    return await withinLimit((within) => read(row, bodies, options, within), options.stepMs ?? STEP_MS);
  } catch {
    return undefined; // its reason stands in the record
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
    return { recorded, inputs, told: readBoth(inputs, readExchange) };
  });
  const { recorded, inputs, told } = first;
  const reading = await estimated(inputs, told);
  return within(row.size_bytes, () => {
    const change = changeOf(recorded, inputs, reading, context);
    const { request, response } = recorded.bodies;
    // What the client wrote is known of a routed request, whatever its body says.
    const asked = row.request_model ?? reading.requestModel ?? null;
    const streamed = recorded.events !== undefined;
    const answer = streamed ? reading.responseBody : recorded.responseBody;
    const messages = row.response_status === SWITCHED_PROTOCOLS ? asBuffer(stored.response?.content) : undefined;
    const { parts, assets } = bodyParts({ request, response }, answer, messages);
    const headers = stored.headers;
    const kept: StoredPart[] = headers
      ? [{ part: "headers", form: "json", bytes: asBuffer(headers.content)!, contentType: null }]
      : [];
    const { responseBody: _, ...rest } = change;
    return {
      ...rest,
      columns: {
        ...change.columns,
        request_model: asked,
        model: row.model_override ?? reading.responseModel ?? row.routed_model ?? asked,
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
