import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type EndMeta, FRAME, type HeadMeta, type MessageMeta, type SpoolWriter } from "../../src/spool/frame.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, readAll, spoolIn } from "../spool/journal.ts";
import { MemorySpool } from "./harness.ts";

// What the tests of the gateway write into, and what the service writes into, must take the same calls alike.

/** What is known of one exchange after the calls; a missing one was not recorded. */
interface Kept {
  readonly path: string;
  request: string;
  head: HeadMeta | undefined;
  response: string;
  readonly messages: MessageMeta[];
  end: EndMeta | undefined;
}

interface Subject {
  readonly spool: SpoolWriter;
  /** By id, in the order of their begins: all that a crash at this moment would leave. */
  kept(): ReadonlyMap<string, Kept>;
  [Symbol.asyncDispose](): Promise<void>;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const SUBJECTS: Readonly<Record<string, (full?: boolean) => Subject>> = {
  "the memory spool": (full = false) => {
    const spool = new MemorySpool();
    spool.full = full;
    return {
      spool,
      kept: () =>
        new Map(
          [...spool.exchanges.values()].map(({ id, begin, requestBody, head, responseBody, messages, end }) => [
            id,
            { path: begin.path, request: hex(requestBody), head, response: hex(responseBody), messages, end },
          ]),
        ),
      [Symbol.asyncDispose]: () => spool.close(),
    };
  },
  "the writer": (full = false) => {
    const directory = temporaryDirectory();
    const path = join(directory.path, "spool");
    if (full) writeFileSync(path, "where the folder of segments should be");
    const spool = spoolIn(path);
    return {
      spool,
      kept: () => fold(path),
      async [Symbol.asyncDispose]() {
        await spool.close();
        directory[Symbol.dispose]();
      },
    };
  },
};

function fold(directory: string): ReadonlyMap<string, Kept> {
  const found = new Map<string, Kept>();
  for (const { kind, id, payload } of readAll(directory)) {
    const meta = () => JSON.parse(payload.toString());
    const one = found.get(id);
    if (kind === FRAME.begin)
      found.set(id, { path: meta().path, request: "", head: undefined, response: "", messages: [], end: undefined });
    else if (one === undefined) throw new Error(`a frame of kind ${kind} without begin: ${id}`);
    else if (kind === FRAME.requestChunk) one.request += hex(payload);
    else if (kind === FRAME.head) one.head = meta();
    else if (kind === FRAME.responseChunk) one.response += hex(payload);
    else if (kind === FRAME.message) one.messages.push(meta());
    else if (kind === FRAME.end) one.end = meta();
  }
  return found;
}

const [A, B] = ["0190a000-0000-7000-8000-00000000000a", "0190a000-0000-7000-8000-00000000000b"] as const;
const HEAD = { time: 1, status: 200, headers: ["X-É", "ü"] } satisfies HeadMeta;
const END = { time: 2, outcome: "complete", requestBytes: 3, responseBytes: 4 } satisfies EndMeta;
const message = (text: string) => ({ time: 1, direction: "client", text }) satisfies MessageMeta;
const bytes = (text: string) => new TextEncoder().encode(text);

/** Calls, and what must be kept of them, by id. */
const CASES: readonly (readonly [string, (spool: SpoolWriter) => void, Readonly<Record<string, Partial<Kept>>>])[] = [
  ["nothing", () => undefined, {}],
  ["a begin alone", (spool) => void spool.begin(A, begin()), { [A]: { request: "", head: undefined, end: undefined } }],
  [
    "a whole exchange",
    (spool) => {
      expect(spool.begin(A, begin({ path: "/a" }))).toBe(true);
      spool.requestChunk(A, bytes("ask"));
      spool.head(A, HEAD);
      spool.responseChunk(A, bytes("answer"));
      spool.end(A, END);
    },
    { [A]: { path: "/a", request: hex(bytes("ask")), head: HEAD, response: hex(bytes("answer")), end: END } },
  ],
  [
    "chunks, some of them empty, that follow each other",
    (spool) => {
      spool.begin(A, begin());
      for (const text of ["a", "", "bc"]) spool.requestChunk(A, bytes(text));
      for (const text of ["", "d", "ef"]) spool.responseChunk(A, bytes(text));
    },
    { [A]: { request: hex(bytes("abc")), response: hex(bytes("def")) } },
  ],
  [
    "a chunk whose memory is used again at once",
    (spool) => {
      const buffer = bytes("first");
      spool.begin(A, begin());
      spool.requestChunk(A, buffer);
      spool.responseChunk(A, buffer);
      buffer.fill(0);
    },
    { [A]: { request: hex(bytes("first")), response: hex(bytes("first")) } },
  ],
  [
    "members that change after the call",
    (spool) => {
      const meta = { ...begin(), path: "/then" };
      const head = { time: 1, status: 200, headers: ["a", "b"] };
      spool.begin(A, meta);
      spool.head(A, head);
      meta.path = "/now";
      head.status = 500;
      head.headers.push("c", "d");
    },
    { [A]: { path: "/then", head: { time: 1, status: 200, headers: ["a", "b"] } } },
  ],
  [
    "messages of both sides, in order",
    (spool) => {
      spool.begin(A, begin());
      spool.message(A, message("€"));
      spool.message(A, { ...message("two"), direction: "provider" });
    },
    { [A]: { messages: [message("€"), { ...message("two"), direction: "provider" }] } },
  ],
  [
    "exchanges that interleave",
    (spool) => {
      spool.begin(A, begin({ path: "/a" }));
      spool.begin(B, begin({ path: "/b" }));
      spool.responseChunk(B, bytes("b"));
      spool.responseChunk(A, bytes("a"));
      spool.end(B, END);
    },
    { [A]: { path: "/a", response: hex(bytes("a")), end: undefined }, [B]: { response: hex(bytes("b")), end: END } },
  ],
  [
    "an id in capitals, which is the same id",
    (spool) => {
      spool.begin(A.toUpperCase(), begin());
      spool.responseChunk(A, bytes("x"));
      spool.end(A.toUpperCase(), END);
    },
    { [A]: { response: hex(bytes("x")), end: END } },
  ],
  [
    "a chunk longer than a frame",
    (spool) => {
      spool.begin(A, begin());
      spool.responseChunk(A, new Uint8Array(3_000_000).fill(7));
    },
    { [A]: { response: "07".repeat(3_000_000) } },
  ],
];

describe.each(Object.keys(SUBJECTS))("%s", (name) => {
  test.each(CASES)("keeps %s", async (_name, calls, expected) => {
    await using subject = SUBJECTS[name]!();
    calls(subject.spool);
    subject.spool.flush();
    const kept = subject.kept();
    expect([...kept.keys()]).toEqual(Object.keys(expected));
    for (const [id, members] of Object.entries(expected)) expect(kept.get(id)).toMatchObject(members);
  });

  test("has everything on the disk once it is synced", async () => {
    await using subject = SUBJECTS[name]!();
    subject.spool.begin(A, begin());
    await subject.spool.synced();
    expect([...subject.kept().keys()]).toEqual([A]);
  });

  test("that is full takes no exchange, and no call about it throws", async () => {
    await using subject = SUBJECTS[name]!(true);
    const { spool } = subject;
    expect(spool.begin(A, begin())).toBe(false);
    spool.requestChunk(A, bytes("x"));
    spool.head(A, HEAD);
    spool.responseChunk(A, bytes("x"));
    spool.message(A, message("x"));
    spool.end(A, END);
    spool.flush();
  });
});

test("any calls in their order leave the same in both", async () => {
  const call = fc.tuple(
    fc.constantFrom("requestChunk", "responseChunk", "head", "message", "end", "flush"),
    fc.constantFrom(A, B),
    fc.uint8Array({ maxLength: 40 }),
  );
  await assertProperty(
    fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
      const kept: unknown[] = [];
      for (const open of Object.values(SUBJECTS)) {
        await using subject = open();
        const { spool } = subject;
        const ended = new Set<string>();
        for (const id of [A, B]) spool.begin(id, begin());
        for (const [kind, id, data] of calls) {
          if (ended.has(id)) continue;
          if (kind === "requestChunk" || kind === "responseChunk") spool[kind](id, data);
          else if (kind === "head") spool.head(id, { ...HEAD, status: 200 + data.length });
          else if (kind === "message") spool.message(id, message(hex(data)));
          else if (kind === "flush") spool.flush();
          else spool.end(id, { ...END, responseBytes: data.length });
          if (kind === "end") ended.add(id);
        }
        spool.flush();
        kept.push([...subject.kept()]);
      }
      expect(kept[0]).toEqual(kept[1]);
    }),
    { numRuns: 60 },
  );
});
