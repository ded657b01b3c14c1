import { expect, test } from "bun:test";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Assembler } from "../../src/recorder/exchanges/assemble.ts";
import { CarryFiles } from "../../src/recorder/exchanges/carry.ts";
import type { RecordHooks } from "../../src/recorder/prepare/hooks.ts";
import { encodeFrame } from "../../src/spool/codec.ts";
import { FRAME } from "../../src/spool/frame.ts";
import { HeaderList } from "../../src/spool/header-list.ts";
import { readNote } from "../../src/spool/reading-note.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, pass, type Rig, rig, startRecorder } from "./harness.ts";

const JSON_TYPE = ["Content-Type", "application/json"];

/** An exchange whose provider got and sent something else, with frames of an earlier try that it replaces. */
function passChanged({ spool }: Rig, omit: { omitRequest?: true; omitResponse?: true } = {}, coding?: "gzip"): string {
  const id = crypto.randomUUID();
  const [request, response] = ['{"prompt":"secret"}', '{"text":"hi"}'].map((text) => Buffer.from(text));
  spool.begin(id, begin({ time: 1, headers: JSON_TYPE, ...omit }));
  spool.requestChunk(id, request!);
  if (!omit.omitRequest)
    for (const prompt of ["first", "masked"]) {
      spool.providerRequest(id, { time: 2, headers: JSON_TYPE, hasBody: true });
      spool.providerRequestChunk(id, Buffer.from(JSON.stringify({ prompt })));
    }
  const theirs = Buffer.from('{"text":"from the provider"}');
  const headers = coding === undefined ? JSON_TYPE : [...JSON_TYPE, "Content-Encoding", coding];
  spool.providerResponse(id, { time: 3, status: 200, headers });
  spool.providerResponseChunk(id, coding === undefined ? theirs : gzipSync(theirs));
  spool.head(id, { time: 4, status: 200, headers: JSON_TYPE });
  spool.responseChunk(id, response!);
  spool.end(id, { time: 5, outcome: "complete", requestBytes: 19, responseBytes: 13 });
  spool.flush();
  return id;
}

const textOf = async (weir: Rig, id: string, part: "provider_request" | "provider_response") =>
  (await weir.body(id, part))?.content.toString();

test("what the provider received and sent is stored along with what the client sent and received", async () => {
  await using weir = await rig();
  const id = passChanged(weir);
  await weir.recorder.barrier();
  expect(await textOf(weir, id, "provider_request")).toBe('{"prompt":"masked"}');
  expect(await textOf(weir, id, "provider_response")).toBe('{"text":"from the provider"}');
  expect((await weir.body(id, "request"))?.content.toString()).toBe('{"prompt":"secret"}');
  expect(await weir.row(id)).toMatchObject({ truncated: 0 });
});

test("short exchanges are read together, whether the provider's side differs or not", async () => {
  await using weir = await rig();
  await weir.recorder.stop();
  const ids = [passChanged(weir), passChanged(weir), passChanged(weir)];
  const together: (number | undefined)[] = [];
  const recorder = startRecorder(weir.directory, {
    bodyKey: weir.spool.bodyKey,
    readExchange: () => {
      together.push(readNote(join(weir.directory, "spool"))?.ids.length);
      return {};
    },
  });
  await recorder.barrier();
  expect(new Set(together)).toEqual(new Set([ids.length]));
  for (const id of ids) expect(await textOf(weir, id, "provider_response")).toBe('{"text":"from the provider"}');
  await recorder.stop();
});

