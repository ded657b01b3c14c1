import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { spoolIn } from "../spool/journal.ts";
import { begin, rig } from "./harness.ts";

test("what a lost writer left open was cut off, and what others have in flight continues", async () => {
  await using at = await rig();
  const { writer } = at.spool.share();
  const lost = spoolIn(join(at.directory, "spool"), { shared: { ...at.spool.share(), writer } });
  const [left, own] = [randomUUID(), randomUUID()];
  lost.begin(left, begin());
  at.spool.begin(own, begin());
  for (const spool of [lost, at.spool]) spool.flush();
  at.spool.lost(writer);
  at.spool.flush();
  await at.recorder.barrier();
  expect((await at.row(left)).response_status).toBe(500);
  expect((await at.recorder.status()).inFlight).toBe(1);
  at.spool.head(own, { time: 1, status: 200, headers: [] });
  at.spool.end(own, { time: 2, outcome: "complete", requestBytes: 0, responseBytes: 0 });
  at.spool.flush();
  await at.recorder.barrier();
  expect((await at.row(own)).response_status).toBe(200);
  await lost.close();
});
