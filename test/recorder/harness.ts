import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../../src/config.ts";
import type { ExchangeInput, ExchangeReading } from "../../src/mapping/read-exchange.ts";
import { createRecorder } from "../../src/recorder/create-recorder.ts";
import type { RecorderOptions } from "../../src/recorder/recorder-options.ts";
import type { BeginMeta, EndMeta, HeadMeta, SpoolWriter } from "../../src/spool/frame.ts";
import type { Spool } from "../../src/spool/writer.ts";
import { loadExcerpts } from "../../src/store/bodies/load-bodies.ts";
import type { BodyPart } from "../../src/store/packs/placed.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, silent, spoolIn } from "../spool/journal.ts";

export { begin, silent, spoolIn } from "../spool/journal.ts";

export function configIn(directory: string, changes: Partial<Config> = {}): Config {
  return { ...(Value.Default(CONFIG_SCHEMA, {}) as Config), data_dir: directory, ...changes };
}

/** Reads chat bodies just well enough for tests of the recorder itself. */
function readChat(input: ExchangeInput): ExchangeReading {
  const whole = input.responseBody ?? { events: input.events?.map(({ data }) => data) };
  const usage = whole?.usage;
  return {
    ...(typeof input.requestBody?.model === "string" && { requestModel: input.requestBody.model }),
    ...(typeof whole?.model === "string" && { responseModel: whole.model }),
    ...(typeof whole?.id === "string" && { id: whole.id }),
    ...(usage && { usage: { prompt_tokens: usage.in, completion_tokens: usage.out }, usageRaw: usage }),
    ...(input.events && { responseBody: whole }),
    ...(typeof input.requestBody?.prompt === "string" && { promptText: input.requestBody.prompt }),
    ...(typeof whole?.text === "string" && { completionText: whole.text }),
    said: { input: input.requestBody?.prompt, newInput: input.requestBody?.prompt, output: whole?.text },
    ...(whole?.model && { wireSchema: "chat-completions" as const }),
  };
}

export function startRecorder(directory: string, changes: Partial<RecorderOptions> = {}) {
  return createRecorder({
    config: configIn(directory),
    log: silent,
    readExchange: readChat,
    provider: () => undefined,
    ...changes,
  });
}

export interface Rig extends AsyncDisposable {
  readonly directory: string;
  readonly spool: Spool;
  readonly recorder: ReturnType<typeof createRecorder>;
  /** A reading connection. */
  readonly store: Store;
  row(id: string): Promise<Row>;
  body(id: string, part: BodyPart): Promise<{ form: string; bytes: number; content: Buffer } | undefined>;
}

export type Row = Record<string, string | number | null>;

/** A spool, a recorder and a reader on a directory of their own. */
export async function rig(changes: Partial<RecorderOptions> & { settings?: Partial<Config> } = {}): Promise<Rig> {
  const directory = temporaryDirectory();
  const { settings, ...options } = changes;
  const config = configIn(directory.path, settings);
  const spool = spoolIn(join(directory.path, "spool"));
  const recorder = startRecorder(directory.path, { config, bodyKey: spool.bodyKey, ...options });
  await recorder.ready();
  const store = await openStore(config, "read");
  return {
    directory: directory.path,
    spool,
    recorder,
    store,
    row: (id) => readRow(store, id),
    body: (id, part) => readPart(store, id, part),
    async [Symbol.asyncDispose]() {
      await spool.close();
      await recorder.stop();
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}

export async function readRow(store: Store, id: string): Promise<Row> {
  const rows = await store.records.query<Row>({ sql: "select * from whole_requests where request_id = ?", args: [id] });
  if (rows.length !== 1) throw new Error(`there are ${rows.length} rows of ${id}`);
  const row = rows[0]!;
  if (row.excerpts_packed === null) return row;
  return { ...row, ...(await loadExcerpts(store.bodies, [id])).get(id) };
}

async function readPart(store: Store, id: string, part: BodyPart) {
  const stored = (await store.content.get([id], [part])).get(id)?.[part];
  return stored && { form: stored.form, bytes: stored.bytes, content: Buffer.from(stored.content) };
}

export interface Passed {
  readonly id?: string;
  readonly begin?: Partial<BeginMeta>;
  readonly request?: string | Uint8Array;
  readonly head?: Partial<HeadMeta>;
  readonly response?: string | Uint8Array | readonly (string | Uint8Array)[];
  readonly end?: Partial<EndMeta>;
}

const JSON_TYPE = ["Content-Type", "application/json"];

/** Lets one exchange pass through the spool, from begin to end, and returns its id. */
export function pass(spool: SpoolWriter, passed: Passed = {}): string {
  const id = passed.id ?? crypto.randomUUID();
  const time = passed.begin?.time ?? Date.now();
  spool.begin(id, begin({ time, headers: JSON_TYPE, ...passed.begin }));
  const request = bytesOf(passed.request ?? '{"model":"m-1"}');
  if (request.byteLength > 0) spool.requestChunk(id, request);
  spool.head(id, { time: time + 20, status: 200, headers: JSON_TYPE, ...passed.head });
  const chunks = [passed.response ?? '{"model":"m-1-long","usage":{"in":3,"out":4}}'].flat().map(bytesOf);
  for (const chunk of chunks) spool.responseChunk(id, chunk);
  const responseBytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const times = { time: time + 100, forwardedAt: time + 5, firstByteAt: time + 25 };
  spool.end(id, { ...times, outcome: "complete", requestBytes: request.byteLength, responseBytes, ...passed.end });
  spool.flush();
  return id;
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}
