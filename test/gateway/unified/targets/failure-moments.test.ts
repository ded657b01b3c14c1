import { describe, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { createServer, type Socket } from "node:net";
import { route, target } from "../../../routing/things.ts";
import { at, chatResponse, events, json, KEY, type Respond, standIn, startUnified } from "../house.ts";

/** A provider that breaks off where it likes: it speaks over the socket itself. */
async function brokenProvider(speak: (socket: Socket) => void) {
  let calls = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const [head, body] = text.split("\r\n\r\n", 2) as [string, string?];
      if (body === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      text = "";
      calls++;
      speak(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    get calls() {
      return calls;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
    async [Symbol.asyncDispose]() {
      this.close();
    },
  };
}

const head = (type: string, more = "Transfer-Encoding: chunked") =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${more}\r\n\r\n`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const LAST = "0\r\n\r\n";
const sse = head("text/event-stream");
const data = (value: unknown) => chunk(`data: ${JSON.stringify(value)}\n\n`);

/** The same words in each API: chat completions for the target of the client's shape, messages for the other. */
interface Words {
  readonly begin: string;
  readonly content: string;
  readonly error: string;
}
const choice = (delta: object) => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "g",
  choices: [{ index: 0, delta, finish_reason: null }],
});
const CHAT: Words = {
  begin: data(choice({ role: "assistant", content: "" })),
  content: data(choice({ content: "half" })),
  error: data({ error: { message: "overloaded", type: "server_error" } }),
};
const MESSAGES: Words = {
  begin: data({
    type: "message_start",
    message: { id: "m", model: "c", usage: { input_tokens: 1, output_tokens: 1 } },
  }),
  content:
    data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
    data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half" } }),
  error: data({ type: "error", error: { type: "overloaded_error", message: "overloaded" } }),
};

/** What a client sees of one target that fails so. */
interface Seen {
  readonly status: number;
  /** In the body, the code or words of the failure. */
  readonly says?: string;
  /** The connection ends before the response does. */
  readonly cut?: true;
}

interface Moment {
  readonly what: string;
  /** Undefined: nothing listens. */
  readonly speak?: (socket: Socket, words: Words) => void;
  readonly stream?: true;
  /** Seconds of silence within a response that end it. */
  readonly stall?: number;
  readonly same: Seen;
  readonly translated: Seen;
  /** The status of the failed attempt's record; undefined if no other target is called. */
  readonly recorded?: number;
}

const UNREACHABLE = { status: 502, says: "upstream_unreachable" } as const;
const TIMEOUT = { status: 504, says: "upstream_timeout" } as const;
const half = (socket: Socket) => socket.write(`${head("application/json", "Content-Length: 500")}{"id":"x","choi`);

const MOMENTS: readonly Moment[] = [
  { what: "before the head: nobody listens", same: UNREACHABLE, translated: UNREACHABLE, recorded: 502 },
  {
    what: "before the head: the connection is reset",
    speak: (socket) => socket.resetAndDestroy(),
    same: UNREACHABLE,
    translated: UNREACHABLE,
    recorded: 502,
  },
  {
    what: "before the head: the connection is closed",
    speak: (socket) => socket.end(),
    same: UNREACHABLE,
    translated: UNREACHABLE,
    recorded: 502,
  },
  {
    what: "before the head: what comes is no HTTP",
    speak: (socket) => socket.end("good day\r\n\r\n"),
    same: UNREACHABLE,
    translated: UNREACHABLE,
    recorded: 502,
  },
  { what: "before the head: silence", speak: () => {}, same: TIMEOUT, translated: TIMEOUT, recorded: 504 },
  {
    what: "behind the head of a stream: the connection is reset",
    stream: true,
    speak: (socket) => socket.write(sse, () => socket.resetAndDestroy()),
    same: UNREACHABLE,
    translated: UNREACHABLE,
    recorded: 502,
  },
  {
    what: "before content: the connection is reset",
    stream: true,
    speak: (socket, { begin }) => socket.write(sse + begin, () => socket.resetAndDestroy()),
    same: { status: 200, cut: true },
    translated: { status: 200, says: "upstream_unreachable" },
    recorded: 502,
  },
  {
    what: "before content: an error",
    stream: true,
    speak: (socket, { begin, error }) => socket.write(sse + begin + error + LAST),
    same: { status: 502, says: "overloaded" },
    translated: { status: 503, says: "overloaded" },
    recorded: 502,
  },
  {
    what: "before content: silence",
    stream: true,
    // So that the target's limit comes first on a busy machine too.
    stall: 60,
    speak: (socket, { begin }) => socket.write(sse + begin),
    // Nothing is held where no target is left: the head is out, and the target's limit ends the stream.
    same: { status: 200, cut: true },
    translated: { status: 200, says: "upstream_timeout" },
    recorded: 504,
  },
  {
    what: "before content: a clean end",
    stream: true,
    speak: (socket, { begin }) => socket.write(sse + begin + LAST),
    same: { status: 200 },
    translated: { status: 200, says: "upstream_malformed" },
    recorded: 502,
  },
  {
    what: "within a whole response: the connection is reset",
    speak: (socket) => half(socket) && setTimeout(() => socket.resetAndDestroy(), 20),
    same: { status: 200, cut: true },
    translated: UNREACHABLE,
    recorded: 502,
  },
  {
    what: "within a whole response: silence",
    speak: half,
    same: { status: 200, cut: true },
    translated: { status: 504, says: "upstream_stalled" },
    recorded: 504,
  },
  {
    what: "after content: the connection is reset",
    stream: true,
    speak: (socket, { begin, content }) => {
      client.once("content", () => socket.resetAndDestroy());
      socket.write(sse + begin + content);
    },
    same: { status: 200, cut: true },
    translated: { status: 200, says: "upstream_unreachable" },
  },
  {
    what: "after content: an error",
    stream: true,
    speak: (socket, { begin, content, error }) => socket.write(sse + begin + content + error + LAST),
    same: { status: 200, says: "overloaded" },
    translated: { status: 200, says: "overloaded" },
  },
  {
    what: "after content: a clean end",
    stream: true,
    speak: (socket, { begin, content }) => socket.write(sse + begin + content + LAST),
    same: { status: 200 },
    translated: { status: 200, says: "upstream_malformed" },
  },
  {
    what: "after content: silence",
    stream: true,
    speak: (socket, { begin, content }) => socket.write(sse + begin + content),
    same: { status: 200, cut: true },
    translated: { status: 200, says: "upstream_stalled" },
  },
];

const works: Respond = (request) =>
  request.json.stream === true
    ? events([{ data: choice({ role: "assistant", content: "" }) }, { data: choice({ content: "good" }) }, "[DONE]"])
    : json(chatResponse("good"));

/** Says "content" when the client has some: a reset before it would take it along. */
const client = new EventEmitter();

async function ask(origin: string, model: string, stream: boolean) {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "x" }] }),
  });
  let text = "";
  let cut = false;
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes, { stream: true });
      if (text.includes("half")) client.emit("content");
    }
  } catch {
    cut = true;
  }
  return {
    status: response.status,
    attempts: response.headers.get("gateway-attempts"),
    id: response.headers.get("gateway-id")!,
    text,
    cut,
  };
}

