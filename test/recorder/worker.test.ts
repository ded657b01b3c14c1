import { expect, test } from "bun:test";
import { join } from "node:path";
import { connect } from "../../src/runtime/rpc.ts";
import { startThread } from "../../src/runtime/thread.ts";
import { openStore } from "../../src/store/store.ts";
import type { RecorderFunctions, ThreadOptions } from "../../src/threads.ts";
import { temporaryDirectory } from "../directory.ts";
import { spoolIn } from "../spool/journal.ts";
import { configIn, pass } from "./harness.ts";

test("the recorder's thread records with the providers and prices that come with the program", async () => {
  using directory = temporaryDirectory();
  const config = configIn(directory.path, {
    log_level: "error",
    providers_dir: join(directory.path, "providers"),
    plugins_dir: join(directory.path, "plugins"),
  });
  const spool = spoolIn(join(directory.path, "spool"));
  const thread = startThread("src/recorder/worker.ts", { config } satisfies ThreadOptions);
  const recorder = connect<RecorderFunctions>(thread.port);
  await recorder.ready();
  const id = pass(spool, {
    begin: { provider: "OPENAI", target: "https://api.openai.com" },
    request: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}',
    response:
      '{"id":"c","object":"chat.completion","model":"gpt-4o-mini-2024-07-18","choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":1000,"total_tokens":2000}}',
  });
  await recorder.barrier();
  expect(await recorder.isKnownId(id)).toBe(true);
  expect(await recorder.status()).toMatchObject({ recorded: 1, inFlight: 0, lagBytes: 0, databaseError: null });
  expect(await recorder.metrics()).toContain("weir_recorded_total 1");
  const updated = await recorder.update({ requestId: id, organizationId: "org-1", properties: { A: "b" } });
  expect(updated?.properties).toEqual({ A: "b" });
  await recorder.stop();
  await thread.terminate();
  await spool.close();
  const store = await openStore(config, "read");
  const [row] = await store.records.query({
    sql: "select model, total_tokens, cost, wire_schema from whole_requests",
    args: [],
  });
  expect(row).toMatchObject({ model: "gpt-4o-mini-2024-07-18", total_tokens: 2000, wire_schema: "chat-completions" });
  expect((row as { cost: number }).cost).toBeCloseTo(0.00075, 6);
  await store.close();
});
