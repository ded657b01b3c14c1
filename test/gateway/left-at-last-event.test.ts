import { expect, test } from "bun:test";
import net from "node:net";
import { isWholeStream } from "../../src/spool/last-event.ts";
import { startRawServer } from "../raw-http.ts";
import { gatewayHeaders, startTestGateway } from "./harness.ts";

const SSE = "text/event-stream";
const CHAT = 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n';
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n';
const completed = {
  type: "response.completed",
  response: { output: ["x".repeat(30_000)], usage: { input_tokens: 1 } },
};
const gemini = { candidates: [{ content: {}, finishReason: "STOP" }], usageMetadata: { totalTokenCount: 3 } };

const WHOLE: [string, string, string[]][] = [
  ["[DONE]", SSE, [CHAT, "data: [DONE]\n\n"]],
  ["[DONE] in pieces", SSE, [`${CHAT}data: [DO`, "NE]\n\n"]],
  ["[DONE] with carriage returns", SSE, [CHAT, "data: [DONE]\r\n\r\n"]],
  ["the chunk with usage", SSE, [CHAT, USAGE]],
  ["message_stop", SSE, ['event: message_delta\ndata: {}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n']],
  ["response.completed", SSE, [CHAT, `event: response.completed\ndata: ${JSON.stringify(completed)}\n\n`]],
  ["Gemini's chunk with a reason", SSE, [`data: ${JSON.stringify(gemini)}\r\n\r\n`]],
  ["Cohere's message-end", SSE, ['event: message-end\ndata: {"type":"message-end"}\n\n']],
  ["Ollama's line", "application/x-ndjson", ['{"response":"a","done":false}\n{"response":"","done":true}\n']],
];
const CUT: [string, string, string[]][] = [
  ["in the middle of a stream", SSE, [CHAT]],
  ["at a last event that is not whole", SSE, [`${CHAT}data: [DONE]`]],
  [
    "behind a text that looks like the end",
    SSE,
    ['data: {"choices":[{"delta":{"content":"data: [DONE]\\n\\n"}}]}\n\n'],
  ],
  ["behind a quoted last event", SSE, [`data: ${JSON.stringify({ delta: '{"type":"message_stop"}' })}\n\n`]],
  ["behind an event that is not the last", SSE, [`data: [DONE]\n\n${CHAT}`]],
  ["at a response that is no stream", "application/json", ["data: [DONE]\n\n"]],
];

/** A client that leaves once it has all that a provider sends; the provider's body never ends by itself. */
async function leave(type: string, pieces: readonly string[]) {
  const closed = Promise.withResolvers<void>();
  await using provider = await startRawServer((socket) => {
    socket.once("data", async () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      for (const piece of pieces) {
        socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    socket.on("close", () => closed.resolve());
  });
  await using gateway = await startTestGateway();
  const client = net.connect(gateway.port, "127.0.0.1");
  const headers = gatewayHeaders(provider.origin, "Content-Length: 2\r\n");
  client.write(`POST /left HTTP/1.1\r\n${headers}\r\n{}`);
  let text = "";
  const expected = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  await new Promise<void>((resolve) => {
    client.on("data", (bytes) => {
      text += bytes.toString("latin1");
      // Chunks are framed with their lengths in hexadecimal.
      const body = text.slice(text.indexOf("\r\n\r\n") + 4).replace(/(?:^|\r\n)[0-9a-f]+\r\n/g, "");
      if (body.replace(/\r\n$/, "").length >= expected) resolve();
    });
  });
  client.destroy();
  await closed.promise; // the provider is not read without a client
  return (await gateway.spool.endedPath("/left")).end;
}

test.each(WHOLE)(
  "a client that disconnects after %s has its whole response: the provider's status",
  async (_name, type, pieces) => {
    const end = await leave(type, pieces);
    expect([end?.outcome, end?.status]).toEqual(["complete", undefined]);
  },
);

test.each(CUT)("a client that leaves %s is recorded as gone: 499", async (_name, type, pieces) => {
  expect(await leave(type, pieces)).toMatchObject({ outcome: "client_gone", status: 499 });
});

test("bytes of any kind tell nothing and do no harm", () => {
  for (const bytes of [[], [0], [255, 254, 10, 10], [...Buffer.from("\n\n")]])
    expect(isWholeStream([Uint8Array.from(bytes)])).toBe(false);
});
