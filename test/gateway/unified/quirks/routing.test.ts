import { expect, test } from "bun:test";
import { at, chatResponse, events, json, KEY, messagesEvents, type Respond, standIn, startUnified } from "../house.ts";

function ask(origin: string, model: string, more: object = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "x" }], ...more }),
    ...init,
  });
}

const works: Respond = (request) =>
  request.json.stream === true ? events(messagesEvents("good")) : json(chatResponse("good"));
/** Content, and then no end. */
const cut: Respond = () => events(messagesEvents("half").slice(0, 4));

test("quirk 30: later counts of a stream replace earlier ones", async () => {
  await using provider = standIn(works);
  await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
  const settings = { stream: true, stream_options: { include_usage: true } };
  const text = await (await ask(gateway.origin, "anthropic/claude-sonnet-4-5", settings)).text();
  expect(text).toContain('"completion_tokens":3,');
  expect(text).toContain('"prompt_tokens":5,');
});

test.each([true, false])(
  "quirk 31: a chunk of usage is sent exactly when it is requested (%p)",
  async (include_usage) => {
    await using provider = standIn(works);
    await using gateway = await startUnified({ credentials: [at("ANTHROPIC", provider.origin)] });
    const settings = { stream: true, stream_options: { include_usage } };
    const text = await (await ask(gateway.origin, "anthropic/claude-sonnet-4-5", settings)).text();
    expect(text.match(/"choices":\[\]/g) ?? []).toHaveLength(include_usage ? 1 : 0);
  },
);

test("quirks 33 and 34: a stream that ends after content says so, and no other target is called", async () => {
  await using broken = standIn(cut);
  await using other = standIn(works);
  await using gateway = await startUnified({
    credentials: [at("ANTHROPIC", broken.origin), at("GROQ", other.origin)],
  });
  const response = await ask(gateway.origin, "anthropic/claude-sonnet-4-5,groq/b", { stream: true });
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).toContain('"error"');
  expect(text).not.toContain("[DONE]");
  expect(text).not.toContain('"finish_reason":"stop"');
  expect(other.received).toHaveLength(0);
  await gateway.spool.ended(response.headers.get("gateway-id")!);
  expect(gateway.spool.exchanges.size).toBe(1);
});

test("quirk 48: one model's 429 leaves the credential's other models alone", async () => {
  await using provider = standIn((request) =>
    request.json.model === "busy"
      ? json({ error: { message: "slow down" } }, 429, { "retry-after": "60" })
      : works(request, 0),
  );
  await using other = standIn(works);
  await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin), at("GROQ", other.origin)] });
  for (const model of ["openai/busy,groq/b", "openai/busy,groq/b", "openai/calm,groq/b"])
    expect((await ask(gateway.origin, model)).status).toBe(200);
  expect(provider.received.map(({ json }) => json.model)).toEqual(["busy", "calm"]);
  expect(other.received).toHaveLength(2);
});

test("quirk 49: when all rest, the one whose rest ends first is called", async () => {
  const busy =
    (seconds: string): Respond =>
    () =>
      json({ error: { message: "slow" } }, 429, { "retry-after": seconds });
  await using long = standIn(busy("600"));
  await using short = standIn(busy("300"));
  await using gateway = await startUnified({ credentials: [at("OPENAI", long.origin), at("GROQ", short.origin)] });
  expect((await ask(gateway.origin, "openai/a,groq/b")).status).toBe(429);
  const again = await ask(gateway.origin, "openai/a,groq/b");
  expect([again.status, again.headers.get("gateway-provider")]).toEqual([429, "GROQ"]);
  expect([long.received.length, short.received.length]).toEqual([1, 2]);
});

test("quirk 52: a stored key's 401 is a 502 that names the credential", async () => {
  await using provider = standIn(() => json({ error: { message: "bad key" } }, 401));
  await using gateway = await startUnified({ credentials: [at("OPENAI", provider.origin, { name: "team" })] });
  const response = await ask(gateway.origin, "openai/a");
  expect(response.status).toBe(502);
  expect(await response.text()).toContain('\\"team\\"');
});

test("a client that leaves in the middle of an attempt ends everything: 499, and no other target", async () => {
  const arrived = Promise.withResolvers<void>();
  await using silent = standIn(() => {
    arrived.resolve();
    return new Promise<Response>(() => {});
  });
  await using other = standIn(works);
  await using gateway = await startUnified({ credentials: [at("OPENAI", silent.origin), at("GROQ", other.origin)] });
  const client = new AbortController();
  const left = ask(gateway.origin, "openai/a,groq/b", {}, { signal: client.signal }).catch(() => "left");
  await arrived.promise;
  client.abort();
  expect(await left).toBe("left");
  const recorded = await gateway.spool.endedPath("/v1/chat/completions");
  expect(recorded.end!.status).toBe(499);
  expect(other.received).toHaveLength(0);
  expect(gateway.spool.exchanges.size).toBe(1);
});
