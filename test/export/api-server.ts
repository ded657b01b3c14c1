import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chance } from "../chance.ts";
import type { ApiRecord } from "./records.ts";

const RANDOM = chance("faults");

/** A stand-in for a Weir somewhere else: the three endpoints that an export asks, and the ways in which they fail. */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  /** Sorted by the time of creation, then by id. */
  readonly records: readonly ApiRecord[];
  /** The questions so far. */
  readonly calls: { readonly path: string; readonly body: Question; readonly authorization: string | undefined }[];
  insert(records: readonly ApiRecord[]): void;
  remove(keep: (record: ApiRecord) => boolean): void;
}

export const KEY = "sk-weir-us-testkey";

/** What goes wrong with one response. */
export type Fault =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "cut" | "reset" | "slow" | "hole" | "fewer" | "end" | "hang" };

interface Question {
  readonly filter?: Node;
  readonly sort?: { readonly created_at?: "asc" | "desc" };
  readonly limit?: number;
  readonly cursor?: string;
  readonly includeBody?: boolean;
}

type Node =
  | "all"
  | { readonly left: Node; readonly operator: "and" | "or"; readonly right: Node }
  | { readonly request_response_rmt: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

interface ApiServerOptions {
  readonly records: readonly ApiRecord[];
  /** Called for every question; number 0 is the first. */
  readonly fault?: (number: number, path: string) => Fault | undefined;
  /** Turns an envelope into the response's text. */
  readonly print?: (envelope: object) => string;
}

export async function startApi(options: ApiServerOptions): Promise<ApiServer> {
  const print = options.print ?? ((envelope) => JSON.stringify(envelope));
  let records = [...options.records].sort(byTime);
  let found = new Map<string, readonly ApiRecord[]>();
  /** The records of a filter: an export asks with the same one for every page. */
  const matching = (filter: Node) => {
    const name = JSON.stringify(filter);
    if (!found.has(name))
      found.set(
        name,
        records.filter((record) => matches(filter, record)),
      );
    return found.get(name) ?? [];
  };
  const calls: ApiServer["calls"] = [];

  const server = createServer(async (request, response) => {
    const body = JSON.parse(await readBody(request)) as Question;
    const path = request.url ?? "";
    const fault = options.fault?.(calls.length, path);
    calls.push({ path, body, authorization: request.headers.authorization });
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return send(response, 401, print(failure(401, "no such key")));
    if (fault?.kind === "status") return send(response, fault.status, fault.body ?? "", fault.headers);
    if (fault?.kind === "text") return send(response, 200, fault.text);
    if (fault?.kind === "reset") return void response.destroy();
    if (fault?.kind === "hang") return;
    const envelope = respond(path, body, records, matching(body.filter ?? "all"));
    if (envelope.error !== null) return send(response, envelope.error, print(envelope));
    if (fault?.kind === "fewer") return send(response, 200, print(halved(envelope)));
    if (fault?.kind === "end") return send(response, 200, print({ ...halved(envelope), next_cursor: null }));
    const text = print(envelope);
    if (fault?.kind === "cut") return cut(response, text);
    if (fault?.kind === "hole") return send(response, 200, withHole(text));
    if (fault?.kind === "slow") return slowly(response, text);
    return send(response, 200, text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get records() {
      return records;
    },
    calls,
    insert(more) {
      found = new Map();
      records = [...records, ...more].sort(byTime);
    },
    remove(keep) {
      found = new Map();
      records = records.filter(keep);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Envelope {
  readonly data: unknown;
  readonly error: number | null;
  readonly next_cursor?: string | null;
}

function respond(
  path: string,
  question: Question,
  records: readonly ApiRecord[],
  matching: readonly ApiRecord[],
): Envelope {
  if (path === "/v1/property/query") {
    const names = new Set(records.flatMap((record) => Object.keys(record.properties)));
    return { data: [...names].map((property) => ({ property })), error: null };
  }
  if (path === "/v1/request/count/query") return { data: matching.length, error: null };
  if (path !== "/v1/request/query-fast") return failure(404, "no such path");

  const limit = question.limit ?? 10;
  if (limit < 0 || limit > 10_000) return failure(400, "limit is 0 to 10,000");
  const ordered = question.sort?.created_at === "asc" ? matching : matching.toReversed();
  const binding = createHash("sha256")
    .update(JSON.stringify([question.filter, question.sort]))
    .digest("hex")
    .slice(0, 8);
  const from = question.cursor === undefined ? 0 : behind(ordered, question, binding);
  if (from === undefined) return failure(400, "the cursor belongs to another filter or sort");
  const page = ordered.slice(from, from + limit);
  const last = page.at(-1);
  const more = last !== undefined && from + page.length < ordered.length;
  const cursor = more ? btoa(JSON.stringify([binding, last.request_created_at, last.request_id])) : null;
  return { data: page.map((record) => row(record, question.includeBody ?? true)), error: null, next_cursor: cursor };
}

/** Index of the first record behind the cursor's, whether that one still exists or not. */
function behind(ordered: readonly ApiRecord[], question: Question, binding: string): number | undefined {
  const [bound, request_created_at, request_id] = readCursor(question.cursor ?? "");
  if (bound !== binding) return undefined;
  const sign = question.sort?.created_at === "asc" ? 1 : -1;
  const at = ordered.findIndex((record) => sign * byTime(record, { request_created_at, request_id }) > 0);
  return at === -1 ? ordered.length : at;
}

function readCursor(cursor: string): [string, string, string] {
  try {
    return JSON.parse(atob(cursor));
  } catch {
    return ["no cursor of ours", "", ""];
  }
}

function matches(node: Node, record: ApiRecord): boolean {
  if (node === "all") return true;
  if ("operator" in node) {
    const [left, right] = [matches(node.left, record), matches(node.right, record)];
    return node.operator === "and" ? left && right : left || right;
  }
  return Object.entries(node.request_response_rmt).every(([field, condition]) => {
    if (field === "properties") {
      return Object.entries(condition).every(
        ([name, test]) => record.properties[name] === (test as { equals: string }).equals,
      );
    }
    const value = String(record[field]);
    return Object.entries(condition).every(([operator, bound]) => {
      const wanted = String(bound);
      if (operator === "equals") return value === wanted;
      if (operator === "gte") return value >= wanted;
      if (operator === "lte") return value <= wanted;
      return operator === "lt" && value < wanted;
    });
  });
}

function row(record: ApiRecord, includeBody: boolean): object {
  if (includeBody) return record;
  const { request_body, response_body, llmSchema, ...rest } = record;
  return rest;
}

function byTime(
  a: Pick<ApiRecord, "request_created_at" | "request_id">,
  b: Pick<ApiRecord, "request_created_at" | "request_id">,
): number {
  if (a.request_created_at !== b.request_created_at) return a.request_created_at < b.request_created_at ? -1 : 1;
  return a.request_id < b.request_id ? -1 : a.request_id > b.request_id ? 1 : 0;
}

function failure(status: number, message: string): Envelope & { readonly message: string } {
  return { data: [], error: status, message };
}

function halved(envelope: Envelope): Envelope {
  const { data } = envelope;
  return { ...envelope, data: Array.isArray(data) ? data.slice(0, Math.floor(data.length * RANDOM.number())) : data };
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

/** Its beginning and its end, with the cursor, are there, and what is between cannot be JSON. */
function withHole(text: string): string {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}\u0001${text.slice(at + 100)}`;
}

/** Promises all bytes, sends a part of them and breaks off. */
function cut(response: ServerResponse, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  response.write(bytes.subarray(0, Math.floor(bytes.length * RANDOM.number())), () => response.destroy());
}

function slowly(response: ServerResponse, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(200, { "content-type": "application/json" });
  const steps = 8;
  const next = (step: number) => {
    if (step === steps) return void response.end();
    const part = bytes.subarray((bytes.length * step) / steps, (bytes.length * (step + 1)) / steps);
    response.write(part, () => setTimeout(next, 2, step + 1));
  };
  next(0);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
