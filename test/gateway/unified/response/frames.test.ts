import { expect, test } from "bun:test";
import { encodeEventStream } from "../../../providers/eventstream.ts";
import { at, KEY, messagesEvents, standIn, startUnified } from "../house.ts";

test("Bedrock's frames reach a client of Messages as server-sent events, and say so", async () => {
  const chunks = messagesEvents("hi").map(({ data }) => ({
    event: "chunk",
    payload: { bytes: Buffer.from(JSON.stringify(data)).toString("base64") },
  }));
  await using provider = standIn(
    () =>
      new Response(new Uint8Array(encodeEventStream(chunks)), {
        headers: { "content-type": "application/vnd.amazon.eventstream" },
      }),
  );
  await using gateway = await startUnified({
    credentials: [at("AWS", provider.origin, { settings: { region: "eu-west-1" } })],
  });
  const response = await fetch(`${gateway.origin}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": KEY },
    body: JSON.stringify({
      model: "aws/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      max_tokens: 9,
      stream: true,
      messages: [{ role: "user", content: "x" }],
    }),
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  const text = await response.text();
  expect(text).toStartWith("event: message_start\ndata: {");
  expect(text).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  expect(provider.received[0]!.path).toEndWith("/invoke-with-response-stream");
});