describe.each(MOMENTS.map((moment) => [moment.what, moment] as const))("%s", (_what, moment) => {
  const silent = moment.what.endsWith("silence");

  /** Two providers that fail so, one that works, and routes over them. */
  async function start() {
    const stack = new AsyncDisposableStack();
    const same = stack.use(await brokenProvider((socket) => moment.speak?.(socket, CHAT)));
    const other = stack.use(await brokenProvider((socket) => moment.speak?.(socket, MESSAGES)));
    if (moment.speak === undefined) for (const each of [same, other]) each.close();
    const third = stack.use(standIn(works));
    // Where nothing waits for it, no busy machine reaches it.
    const limit = { timeoutSeconds: silent ? 1 : 60 };
    const first = target("openai/a", limit);
    const second = target("anthropic/claude-sonnet-4-5", limit);
    const last = target("groq/b");
    const gateway = stack.use(
      await startUnified({
        credentials: [at("OPENAI", same.origin), at("ANTHROPIC", other.origin), at("GROQ", third.origin)],
        routes: [
          route("same", [first]),
          route("translated", [second]),
          route("same-first", [first, second, last]),
          route("translated-first", [second, first, last]),
        ],
        config: { unified_stall_seconds: moment.stall ?? limit.timeoutSeconds },
      }),
    );
    return { stack, same, other, third, gateway };
  }

  // Silence ends after a second: these wait together.
  const play = silent ? test.concurrent : test;

  play("one target: the failure is the client's, and one record", async () => {
    const { stack, gateway } = await start();
    await using _ = stack;
    const results = await Promise.all(
      (["same", "translated"] as const).map(
        async (name) => [name, await ask(gateway.origin, name, moment.stream ?? false)] as const,
      ),
    );
    for (const [name, { status, cut, text, id }] of results) {
      const wanted: Seen = moment[name];
      expect([name, status, cut]).toEqual([name, wanted.status, wanted.cut ?? false]);
      if (wanted.says !== undefined) expect(text).toContain(wanted.says);
      expect(text.match(/half/g)?.length ?? 0).toBeLessThanOrEqual(1);
      expect(text.match(/"error"/g)?.length ?? 0).toBeLessThanOrEqual(1);
      if (name === "translated") expect(text).not.toContain("[DONE]");
      const { end } = await gateway.spool.ended(id);
      // What Weir says of the provider's end is what the record says, whether the client's connection is cut or its stream ends.
      const own = /"code":"(upstream_\w+)"/.exec(text)?.[1];
      if (own === undefined && !cut) continue;
      expect(end!.outcome).toMatch(/^upstream_(?:failed|timeout)$/);
      expect([502, 504]).toContain(end!.status!);
      if (own !== undefined) expect(end!.error!.code).toBe(own);
    }
    expect(gateway.spool.exchanges.size).toBe(2);
    expect(gateway.spool.problems).toEqual([]);
  });

  play.each(["same-first", "translated-first"])(
    "three targets, %s: another one is called before content, none after it",
    async (name) => {
      const { stack, gateway, same, other, third } = await start();
      await using _ = stack;
      const response = await ask(gateway.origin, name, moment.stream ?? false);
      await gateway.spool.ended(response.id);
      const failed = [...gateway.spool.exchanges.values()].filter(({ begin }) => begin.attemptOf === response.id);
      const { recorded } = moment;
      expect([response.status, gateway.spool.problems]).toEqual([200, []]);
      if (recorded === undefined) {
        expect([response.attempts, failed.length, third.received.length, same.calls + other.calls]).toEqual([
          "1",
          0,
          0,
          1,
        ]);
        expect(response.text.match(/half/g)).toHaveLength(1);
        return;
      }
      expect([response.attempts, response.cut, third.received.length]).toEqual(["3", false, 1]);
      expect(response.text.match(/good/g)).toHaveLength(1);
      expect(response.text).not.toMatch(/half|error/);
      const order = name === "same-first" ? ["OPENAI", "ANTHROPIC"] : ["ANTHROPIC", "OPENAI"];
      expect(failed.map(({ begin }) => [begin.attempt, begin.provider])).toEqual([
        [1, order[0]],
        [2, order[1]],
      ]);
      for (const { head: seen, end } of failed) expect([recorded, 529]).toContain(end!.status ?? seen!.status);
      if (moment.speak !== undefined) expect([same.calls, other.calls]).toEqual([1, 1]);
    },
  );
});
