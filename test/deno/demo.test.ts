import { expect, test } from "bun:test";
import { askDemo, leftOf, startDemo } from "../e2e/demo.ts";
import { until } from "../until.ts";
import { DENO_COMMAND } from "./weir-on-deno.ts";

test("the demonstration runs on Deno and leaves nothing behind", async () => {
  await using demo = await startDemo(DENO_COMMAND);
  await until(async () => (await askDemo(demo, "/v1/request/count/query", { filter: "all" })) === demo.count, 180_000);
  expect(await demo.stop()).toBe(0);
  expect(leftOf(demo)).toEqual([]);
}, 300_000);
