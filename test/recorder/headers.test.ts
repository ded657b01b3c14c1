import { expect, test } from "bun:test";
import fc from "fast-check";
import type {
  BeginMeta,
  HeadMeta,
  ProviderRequestMeta,
  ProviderResponseMeta,
  RawHeaders,
} from "../../src/spool/frame.ts";
import { assertProperty } from "../chance.ts";
import { begin, type Rig, rig } from "./harness.ts";

interface Lists {
  readonly request: RawHeaders;
  readonly response: RawHeaders;
  readonly provider_request?: RawHeaders;
  readonly provider_response?: RawHeaders;
}

/** The members with the list of headers as the last one, as it is written, or before others, as earlier versions wrote it. */
const ordered = <T extends { readonly headers: RawHeaders }>({ headers, ...others }: T, isLast: boolean): T =>
  (isLast ? { ...others, headers } : { headers, ...others }) as T;

/** Writes an exchange with these headers into the spool. @returns its id. */
function write({ spool }: Rig, lists: Lists, isLast: boolean): string {
  const id = crypto.randomUUID();
  const { provider_request: sent, provider_response: came } = lists;
  spool.begin(id, ordered<BeginMeta>(begin({ headers: lists.request }), isLast));
  const request = { time: 2, hasBody: false };
  if (sent !== undefined)
    spool.providerRequest(
      id,
      ordered<ProviderRequestMeta & { headers: RawHeaders }>({ ...request, headers: sent }, isLast),
    );
  const head = { time: 3, status: 200 };
  if (came !== undefined) spool.providerResponse(id, ordered<ProviderResponseMeta>({ ...head, headers: came }, isLast));
  spool.head(id, ordered<HeadMeta>({ ...head, headers: lists.response }, isLast));
  spool.end(id, { time: 4, outcome: "complete", requestBytes: 0, responseBytes: 0 });
  spool.flush();
  return id;
}

const storedOf = async (weir: Rig, id: string) => (await weir.body(id, "headers"))!.content.toString();

/** A list as it is stored: its bytes read as UTF-8. */
const decoded = (list: RawHeaders) => list.map((text) => Buffer.from(text, "latin1").toString());

test("any headers are stored as sent, their bytes read as UTF-8, wherever they are in their frames", async () => {
  const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0x22, 0x5c, 0xc3, 0xa9, 0xe2));
  const text = fc.array(byte, { maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
  const list = fc.array(fc.tuple(text, text), { maxLength: 4 }).map((pairs) => pairs.flat());
  const lists = fc.record(
    { request: list, response: list, provider_request: list, provider_response: list },
    { requiredKeys: ["request", "response"] },
  );
  await using weir = await rig();
  await assertProperty(
    fc.asyncProperty(fc.array(fc.tuple(lists, fc.boolean()), { minLength: 1, maxLength: 20 }), async (written) => {
      const ids = written.map(([each, isLast]) => write(weir, each, isLast));
      await weir.recorder.barrier();
      for (const [at, [each]] of written.entries()) {
        const { request, response, provider_request: sent, provider_response: came } = each;
        const expected = {
          request: decoded(request),
          response: decoded(response),
          ...(sent && { provider_request: decoded(sent) }),
          ...(came && { provider_response: decoded(came) }),
        };
        expect(await storedOf(weir, ids[at]!)).toBe(JSON.stringify(expected));
      }
    }),
    { numRuns: 30 },
  );
});

test.each([true, false])("what is no byte was sent by none, and is stored as it is: last %p", async (isLast) => {
  await using weir = await rig();
  const request = ["a", 'Ģ→"', "b", "\ud800"];
  const id = write(weir, { request, response: [] }, isLast);
  await weir.recorder.barrier();
  expect(await storedOf(weir, id)).toBe(JSON.stringify({ request, response: [] }));
});

test.each([true, false])("a record has the columns, and plugins the headers, of its lists: last %p", async (isLast) => {
  const seen: unknown[] = [];
  const hooks = {
    has: (name: string) => name === "onRecord",
    onRecord: async ({ facts }: { facts: { requestHeaders: Headers; responseHeaders: Headers } }) => {
      seen.push([...facts.requestHeaders], [...facts.responseHeaders]);
      return true;
    },
    onRecorded: () => undefined,
  };
  await using weir = await rig({ hooks: hooks as never });
  const request = ["Referer", 'https://caf\xc3\xa9.example/"', "X-Country-Code", "de", "content-type", "text/plain"];
  const id = write(weir, { request, response: ["Vary", "referer"] }, isLast);
  await weir.recorder.barrier();
  expect(await weir.row(id)).toMatchObject({ request_referrer: 'https://café.example/"', country_code: "DE" });
  const ofRequest = [
    ["content-type", "text/plain"],
    ["referer", 'https://caf\xc3\xa9.example/"'],
    ["x-country-code", "de"],
  ];
  expect(seen).toEqual([ofRequest, [["vary", "referer"]]]);
});
