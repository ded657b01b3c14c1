import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListedRecord, RecordsToShow } from "../../engine/record-source.ts";
import { shownMembers } from "../../filter/sight.ts";
import type { Json } from "../../plugin-host/contract.ts";
import { assetIds, MADE_FROM, type MadeFrom, madeMembers, promptInputs } from "../../record/request-record.ts";
import { bodyText, bodyTexts, loadMappings, loadShownBodies, READ_BY } from "../../store/bodies/body-text.ts";
import { readBytes, recordBytes } from "../../store/sizes/record-bytes.ts";
import { noteBodyViews } from "../audit/body-views.ts";
import type { ApiContext } from "../context.ts";
import { successText } from "../envelope.ts";
import { logFailure } from "../log-failure.ts";
import { readAhead } from "./read-ahead.ts";
import { streamText } from "./stream-text.ts";

interface Included {
  /** Without bodies and `llmSchema`, only the records are read. */
  readonly includeBody: boolean;
  /** Adds the bodies that the provider received and sent, if they differ from the client's. */
  readonly includeProviderBodies?: boolean;
  readonly includeInputs: boolean;
  /** Adds the size of the bodies in the store. */
  readonly includeStoredBytes?: boolean;
}

interface ResponseOptions extends Included {
  /** Members beside `data`, such as `next_cursor`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How records are read and printed. */
interface Printing extends Included {
  /** Turns a record's path into an absolute address that works without a key. */
  readonly sign: (path: string) => string;
  /** Called before bodies of these requests are shown. */
  readonly onBodies: (requestIds: readonly string[]) => Promise<void>;
}

/** Records read at a time. */
const GROUP_ROWS = 200;
/** Two groups of bodies are in memory at a time, however long the response: the one being sent, and the next. */
const GROUP_BYTES = 4 << 20;
/** Characters per yielded piece: each yield costs as much as the text of half a record. */
const PIECE_CHARS = 32 << 10;

/** The response of every endpoint that lists records: all their fields, in the requested order, inside the envelope. */
export async function respondWithRecords(
  context: ApiContext,
  request: Request,
  query: RecordsToShow,
  { extra, headers = {}, ...included }: ResponseOptions,
): Promise<Response> {
  const sign = await context.signer.forRequest(request);
  const onBodies = (ids: readonly string[]) => noteBodyViews(context, request, query.organizationId, ids);
  async function* text() {
    yield `{"data":[`;
    yield* recordTexts(context, query, { ...included, sign, onBodies });
    yield `],${JSON.stringify({ error: null, ...extra }).slice(1)}`;
  }
  return streamText(text(), headers, (error) => logFailure(context.log, request, error));
}

/** One record as the `data` of the response; undefined if the organization has no such record. */
export async function respondWithRecord(
  context: ApiContext,
  request: Request,
  query: RecordsToShow,
): Promise<Response | undefined> {
  const sign = await context.signer.forRequest(request);
  let text = "";
  const onBodies = (ids: readonly string[]) => noteBodyViews(context, request, query.organizationId, ids);
  const printing = { includeBody: true, includeInputs: true, includeStoredBytes: true, sign, onBodies };
  for await (const piece of recordTexts(context, query, printing)) text += piece;
  return text === "" ? undefined : successText(text);
}

/** Complete records as the API shows them, one at a time, for callers that convert them. */
export async function* readRecords(context: ApiContext, request: Request, query: RecordsToShow): AsyncGenerator<Json> {
  const onBodies = (ids: readonly string[]) => noteBodyViews(context, request, query.organizationId, ids);
  const printing = { includeBody: true, includeInputs: false, sign: (path: string) => path, onBodies };
  for await (const group of wholeTexts(context, query, printing)) for (const text of group) yield JSON.parse(text);
}

/** Records as JSON text, separated by commas, several in a piece. */
async function* recordTexts(context: ApiContext, query: RecordsToShow, printing: Printing): AsyncGenerator<string> {
  let text = "";
  let separator = "";
  const groups = (printing.includeBody && query.sight === "bodies" ? wholeTexts : plainTexts)(context, query, printing);
  for await (const group of groups) {
    for (const record of group) {
      text += separator + record;
      separator = ",";
      if (text.length < PIECE_CHARS) continue;
      yield text;
      text = "";
      // Gives other tasks a turn: a page of long bodies takes seconds.
      await nextTurn();
    }
  }
  yield text;
}

/** Records without bodies, a group at a time, each printed when it is consumed. */
async function* plainTexts(
  context: ApiContext,
  query: RecordsToShow,
  printing: Printing,
): AsyncGenerator<Iterable<string>> {
  const read = async (part: RecordsToShow) => {
    const group = await context.engine.source.listed(part, MADE_FROM);
    return { group, sizes: await sizesOf(context, group, printing) };
  };
  for await (const { group, sizes } of readAhead(parts(query), read)) {
    yield group.values().map((record) => `${membersText(record, { ...printing, sight: query.sight }, sizes)}}`);
  }
}

const PROVIDER_SIDE = ["provider_request", "provider_response"] as const;

/** Records as JSON text, with bodies and `llmSchema`. */
async function* wholeTexts(
  context: ApiContext,
  query: RecordsToShow,
  printing: Printing,
): AsyncGenerator<Iterable<string>> {
  const { records, content } = context.reader;
  const columns = [...MADE_FROM, ...READ_BY, "size_bytes"] as const;
  const hasProviders = printing.includeProviderBodies ?? false;
  const rows = readAhead(parts(query), async (part) => {
    const group = await context.engine.source.listed(part, columns);
    const ids = group.map(({ row }) => row.request_id);
    return { group, bytes: await readBytes(context.reader.bodies, ids) };
  });
  const groups = readAhead(bySize(rows), async (group) => {
    const ids = group.map(({ row }) => row.request_id);
    const bodies = await loadShownBodies(content, ids, hasProviders ? PROVIDER_SIDE : []);
    return { group, bodies, sizes: await sizesOf(context, group, printing) };
  });
  for await (const { group, bodies, sizes } of groups) {
    await printing.onBodies(group.map(({ row }) => row.request_id));
    const mappings = await loadMappings(
      records,
      group.map(({ row }) => row),
      context.gateway.providerMappings,
    );
    yield group.values().map((record) => {
      const own = bodies.get(record.row.request_id) ?? {};
      const { request, response, llmSchema } = bodyTexts(record.row, own, mappings);
      const more = hasProviders ? PROVIDER_SIDE.map((part) => `,"${part}":${bodyText(own, part)}`).join("") : "";
      return `${membersText(record, { ...printing, sight: query.sight }, sizes)},"request_body":${request},"response_body":${response}${more},"llmSchema":${llmSchema}}`;
    });
  }
}

/** Bytes that the bodies take, by request id; empty unless requested. */
async function sizesOf(
  context: ApiContext,
  group: readonly ListedRecord<"request_id">[],
  { includeStoredBytes = false }: Printing,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (!includeStoredBytes) return undefined;
  return recordBytes(
    context.reader.bodies,
    group.map(({ row }) => row.request_id),
  );
}

/** All members except the bodies; the object is left open. */
function membersText(
  { stored, row }: ListedRecord<keyof MadeFrom>,
  { includeInputs, sign, sight }: Pick<Printing, "includeInputs" | "sign"> & Pick<RecordsToShow, "sight">,
  sizes: ReadonlyMap<string, number> | undefined,
): string {
  const path = `/v1/request/${row.request_id}`;
  const made = madeMembers(row, {
    signedBodyUrl: sign(`${path}/body`),
    assetUrls: Object.fromEntries(assetIds(row).map((id) => [id, sign(`${path}/assets/${encodeURIComponent(id)}`)])),
  });
  const members = {
    ...made,
    ...(includeInputs && { prompt_inputs: promptInputs(row) }),
    ...(sizes !== undefined && { stored_bytes: sizes.get(row.request_id) ?? null }),
  };
  const text = JSON.stringify(shownMembers(members, sight));
  return `${stored.slice(0, -1)},${text.slice(1, -1)}`;
}

function* parts(query: RecordsToShow): Generator<RecordsToShow> {
  for (let at = 0; at < query.keys.length; at += GROUP_ROWS) {
    yield { ...query, keys: query.keys.slice(at, at + GROUP_ROWS) };
  }
}

/** Splits groups whose bodies are too large. `bytes` are those of `readBytes`; without them those that were sent count. */
async function* bySize<Each extends ListedRecord<"request_id" | "size_bytes">>(
  groups: AsyncIterable<{ readonly group: readonly Each[]; readonly bytes: ReadonlyMap<string, number> }>,
): AsyncGenerator<Each[]> {
  for await (const { group, bytes } of groups) {
    let part: Each[] = [];
    let size = 0;
    for (const record of group) {
      const { request_id, size_bytes } = record.row;
      part.push(record);
      size += bytes.get(request_id) ?? size_bytes;
      if (size < GROUP_BYTES) continue;
      yield part;
      part = [];
      size = 0;
    }
    if (part.length > 0) yield part;
  }
}
