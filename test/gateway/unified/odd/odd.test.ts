import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Answer, Json } from "../../../../src/plugin-host/contract.ts";
import { at, KEY, type Received, standIn, startUnified } from "../house.ts";
import { OUTBOUNDS, type Outbound } from "../matrix/outbounds.ts";
import { ODD_CHAT } from "./requests-chat.ts";
import { ODD_MESSAGES } from "./requests-messages.ts";
import { ODD_RESPONSES } from "./requests-responses.ts";

/**
 * Legal requests that are seldom seen, to every shape. Nothing is lost without a word: each text with `mark` in it reaches the
 * provider, or a warning names its path. What cannot be said is a 400 that names a path of the request.
 */
const CLIENTS = [
  ["chat-completions", "/v1/chat/completions", ODD_CHAT],
  ["messages", "/v1/messages", ODD_MESSAGES],
  ["responses", "/v1/responses", ODD_RESPONSES],
] as const;

/** One place for each shape that providers speak. */
const PLACES = OUTBOUNDS.filter(({ what }) => !/Vertex|Bedrock|Azure|newer/.test(what));

/** What a target has no place for, or needs none, and is no loss. */
const NEEDLESS = [
  /(?:^|\.)(?:format|json_schema)\.name$/,
  /^prompt_cache_key$/,
  // A name of a file is for people. Bedrock's has fewer letters.
  /\.(?:filename|title)$/,
];

const ANSWER: Omit<Answer, "model"> = {
  id: "answer-1",
  choices: [{ parts: [{ type: "text", text: "fine" }], finish: "end" }],
  usage: { prompt_tokens: 11, completion_tokens: 7 },
};

/** The last request of each provider. */
const written = new Map<Outbound, { readonly body: Json; readonly problem: string | undefined }>();

const respond =
  (outbound: Outbound) =>
  ({ path, json: body }: Received): Response => {
    const api = outbound.apis.find(([pattern]) => pattern.test(path))?.[1];
    // Bytes of the client's own are the provider's to judge.
    const problem = api === undefined ? `nothing at ${path}` : isSame ? undefined : api.refuses(body);
    written.set(outbound, { body, problem });
    const response = { ...ANSWER, model: outbound.model };
    if (body.stream !== true && !/stream/i.test(path)) return Response.json(api?.answer(response) ?? {});
    const events = Buffer.concat((api?.events(response) ?? []) as Uint8Array[]);
    return new Response(events, { headers: { "content-type": api?.streamType ?? "" } });
  };

let isSame = false;
const stack = new AsyncDisposableStack();
let gateway: Awaited<ReturnType<typeof startUnified>>;

beforeAll(async () => {
  const credentials = PLACES.map((outbound, row) => {
    const { origin } = stack.use(standIn(respond(outbound)));
    return at(outbound.provider, origin, { ...outbound.credential?.(origin), name: `row-${row}` });
  });
  gateway = stack.use(await startUnified({ credentials }));
});

afterAll(async () => {
  await stack.disposeAsync();
});

describe.each(CLIENTS)("%s", (shape, path, requests) => {
  test.each(Object.entries(requests).map(([what, request], row) => [what, request, row] as const))(
    "%s",
    async (_what, request, row) => {
      for (const [index, outbound] of PLACES.entries()) {
        // Half of them are streamed, another half for the next request.
        const stream = (row + index) % 2 === 0;
        written.delete(outbound);
        isSame = outbound.same.includes(shape);
        const model = `${outbound.provider.toLowerCase()}:row-${index}/${outbound.model}`;
        const response = await fetch(gateway.origin + path, {
          method: "POST",
          body: JSON.stringify({ ...request, model, stream }),
          headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        });
        const text = await response.text();
        const place = `${outbound.what}${stream ? ", streamed" : ""}`;
        const failed = response.ok ? undefined : JSON.parse(text).error;
        if (failed !== undefined) {
          expect([place, failed.code]).toEqual([
            place,
            expect.stringMatching(/^(?:untranslatable|invalid_body|previous_response_not_found)$/),
          ]);
          expect([place, isPathOf(request, failed.param)]).toEqual([place, true]);
          expect(written.has(outbound)).toBe(false);
          continue;
        }
        const { body, problem } = written.get(outbound)!;
        expect([place, problem]).toEqual([place, undefined]);
        expect([place, text]).toEqual([place, expect.stringMatching(/"fine"|"fi"|"fin"/)]);
        expect([place, unsaid(request, body, response.headers.get("gateway-warning") ?? "")]).toEqual([place, []]);
      }
    },
  );
});

/** A member that is missing counts as one: an error may say that it should be there. */
function isPathOf(request: Json, path: unknown): boolean {
  if (typeof path !== "string" || path === "") return false;
  const [first = ""] = path.split(/[.[]/);
  return first in request || ["messages", "input"].includes(first);
}

/** Paths of marked texts that neither reached the provider nor are named by a warning. */
function unsaid(request: Json, body: Json, warning: string): string[] {
  const sent = [JSON.stringify(body), ...filesIn(body)].join("\n");
  const warned = warning.split(", ").flatMap((each) => each.replace(/^\w+ /, "") || []);
  // Of tools the choice may leave all but one.
  const isChosen = "tool_choice" in request;
  return [...leaves(request)].flatMap(([path, value]) => {
    const isNamed = warned.some((each) => path === each || path.startsWith(`${each}.`) || path.startsWith(`${each}[`));
    if (isNamed || NEEDLESS.some((known) => known.test(path))) return [];
    return (isChosen && path.startsWith("tools[0]")) || forms(value).some((form) => sent.includes(form)) ? [] : path;
  });
}

/** Texts that are sent as bytes of a file. */
const filesIn = (body: Json): string[] =>
  [...JSON.stringify(body).matchAll(/[",]([A-Za-z0-9+/]{8,}={0,2})"/g)].map(([, data]) =>
    Buffer.from(data!, "base64").toString("utf8"),
  );

/** How a text may stand in a body: as it is, in JSON, or in JSON within a text. */
function forms(value: string): string[] {
  const inText = (text: string) => JSON.stringify(text).slice(1, -1);
  const trimmed = value.trimEnd();
  const compact = value.startsWith("{") && value.endsWith("}") ? JSON.stringify(JSON.parse(value)) : value;
  return [inText(trimmed), compact, inText(inText(trimmed))];
}

function* leaves(value: Json, path = ""): Generator<readonly [path: string, text: string]> {
  if (typeof value === "string" && value.includes("mark")) yield [path, value];
  else if (Array.isArray(value)) for (const [at, each] of value.entries()) yield* leaves(each, `${path}[${at}]`);
  else if (value !== null && typeof value === "object")
    for (const name of Object.keys(value)) yield* leaves(value[name], path === "" ? name : `${path}.${name}`);
}
