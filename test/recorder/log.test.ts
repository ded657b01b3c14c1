import { expect, test } from "bun:test";
import { createLog } from "../../src/log.ts";
import { pass, rig } from "./harness.ts";

test.each([
  ["debug", 1],
  ["info", 0],
] as const)("with log_level %s, %i line of the log is about a recorded exchange", async (level, count) => {
  const lines: string[] = [];
  const log = createLog({ level, format: "json", write: (line) => lines.push(line) });
  await using weir = await rig({ log });
  const begin = { provider: "OPENAI", target: "https://api.openai.com", path: "/v1/hidden?key=hidden" };
  const id = pass(weir.spool, { begin, request: '{"model":"hidden"}', response: '{"id":"hidden"}' });
  await weir.recorder.barrier();
  const recorded = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "recorded");
  expect(recorded).toHaveLength(count);
  for (const line of recorded) {
    expect(line).toMatchObject({ request_id: id, target: "https://api.openai.com", status: 200, outcome: "complete" });
    expect(JSON.stringify(line)).not.toContain("hidden");
  }
});
