import { describe, expect, test } from "bun:test";
import type { Json } from "../../../../src/plugin-host/contract.ts";
import { at, events, json, KEY, messagesEvents, messagesResponse, standIn, startUnified } from "../house.ts";

describe("a client gets the form that it requested, whatever the provider sends", () => {
  const asks: readonly (readonly [string, object, (body: Json) => string])[] = [
    ["chat/completions", { messages: [{ role: "user", content: "go" }] }, (body) => body.choices[0].message.content],
    ["responses", { input: "go" }, (body) => body.output[0].content[0].text],
  ];

  test.each(asks)(
    "%s: a whole response from a stream, and a stream from a whole response",
    async (path, body, textOf) => {
      await using streams = standIn(() => events(messagesEvents("hello")));
      await using working = standIn(() => json(messagesResponse("hello")));
      await using breaks = standIn(() => events(messagesEvents("hello").slice(0, 4)));
      const named = [
        ["streams", streams],
        ["answers", working],
        ["breaks", breaks],
      ] as const;
      await using gateway = await startUnified({
        credentials: named.map(([name, { origin }]) => at("ANTHROPIC", origin, { name })),
      });
      const ask = (name: string, stream: boolean) =>
        fetch(`${gateway.origin}/v1/${path}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${KEY}` },
          body: JSON.stringify({ model: `anthropic:${name}/claude-opus-5`, stream, ...body }),
        });
      const whole = await ask("streams", false);
      expect([whole.status, whole.headers.get("content-type")]).toEqual([200, "application/json"]);
      const response = await whole.json();
      expect(textOf(response)).toBe("hello");
      expect(response.usage.completion_tokens ?? response.usage.output_tokens).toBe(3);
      const stream = await ask("answers", true);
      expect(stream.headers.get("content-type")).toStartWith("text/event-stream");
      expect(await stream.text()).toContain("hello");
      const broken = await ask("breaks", false);
      expect([broken.status, (await broken.json()).error.code]).toEqual([502, "upstream_malformed"]);
    },
  );
});
