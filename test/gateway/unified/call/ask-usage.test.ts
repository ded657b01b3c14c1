import { afterAll, beforeAll, expect, test } from "bun:test";
import { at, events, KEY, type Received, standIn, startUnified } from "../house.ts";

/** A limit that counts usage requests it of a chat stream; the client does not see it. */

const chunk = (more: object) => ({
  data: { id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...more },
});
const SAID = [
  chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }] }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
];
const USAGE = chunk({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } });
const bytesOf = (list: readonly { data: object }[]) =>
  [...list.map(({ data }) => JSON.stringify(data)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");

const stack = new AsyncDisposableStack();
let gateway: Awaited<ReturnType<typeof startUnified>>;
let received: Received[];

beforeAll(async () => {
  const provider = stack.use(
    standIn(({ json }) => events([...SAID, ...(json.stream_options?.include_usage ? [USAGE] : []), "[DONE]"])),
  );
  received = provider.received;
  gateway = stack.use(
    await startUnified({
      credentials: [
        at("CUSTOM", provider.origin, { name: "asks", askUsage: true }),
        at("CUSTOM", provider.origin, { name: "counts", limit: "1000000;w=60;u=tokens" }),
        at("CUSTOM", provider.origin, { name: "counts-not", limit: "1000000;w=60;u=tokens", askUsage: false }),
        at("CUSTOM", provider.origin, { name: "plain", limit: "1000000;w=60" }),
        at("MISTRAL", provider.origin, { name: "asks", askUsage: true }),
      ],
    }),
  );
});

afterAll(() => stack.disposeAsync());

async function streamed(credential: string, more: object = {}, provider = "custom") {
  received.length = 0;
  const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ model: `${provider}:${credential}/m`, messages: [], stream: true, ...more }),
  });
  return { text: await response.text(), warning: response.headers.get("gateway-warning"), sent: received[0]!.json };
}

test.each([
  ["asks", {}, { include_usage: true }],
  ["asks", { stream_options: null }, { include_usage: true }],
  ["asks", { stream_options: { include_usage: false, x: 1 } }, { include_usage: true, x: 1 }],
  ["counts", {}, { include_usage: true }],
  ["counts-not", {}, undefined],
  ["plain", {}, undefined],
] as const)("by %s, of a stream with %j: the client gets what it requested", async (name, more, options) => {
  const { text, warning, sent } = await streamed(name, more);
  expect(sent.stream_options).toEqual(options);
  expect([text, warning]).toEqual([bytesOf(SAID), null]);
});

test("a client that requests the usage gets it", async () => {
  const own = { stream_options: { include_usage: true } };
  const { text, sent } = await streamed("asks", own);
  expect([text, sent.stream_options]).toEqual([bytesOf([...SAID, USAGE]), own.stream_options]);
});

// Mistral's 422 for it: https://github.com/avante-corp/avante.nvim/issues/2347.
test.each([{}, { stream_options: { include_usage: true } }, { stream_options: null }])(
  "Mistral refuses the member, and reports usage without it: %j",
  async (more) => {
    const { text, warning, sent } = await streamed("asks", more, "mistral");
    expect(sent).toEqual({ model: "m", messages: [], stream: true });
    expect([text, warning]).toEqual([bytesOf(SAID), null]);
  },
);
