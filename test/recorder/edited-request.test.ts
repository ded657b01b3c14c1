import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Edit, edited } from "../../src/json-text/edits.ts";
import { Assembler } from "../../src/recorder/exchanges/assemble.ts";
import { CarryFiles } from "../../src/recorder/exchanges/carry.ts";
import { encodeFrame } from "../../src/spool/codec.ts";
import { FRAME, type ProviderRequestMeta } from "../../src/spool/frame.ts";
import { HeaderList } from "../../src/spool/header-list.ts";
import { headersBeside } from "../../src/spool/sent-headers.ts";
import { openStore } from "../../src/store/store.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { begin, configIn, type Rig, rig, spoolIn, startRecorder } from "./harness.ts";

// The provider's request as edits of the client's: both are recorded byte for byte.

const JSON_TYPE = ["Content-Type", "application/json"];

interface Passed {
  readonly request: Buffer;
  readonly edits: readonly Edit[];
  readonly headers?: readonly string[];
  /** Bytes of the client's request, if the spool does not have all. */
  readonly of?: number;
  /** Whether the edits are in the head of the response, as the gateway writes them, or in a frame of their own. */
  readonly inHead?: boolean;
  /** The provider's response, if the client got another one. */
  readonly response?: string;
}

function pass(
  { spool }: Pick<Rig, "spool">,
  { request, edits, headers = JSON_TYPE, of, inHead = true, response }: Passed,
): string {
  const id = crypto.randomUUID();
  spool.begin(id, begin({ time: 1, headers: JSON_TYPE }));
  spool.requestChunk(id, request.subarray(0, 5));
  spool.requestChunk(id, request.subarray(5));
  // An earlier try, which the second replaces.
  spool.providerRequest(id, { time: 2, headers: JSON_TYPE, hasBody: true });
  spool.providerRequestChunk(id, Buffer.from("of an earlier try"));
  const edited = { of: of ?? request.length, edits };
  if (!inHead) spool.providerRequest(id, { time: 3, headers, hasBody: false, edited });
  if (response !== undefined) {
    spool.providerResponse(id, { time: 4, status: 200, headers: JSON_TYPE });
    spool.providerResponseChunk(id, Buffer.from(response));
  }
  const sent = inHead ? { sent: { headers: headersBeside(headers, JSON_TYPE, (_name, value) => value), edited } } : {};
  spool.head(id, { time: 5, status: 200, headers: JSON_TYPE, ...sent });
  spool.responseChunk(id, Buffer.from('{"text":"hi"}'));
  const bytes = { requestBytes: request.length, responseBytes: 13 };
  spool.end(id, { time: 6, outcome: "complete", forwardedAt: 1, ...bytes });
  spool.flush();
  return id;
}

const sides = async (weir: Rig, id: string) => [
  (await weir.body(id, "request"))?.content,
  (await weir.body(id, "provider_request"))?.content,
];

const CLIENT = Buffer.from('{"model":"openai/gpt-4o","prompt":"é✓"}');
const MODEL: Edit = { from: 9, to: 24, text: '"gpt-4o"' };
const SENT = '{"model":"gpt-4o","prompt":"é✓"}';

test.each([true, false])("a request whose model was replaced is stored as JSON on both sides: %p", async (inHead) => {
  await using weir = await rig();
  const id = pass(weir, { request: CLIENT, edits: [MODEL], inHead, headers: [...JSON_TYPE, "X-Own", "é"] });
  await weir.recorder.barrier();
  expect((await sides(weir, id)).map(String)).toEqual([CLIENT.toString(), SENT]);
  expect(await weir.body(id, "provider_request")).toMatchObject({ form: "json", bytes: Buffer.byteLength(SENT) });
  expect(await weir.row(id)).toMatchObject({ truncated: 0, request_model: "openai/gpt-4o" });
  expect(JSON.parse((await weir.body(id, "headers"))!.content.toString())).toMatchObject({
    provider_request: [...JSON_TYPE, "X-Own", Buffer.from("é", "latin1").toString("utf8")],
  });
});

test("any request and any edits of it are stored byte for byte", async () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  );
  const any = fc.tuple(text, fc.nat(), fc.nat(), text, fc.boolean()).filter(([request]) => request !== "");
  await using weir = await rig();
  await assertProperty(
    fc.asyncProperty(fc.array(any, { minLength: 1, maxLength: 12 }), async (given) => {
      const passed = given.map(([client, a, b, put, inHead]) => {
        const request = Buffer.from(client);
        const [from, to] = [a, b].map((each) => each % (request.length + 1)).sort((x, y) => x - y);
        const edits = [{ from: from!, to: to!, text: put }];
        return { id: pass(weir, { request, edits, inHead }), request, sent: edited(request, edits) };
      });
      await weir.recorder.barrier();
      for (const { id, request, sent } of passed) {
        const [client, provider] = await weir.store.content
          .get([id], ["request", "provider_request"], "sent")
          .then((found) => [found.get(id)!.request!.content, found.get(id)!.provider_request!.content]);
        expect(Buffer.compare(client!, request)).toBe(0);
        expect(Buffer.compare(provider!, sent)).toBe(0);
      }
    }),
    { numRuns: 15 },
  );
});

test("what the provider got is read where its own response is recorded", async () => {
  const models: unknown[] = [];
  await using weir = await rig({
    readExchange: ({ requestBody }) => {
      models.push(requestBody.model);
      return {};
    },
  });
  pass(weir, { request: CLIENT, edits: [MODEL], response: '{"text":"from the provider"}' });
  await weir.recorder.barrier();
  expect(models).toEqual(["openai/gpt-4o", "gpt-4o"]);
});

