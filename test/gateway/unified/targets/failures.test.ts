import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { startNameServer } from "../../../name-server.ts";
import { route, target } from "../../../routing/things.ts";
import { at, chatResponse, events, json, KEY, type Respond, standIn, startUnified } from "../house.ts";

const chunk = (delta: object, finish_reason: string | null = null) => ({
  data: {
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "g",
    choices: [{ index: 0, delta, finish_reason }],
  },
});

/** Asks as an OpenAI client would: chat, whole or streamed. */
async function ask(origin: string, model: string, more: object = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "x" }], ...more }),
  });
  const text = await response.text().catch((error: unknown) => `cut off: ${String(error)}`);
  return { status: response.status, headers: response.headers, text };
}

const status =
  (code: number, headers: Record<string, string> = {}): Respond =>
  () =>
    json({ error: { message: `status ${code}`, type: "x" } }, code, headers);
const sse =
  (text: string): Respond =>
  () =>
    new Response(text, { headers: { "content-type": "text/event-stream" } });
const line = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

interface Kind {
  readonly what: string;
  /** How it fails; both stand-ins do the same. */
  readonly respond: Respond;
  readonly stream?: boolean;
  /** What a client sees where there is one target, in the same shape and translated. */
  readonly same: number;
  readonly translated: number;
  /** Whether the next target is called. */
  readonly leads: boolean;
  /** What a failed attempt's record says. */
  readonly recorded: number | readonly [number, number];
}

const malformed: Respond = () => new Response('{"id":"x","choi', { headers: { "content-type": "application/json" } });
const errorInside: Respond = () => json({ type: "error", error: { message: "overloaded", type: "overloaded_error" } });
const errorFirst = sse(
  `event: error\n${line({ type: "error", error: { type: "overloaded_error", message: "busy" } })}`,
);

const STATUSES: readonly Kind[] = [
  [400, 400, false],
  [401, 502, true],
  [402, 402, true],
  [403, 502, true],
  [404, 404, true],
  [408, 408, true],
  [413, 413, false],
  [422, 422, false],
  [429, 429, true],
  [500, 500, true],
  [503, 503, true],
].map(([code, seen, leads]) => ({
  what: `status ${code as number}`,
  respond: status(code as number),
  same: seen as number,
  translated: seen as number,
  leads: leads as boolean,
  recorded: code as number,
}));

const KINDS: readonly Kind[] = [
  ...STATUSES,
  { what: "status 529", respond: status(529), same: 529, translated: 503, leads: true, recorded: 529 },
  { what: "no JSON", respond: malformed, same: 200, translated: 502, leads: true, recorded: 502 },
  { what: "an error inside a 200", respond: errorInside, same: 200, translated: 502, leads: true, recorded: 502 },
  {
    what: "an error in a choice of a 200",
    respond: () =>
      json({ choices: [{ index: 0, message: { content: "" }, error: { code: 502, message: "overloaded" } }] }),
    same: 200,
    translated: 502,
    leads: true,
    recorded: 502,
  },
  {
    what: "an error in the first choice of a stream",
    respond: sse(line({ choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }] })),
    stream: true,
    same: 502,
    // To a reader of Messages it is an event of no meaning, and then an end.
    translated: 200,
    leads: true,
    recorded: 502,
  },
  {
    what: "a stream that begins with an error",
    respond: errorFirst,
    stream: true,
    same: 502,
    translated: 503,
    leads: true,
    recorded: [502, 529],
  },
  {
    what: "a stream that ends before content",
    respond: sse(line(chunk({ role: "assistant", content: "" }).data)),
    stream: true,
    same: 200,
    translated: 200,
    leads: true,
    recorded: 502,
  },
  { what: "an empty stream", respond: sse(""), stream: true, same: 200, translated: 502, leads: true, recorded: 502 },
  {
    what: "a stream of comments",
    respond: sse(": hi\n\n"),
    stream: true,
    same: 200,
    translated: 502,
    leads: true,
    recorded: 502,
  },
];

const works: Respond = (request) =>
  request.json.stream === true
    ? events([chunk({ role: "assistant", content: "" }), chunk({ content: "good" }), chunk({}, "stop"), "[DONE]"])
    : json(chatResponse("good"));

