import { expect, test } from "bun:test";
import { createLog } from "../../src/log.ts";

test("a log for people moves nothing on their terminal", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "text", write: (line) => void lines.push(line) });
  log.info("a model\x1b[2J", { model: "m\x1b]0;title\x07" });
  expect(lines.join("")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});