test("a form and a body with another type are read from their bytes", async () => {
  await using weir = await rig();
  const form = Buffer.from("model=openai%2Fa&x=1");
  const ids = [
    pass(weir, { request: form, edits: [{ from: 6, to: 16, text: "a" }] }),
    pass(weir, { request: CLIENT, edits: [MODEL], headers: ["Content-Type", "image/png"] }),
  ];
  await weir.recorder.barrier();
  expect(await weir.body(ids[0]!, "provider_request")).toMatchObject({ form: "text", bytes: 11 });
  expect(await weir.body(ids[1]!, "provider_request")).toMatchObject({ form: "binary" });
  expect((await sides(weir, ids[1]!))[1]!.toString()).toBe(SENT);
});

test("edits are not applied to a request of which the spool has only a part", async () => {
  await using weir = await rig();
  const id = pass(weir, { request: CLIENT, edits: [MODEL], of: CLIENT.length + 1 });
  await weir.recorder.barrier();
  expect((await sides(weir, id)).map((each) => each?.toString())).toEqual([CLIENT.toString(), undefined]);
});

test("a request over the limit of the record is cut, and edits are not applied to the rest", async () => {
  await using weir = await rig({ settings: { max_recorded_body_bytes: 10 } });
  const id = pass(weir, { request: CLIENT, edits: [MODEL] });
  await weir.recorder.barrier();
  expect((await sides(weir, id)).map((each) => each?.toString())).toEqual(['{"model":"', undefined]);
  expect(await weir.row(id)).toMatchObject({ truncated: 1 });
});

test("a long request stays in the spool until its end, and is edited then", async () => {
  await using weir = await rig();
  const request = Buffer.from(JSON.stringify({ model: "openai/gpt-4o", prompt: "é".repeat(200_000) }));
  const id = pass(weir, { request, edits: [MODEL] });
  await weir.recorder.barrier();
  const [client, provider] = await sides(weir, id);
  expect(client!.equals(request)).toBe(true);
  expect(provider!.equals(edited(request, [MODEL]))).toBe(true);
});

test.each([true, false])("edits that no writer makes are set aside, the exchange is recorded: %p", async (inHead) => {
  await using weir = await rig();
  const id = pass(weir, { request: CLIENT, edits: [{ from: 20, to: 9, text: "" }], inHead });
  await weir.recorder.barrier();
  expect((await sides(weir, id)).map((each) => each?.toString())).toEqual([CLIENT.toString(), "of an earlier try"]);
});

test("a spool of the earlier form, with the whole request, gives the same record", async () => {
  using directory = temporaryDirectory();
  const spool = spoolIn(`${directory.path}/spool`);
  const id = crypto.randomUUID();
  spool.begin(id, begin({ time: 1, headers: JSON_TYPE }));
  spool.requestChunk(id, CLIENT);
  spool.providerRequest(id, { time: 3, headers: JSON_TYPE, hasBody: true });
  spool.providerRequestChunk(id, Buffer.from(SENT));
  spool.head(id, { time: 5, status: 200, headers: JSON_TYPE });
  spool.end(id, { time: 6, outcome: "complete", requestBytes: CLIENT.length, responseBytes: 0 });
  await spool.close();
  await using weir = await rig();
  const other = pass(weir, { request: CLIENT, edits: [MODEL] });
  await weir.recorder.barrier();
  const recorder = startRecorder(directory.path);
  await recorder.barrier();
  const store = await openStore(configIn(directory.path), "read");
  const old = (await store.content.get([id], ["request", "provider_request"])).get(id)!;
  const now = (await weir.store.content.get([other], ["request", "provider_request"])).get(other)!;
  expect(now).toEqual(old);
  await store.close();
  await recorder.stop();
});

test("a carry file keeps the edits of an exchange in flight", () => {
  using directory = temporaryDirectory();
  const id = crypto.randomUUID();
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  const head: ProviderRequestMeta = {
    time: 2,
    headers: JSON_TYPE,
    hasBody: false,
    edited: { of: CLIENT.length, edits: [MODEL] },
  };
  const frames = [
    encodeFrame(FRAME.begin, id, json(begin({ time: 1 }))),
    encodeFrame(FRAME.requestChunk, id, CLIENT),
    encodeFrame(FRAME.providerRequest, id, json(head)),
  ];
  const segment = Buffer.concat(frames);
  const nowhere = { segment: 0, offset: 0 };
  const options = { recordedUpTo: nowhere, unknownUpTo: nowhere, onCollision: () => undefined };
  const first = new Assembler({ bodyBytesMax: 1_000, ...options });
  let at = 0;
  for (const { byteLength } of frames) {
    first.frame(segment, at, at + byteLength, 1, at);
    at += byteLength;
  }
  const spool = { readBack: (_: number, offset: number, target: Buffer) => segment.copy(target, 0, offset) };
  new CarryFiles(directory.path).write([...first.inFlight], "run", { segment: 2, offset: 0 }, spool);
  const second = new Assembler({ bodyBytesMax: 1_000, ...options });
  const files = new CarryFiles(directory.path);
  files.load(second);
  expect(second.find(id)!.provider?.requestHead).toEqual({ ...head, headers: HeaderList.of(JSON_TYPE) } as never);
  files.close();
});