describe.each(KINDS)("$what", (kind) => {
  const body = kind.stream === true ? { stream: true } : {};

  test("one target: the failure is the client's", async () => {
    await using same = standIn(kind.respond);
    await using other = standIn(kind.respond);
    await using gateway = await startUnified({
      credentials: [at("OPENAI", same.origin), at("ANTHROPIC", other.origin)],
    });
    const passed = await ask(gateway.origin, "openai/a", body);
    const translated = await ask(gateway.origin, "anthropic/claude-sonnet-4-5", body);
    expect([passed.status, translated.status]).toEqual([kind.same, kind.translated]);
    expect([same.received.length, other.received.length]).toEqual([1, 1]);
    for (const each of [passed, translated]) {
      expect(each.headers.get("gateway-attempts")).toBe("1");
      await gateway.spool.ended(each.headers.get("gateway-id")!);
    }
    expect(gateway.spool.exchanges.size).toBe(2);
    expect(gateway.spool.problems).toEqual([]);
  });

  test("three targets: the next one responds, and each failure is a record", async () => {
    await using first = standIn(kind.respond);
    await using second = standIn(kind.respond);
    await using third = standIn(works);
    await using gateway = await startUnified({
      credentials: [at("OPENAI", first.origin), at("ANTHROPIC", second.origin), at("GROQ", third.origin)],
    });
    const response = await ask(gateway.origin, "openai/a,anthropic/claude-sonnet-4-5,groq/b", body);
    const id = response.headers.get("gateway-id")!;
    const own = await gateway.spool.ended(id);
    const failed = [...gateway.spool.exchanges.values()].filter(({ begin }) => begin.attemptOf === id);
    if (!kind.leads) {
      expect([response.status, response.headers.get("gateway-attempts"), failed.length]).toEqual([kind.same, "1", 0]);
      expect([second.received.length, third.received.length]).toEqual([0, 0]);
      return;
    }
    expect([response.status, response.headers.get("gateway-attempts")]).toEqual([200, "3"]);
    expect(response.headers.get("gateway-provider")).toBe("GROQ");
    expect(response.text.match(/good/g)).toHaveLength(1);
    expect([first.received.length, second.received.length, third.received.length]).toEqual([1, 1, 1]);
    expect(failed.map(({ begin }) => [begin.attempt, begin.provider])).toEqual([
      [1, "OPENAI"],
      [2, "ANTHROPIC"],
    ]);
    const seen = failed.map(({ head, end }) => end!.status ?? head!.status);
    expect(seen).toEqual(typeof kind.recorded === "number" ? [kind.recorded, kind.recorded] : [...kind.recorded]);
    for (const { responseBody } of failed)
      expect(responseBody.toString()).toBe(await (await kind.respond({} as never, 0)).text());
    expect(own.provider.response).toBeUndefined();
    expect(gateway.spool.problems).toEqual([]);
  });
});

test.each([
  ["a refused connection", { reason: "network", ended: { outcome: "upstream_failed", status: 502 } }],
  ["a timeout", { reason: "timeout", ended: { outcome: "upstream_timeout", status: 504 } }],
])("%s is a record that says how it was routed", async (_name, { reason, ended }) => {
  await using silent = standIn(() => new Promise(() => {}));
  await using second = standIn(works);
  const [first, timeoutSeconds] = reason === "timeout" ? [silent.origin, 0.2] : ["http://127.0.0.1:1", 60];
  await using gateway = await startUnified({
    credentials: [at("OPENAI", first, { name: "team" }), at("GROQ", second.origin)],
    routes: [route("fast", [target("openai/a", { timeoutSeconds }), "groq/b"])],
  });
  const response = await ask(gateway.origin, "fast");
  const id = response.headers.get("gateway-id")!;
  expect((await gateway.spool.ended(id)).head!.routing!.reason).toBe(`fallback from openai/a: ${reason}`);
  const failed = [...gateway.spool.exchanges.values()].find(({ begin }) => begin.attemptOf === id)!;
  expect(failed).toMatchObject({
    begin: { routing: { route: "fast", reason: "order", credential: "team", stored: true, routedModel: "a" } },
    head: undefined,
    end: ended,
  });
});

