import { assetIds, promptInputs, type RequestRow, toRecordFields } from "../record/request-record.ts";
import { loadBodies, type RequestBodies } from "../store/bodies.ts";
import { bodyTexts, loadMappings, type Mappings } from "../store/body-text.ts";
import { successText } from "./envelope.ts";
import type { ApiRoom } from "./room.ts";
import { streamText } from "./stream-text.ts";

interface AnswerOptions {
  /** Without bodies and `llmSchema`, nothing but the records is read. */
  readonly includeBody: boolean;
  readonly includeInputs: boolean;
  /** Members beside `data`, such as `next_cursor`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bodies of so many records are in memory at once, however long the answer. */
const GROUP_ROWS = 100;
const GROUP_BYTES = 8 << 20;
/** Characters that are handed on at once: each time costs as much as the text of half a record. */
const PIECE_CHARS = 32 << 10;

/** The answer of every endpoint that lists records: all their fields, in the rows' order, inside the envelope. */
export async function answerRecords(
  room: ApiRoom,
  request: Request,
  rows: readonly RequestRow[],
  options: AnswerOptions,
): Promise<Response> {
  const sign = await room.signer.forRequest(request);
  const extra = JSON.stringify({ error: null, ...options.extra }).slice(1);
  async function* text() {
    yield `{"data":[`;
    yield* recordTexts(room, rows, options, sign);
    yield `],${extra}`;
  }
  return streamText(text(), options.headers);
}

/** One record as the `data` of the answer. */
export async function answerRecord(room: ApiRoom, request: Request, row: RequestRow): Promise<Response> {
  const sign = await room.signer.forRequest(request);
  const options = { includeBody: true, includeInputs: true };
  let text = "";
  for await (const piece of recordTexts(room, [row], options, sign)) text += piece;
  return successText(text);
}

/** Records as JSON text, separated by commas, several in a piece. */
async function* recordTexts(
  room: ApiRoom,
  rows: readonly RequestRow[],
  options: AnswerOptions,
  sign: (path: string) => string,
): AsyncGenerator<string> {
  let text = "";
  let separator = "";
  for (const group of groups(rows)) {
    const ids = group.map(({ request_id }) => request_id);
    const bodies = options.includeBody
      ? await loadBodies(room.reader.bodies, ids, ["request", "response", "headers"])
      : undefined;
    const mappings = await loadMappings(room.reader.records, options.includeBody ? group : []);
    for (const row of group) {
      text += separator + recordText(row, bodies?.get(row.request_id) ?? {}, mappings, options, sign);
      separator = ",";
      if (text.length < PIECE_CHARS) continue;
      yield text;
      text = "";
    }
    // Between groups others get their turn: a page of long bodies takes seconds.
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield text;
}

function recordText(
  row: RequestRow,
  bodies: RequestBodies,
  mappings: Mappings,
  options: AnswerOptions,
  sign: (path: string) => string,
): string {
  const path = `/v1/request/${row.request_id}`;
  const fields = toRecordFields(row, {
    signedBodyUrl: sign(`${path}/body`),
    assetUrls: Object.fromEntries(assetIds(row).map((id) => [id, sign(`${path}/assets/${encodeURIComponent(id)}`)])),
  });
  const text = JSON.stringify(options.includeInputs ? { ...fields, prompt_inputs: promptInputs(row) } : fields);
  if (!options.includeBody) return text;
  const { request, response, llmSchema } = bodyTexts(row, bodies, mappings);
  return `${text.slice(0, -1)},"request_body":${request},"response_body":${response},"llmSchema":${llmSchema}}`;
}

function* groups(rows: readonly RequestRow[]): Generator<RequestRow[]> {
  let group: RequestRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    group.push(row);
    bytes += row.size_bytes;
    if (group.length < GROUP_ROWS && bytes < GROUP_BYTES) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}