test("of short exchanges, those with a compressed body on any side are read as what they say", async () => {
  await using weir = await rig();
  await weir.recorder.stop();
  const ids = [passChanged(weir), passChanged(weir, {}, "gzip"), passChanged(weir)];
  const headers = ["Content-Encoding", "gzip", "Content-Type", "text/plain"];
  const request = pass(weir.spool, { begin: { headers }, request: gzipSync("asked") });
  const response = pass(weir.spool, { head: { headers }, response: gzipSync("said") });
  const recorder = startRecorder(weir.directory, { bodyKey: weir.spool.bodyKey });
  await recorder.barrier();
  expect((await weir.body(request, "request"))?.content.toString()).toBe("asked");
  expect((await weir.body(response, "response"))?.content.toString()).toBe("said");
  for (const id of ids) expect(await textOf(weir, id, "provider_response")).toBe('{"text":"from the provider"}');
  await recorder.stop();
});

test("an omitted body is omitted on the provider's side too, and no file holds it", async () => {
  await using weir = await rig();
  const id = passChanged(weir, { omitRequest: true, omitResponse: true });
  await weir.recorder.barrier();
  expect(await textOf(weir, id, "provider_request")).toBeUndefined();
  expect(await textOf(weir, id, "provider_response")).toBeUndefined();
  for await (const path of new Bun.Glob("**/*").scan({ cwd: weir.directory, absolute: true }))
    expect(await Bun.file(path).text()).not.toContain("from the provider");
});

test("a body over the limit is cut on the provider's side too", async () => {
  await using weir = await rig({ settings: { max_recorded_body_bytes: 10 } });
  const id = passChanged(weir);
  await weir.recorder.barrier();
  expect(await textOf(weir, id, "provider_request")).toBe('{"prompt":');
  expect(await weir.row(id)).toMatchObject({ truncated: 1 });
});

test("a body that a plugin redacts in the record is gone from the provider's side as well", async () => {
  const hooks: RecordHooks = {
    has: () => true,
    async onRecord(draft) {
      draft.request_body = "[redacted]";
      return true;
    },
    onRecorded: () => undefined,
  };
  await using weir = await rig({ hooks });
  const id = passChanged(weir);
  await weir.recorder.barrier();
  expect((await weir.body(id, "request"))?.content.toString()).toBe("[redacted]");
  expect(await textOf(weir, id, "provider_request")).toBeUndefined();
  expect(await textOf(weir, id, "provider_response")).toBe('{"text":"from the provider"}');
});

test("a carry file keeps the provider's side of an exchange in flight", () => {
  using directory = temporaryDirectory();
  const id = crypto.randomUUID();
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  const head = { time: 2, headers: JSON_TYPE, hasBody: true };
  const frames = [
    encodeFrame(FRAME.begin, id, json(begin({ time: 1 }))),
    encodeFrame(FRAME.providerRequest, id, json(head)),
    encodeFrame(FRAME.providerRequestChunk, id, Buffer.from("what was sent")),
    encodeFrame(FRAME.providerResponse, id, json({ time: 3, status: 201, headers: JSON_TYPE })),
    encodeFrame(FRAME.providerResponseChunk, id, Buffer.from("what came back")),
  ];
  const segment = Buffer.concat(frames);
  const options = {
    bodyBytesMax: 1_000,
    recordedUpTo: { segment: 0, offset: 0 },
    unknownUpTo: { segment: 0, offset: 0 },
    onCollision: () => undefined,
  };
  const first = new Assembler(options);
  let at = 0;
  for (const { byteLength } of frames) {
    first.frame(segment, at, at + byteLength, 1, at);
    at += byteLength;
  }
  const spool = {
    readBack: (_segment: number, offset: number, target: Buffer) => segment.copy(target, 0, offset),
  };
  new CarryFiles(directory.path).write([...first.inFlight], "run", { segment: 2, offset: 0 }, spool);
  const second = new Assembler(options);
  const files = new CarryFiles(directory.path);
  files.load(second);
  const { provider } = second.find(id)!;
  expect(provider?.requestHead).toEqual({ ...head, headers: HeaderList.of(JSON_TYPE) });
  expect(provider?.responseHead?.status).toBe(201);
  expect([provider?.request.read(files), provider?.response.read(files)].map(String)).toEqual([
    "what was sent",
    "what came back",
  ]);
  files.close();
});