test("a last failure is recorded with the reason for which its target was chosen", async () => {
  await using provider = standIn(status(503));
  await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin)] });
  const response = await ask(gateway.origin, "openai/a");
  const { head } = await gateway.spool.ended(response.headers.get("gateway-id")!);
  expect(head!.routing!.reason).toBe("order");
});

test.each([
  [{}, 3],
  [{ "Gateway-Retry-Enabled": "false" }, 1],
  [{ "Gateway-Retry-Enabled": "true", "Gateway-Retry-Num": "1", "Gateway-Retry-Min-Timeout": "0" }, 2],
])("a route with two retries, and a request with %p: %p calls", async (headers, calls) => {
  await using provider = standIn(status(503));
  await using gateway = await startUnified({
    credentials: [at("OPENAI", provider.origin)],
    routes: [route("often", ["openai/a"], { retries: 2 })],
  });
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, ...(headers as Record<string, string>) },
    body: JSON.stringify({ model: "often", messages: [{ role: "user", content: "x" }] }),
  });
  expect([response.status, response.headers.get("gateway-attempts")]).toEqual([503, `${calls}`]);
  expect(provider.received).toHaveLength(calls);
});

test("a route whose conditions exclude the request from every target says which", async () => {
  await using provider = standIn(works);
  const when = (needs: string[]) => ({ needs }) as never;
  await using gateway = await startUnified({
    credentials: [at("OPENAI", provider.origin), at("GROQ", provider.origin, { secrets: undefined })],
    routes: [
      route("closed", [
        target("openai/a", { when: when(["tools"]) }),
        target("openai/b", { when: when(["tools"]) }),
        target("openai/c", { when: when(["images"]) }),
      ]),
      route("locked", [target("openai/a", { when: when(["tools"]) }), target("groq/b")]),
    ],
  });
  const closed = await ask(gateway.origin, "closed");
  const { code, message } = JSON.parse(closed.text).error;
  expect([closed.status, code]).toEqual([400, "no_credential"]);
  expect(message).toBe(
    'the conditions of its route exclude this request from every target: needs tools, needs images; add a target without "when"',
  );
  const locked = await ask(gateway.origin, "locked");
  expect([locked.status, JSON.parse(locked.text).error.code]).toEqual([503, "credential_locked"]);
  expect(provider.received).toEqual([]);
});

test("a private credential's name that resolves to a metadata service is not called", async () => {
  await using provider = standIn(works);
  const { port } = new URL(provider.origin);
  using names = await startNameServer((name) => (name === "llm.test" ? ["127.0.0.1"] : ["169.254.169.254"]));
  await using gateway = await startUnified({
    credentials: [at("GROQ", `http://llm.test:${port}`), at("TOGETHER", `http://metadata.test:${port}`)],
    config: { dns_servers: [names.address] },
  });
  // A name inside a private network is open to such a credential.
  expect((await ask(gateway.origin, "groq/m")).status).toBe(200);
  const refused = await ask(gateway.origin, "together/m");
  expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([403, "target_forbidden"]);
  expect(names.queries).toContain("A metadata.test");
});

