import { expect, test } from "bun:test";
import { expectReading } from "./conformance.ts";
import { fixturesOf, inputOf, readAll } from "./fixtures.ts";

test.each(fixturesOf("_unknown").map((fixture) => [fixture.name, fixture] as const))(
  "an unknown target is read: %s",
  (_name, fixture) => expectReading(fixture, undefined),
);

test("a response nested deeper than a stack is high breaks nothing", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const body = `{"choices":[{"message":{"content":${deep},"tool_calls":[{"function":{"name":"f","arguments":${deep}}}]}}]}`;
  const [known] = fixturesOf("_openai-shape");
  const { schema } = readAll(inputOf({ ...known!, response: { body } }, undefined));
  expect(schema?.response.messages?.[0]?.tool_calls?.[0]?.name).toBe("f");
});