describe("targets that cannot take a request", () => {
  const pdf = {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "x" },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" } },
        ],
      },
    ],
  };
  const busy = status(429, { "retry-after": "600" });
  const start = async (second: Respond, third: Respond = works) => {
    const stack = new AsyncDisposableStack();
    const [deaf, other, last] = [works, second, third].map((respond) => stack.use(standIn(respond))) as [
      ReturnType<typeof standIn>,
      ReturnType<typeof standIn>,
      ReturnType<typeof standIn>,
    ];
    const credentials = [at("COHERE", deaf.origin), at("GROQ", other.origin), at("TOGETHER", last.origin)];
    const gateway = stack.use(await startUnified({ credentials }));
    return { stack, deaf, other, last, gateway };
  };

  test("if the first cannot take it and all others rest, the one whose rest ends first is called", async () => {
    const { stack, deaf, other, last, gateway } = await start(
      (request, at) => (at === 0 ? busy : works)(request, at),
      busy,
    );
    await using _ = stack;
    for (const model of ["groq/b", "together/b"]) expect((await ask(gateway.origin, model)).status).toBe(429);
    const response = await ask(gateway.origin, "cohere/command-a,groq/b,together/b", pdf);
    expect([response.status, response.headers.get("gateway-provider")]).toEqual([200, "GROQ"]);
    expect([deaf.received.length, other.received.length, last.received.length]).toEqual([0, 2, 1]);
  });

  test.each(["groq/b,cohere/command-a", "cohere/command-a,groq/b"])(
    "%s: if one fails and one cannot take it, the client gets the failure, and it is one record",
    async (model) => {
      const { stack, gateway } = await start(status(503));
      await using _ = stack;
      const response = await ask(gateway.origin, model, pdf);
      expect([response.status, response.headers.get("gateway-attempts")]).toEqual([503, "1"]);
      expect(response.text).toContain("status 503");
      await gateway.spool.ended(response.headers.get("gateway-id")!);
      expect(gateway.spool.exchanges.size).toBe(1);
    },
  );

  test("none can: a refusal with the member's path, and no call", async () => {
    const { stack, deaf, gateway } = await start(works);
    await using _ = stack;
    const response = await ask(gateway.origin, "cohere/command-a,cohere/command-r", pdf);
    expect([response.status, JSON.parse(response.text).error]).toMatchObject([
      400,
      { code: "untranslatable", param: "messages[0].content[1]" },
    ]);
    expect(deaf.received).toEqual([]);
  });

  test("one whose access token is refused is passed over and rests; alone it is a 502", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await using tokens = standIn(status(401));
    await using other = standIn(works);
    const service_account = JSON.stringify({
      client_email: "weir@p-1.iam.test",
      project_id: "p-1",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: `${tokens.origin}/token`,
    });
    const google = at("GOOGLE", other.origin, { name: "vertex", secrets: { service_account } });
    await using gateway = await startUnified({ credentials: [google, at("GROQ", other.origin)] });
    const response = await ask(gateway.origin, "google/gemini-x,groq/b");
    expect([response.status, response.headers.get("gateway-provider"), other.received.length]).toEqual([
      200,
      "GROQ",
      1,
    ]);
    expect(gateway.routeHealth("org-1")).toMatchObject([{ credential: "vertex", lastError: "no access token" }]);
    const alone = await ask(gateway.origin, "google/gemini-x");
    expect([alone.status, JSON.parse(alone.text).error.code]).toEqual([502, "credential_rejected"]);
    await tokens[Symbol.asyncDispose]();
    const unreachable = await ask(gateway.origin, "google/gemini-x");
    expect([unreachable.status, JSON.parse(unreachable.text).error.code]).toEqual([502, "upstream_unreachable"]);
    expect((await ask(gateway.origin, "google/gemini-x,groq/b")).headers.get("gateway-provider")).toBe("GROQ");
  });
});

describe("an error inside a success is shown with the provider's own words, translated", () => {
  const error = { error: { message: "too busy", code: 503 } };
  const zipped = () =>
    new Response(Bun.gzipSync(JSON.stringify(error)), {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
    });
  test.each([
    ["whole", () => json(error), error],
    ["whole, compressed", zipped, error],
    ["in a stream", () => events([{ data: error }]), `data: ${JSON.stringify(error)}\n\n`],
  ])("%s", async (what, respond: () => Response, body) => {
    await using provider = standIn(respond);
    await using gateway = await startUnified({ credentials: [at("MISTRAL", provider.origin)] });
    const response = await fetch(`${gateway.origin}/v1/messages`, {
      method: "POST",
      headers: { Authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        model: "mistral/m",
        max_tokens: 9,
        stream: what === "in a stream",
        messages: [{ role: "user", content: "Hi" }],
      }),
    });
    expect([response.status, (await response.json()).error]).toEqual([
      503,
      expect.objectContaining({ message: "too busy", upstream: { provider: "MISTRAL", status: 200, body } }),
    ]);
  });
});
