import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { clickhouseWalk } from "../../../src/engine/clickhouse/walk.ts";
import { Mapper } from "../../../src/jobs/remap/mapper.ts";
import { recomputeCosts } from "../../../src/jobs/remap/recompute.ts";
import { rereadUnread } from "../../../src/jobs/remap/unread.ts";
import { readExchange } from "../../../src/mapping/read-exchange.ts";
import { LearntTables } from "../../../src/store/models/learnt.ts";
import { nextReread, noteReread } from "../../../src/store/models/mappings.ts";
import { openStore } from "../../../src/store/store.ts";
import type { RecordChange } from "../../../src/threads.ts";
import { configIn, pass, silent } from "../../recorder/harness.ts";
import { type ClickHouseRig, clickHouseRig } from "./rig.ts";
import { isClickHouseMissing } from "./server.ts";

setDefaultTimeout(300_000);

if (isClickHouseMissing()) test("these tests did not run: ClickHouse is missing", () => undefined);
else describe("records in ClickHouse are read again", suite);

const CHAT = {
  request: '{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}',
  response: JSON.stringify({
    id: "c-1",
    object: "chat.completion",
    model: "gpt-4o",
    choices: [{ message: { content: "a" } }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  }),
};
const PRICES = [{ provider: "CUSTOM", model: "gpt-*", input: 1_000_000, output: 2_000_000 }];

class Faulty extends LearntTables {
  isBroken = true;

  override mappingOf(organizationId: string, provider: string) {
    if (this.isBroken) throw new Error("no mappings");
    return super.mappingOf(organizationId, provider);
  }
}

const contextIn = (there: ClickHouseRig) => ({
  reader: there.store,
  walk: clickhouseWalk(there.client),
  learnt: new LearntTables(PRICES),
  provider: () => undefined,
  spoolDirectory: join(there.directory, "spool"),
  log: silent,
  rewrite: (changes: readonly RecordChange[]) => there.recorder.rewrite(changes),
});

function suite() {
  test("their costs are computed by new prices, and stay where nothing is to be changed", async () => {
    await using there = await clickHouseRig({ readExchange });
    const ids = [pass(there.spool, CHAT), pass(there.spool, { ...CHAT, begin: { organization: "org-2" } })];
    await there.recorder.barrier();
    expect((await there.finished(ids[0]!))!["cost"]).toBeNull();
    const recompute = (dryRun: boolean) =>
      recomputeCosts({ ...contextIn(there), since: 0, model: undefined, dryRun, onProgress: () => undefined });
    expect(await recompute(true)).toMatchObject({ seen: 2, changed: 2, total: 2 });
    expect((await there.finished(ids[0]!))!["cost"]).toBeNull();
    expect(await recompute(false)).toMatchObject({ seen: 2, changed: 2, before: 0, after: 22 });
    for (const id of ids) expect((await there.finished(id))!["cost"]).toBe(11);
    expect(await recompute(false)).toMatchObject({ seen: 2, changed: 0, before: 22, after: 22 });
  });

  test("unread records are read", async () => {
    const learnt = new Faulty();
    await using there = await clickHouseRig({ readExchange, learnt });
    const bad = pass(there.spool, CHAT);
    await there.recorder.barrier();
    learnt.isBroken = false;
    const good = pass(there.spool, CHAT);
    await there.recorder.barrier();
    expect(await there.finished(bad)).toMatchObject({ unread: "failed: no mappings", total_tokens: null });
    const context = contextIn(there);
    expect(await context.walk.count({ kind: "unread" })).toBe(1);
    expect(await rereadUnread({ ...context, learnt })).toEqual({ seen: 1, read: 1 });
    const { model, total_tokens, wire_schema, output, unread } = (await there.finished(good))!;
    expect(await there.finished(bad)).toMatchObject({ model, total_tokens, wire_schema, output, unread });
    expect(unread).toBeNull();
    expect(await rereadUnread({ ...context, learnt })).toEqual({ seen: 0, read: 0 });
  });

  test("a record that was read without the mapping by another node, and comes in late, is read again", async () => {
    // The recorder's own mappings are those of a node that has not heard of the new one.
    const behind = new LearntTables();
    await using there = await clickHouseRig({ readExchange, learnt: behind });
    const store = await openStore(configIn(there.directory, there.settings), "change");
    await using closing = new AsyncDisposableStack();
    closing.defer(() => store.close());
    const now = Date.now();
    for (const [at, utterance] of ["good morning", "how far is the moon", "thank you"].entries())
      say(there, utterance, now - at);
    await there.recorder.barrier();
    const mapper = () =>
      new Mapper({
        ...{ ...contextIn(there), learnt: new LearntTables() },
        ...{ writer: async () => store, onChanged: async () => {} },
      });
    await mapper().map({ organizationId: "org-1", model: "zeta" });
    expect(await nextReread(store.records)).toBeUndefined();

    const late = say(there, "I am late", now - 3_600_000);
    await there.recorder.barrier();
    expect(await there.finished(late)).toMatchObject({ wire_schema: null, total_tokens: null });
    expect(await nextReread(store.records)).toMatchObject({ model: "zeta", version: 1 });
    expect(await mapper().rereadAll()).toBe(4);
    expect(await there.finished(late)).toMatchObject({ wire_schema: "mapped", total_tokens: expect.any(Number) });
    expect(await nextReread(store.records)).toBeUndefined();

    await behind.load(store.records);
    const known = say(there, "I am on time", now);
    await there.recorder.barrier();
    expect(await there.finished(known)).toMatchObject({ wire_schema: "mapped" });
    expect(await nextReread(store.records)).toBeUndefined();
  });

  test("a mapping is learnt from them, and those that are left are read with it after a restart", async () => {
    await using there = await clickHouseRig({ readExchange });
    const store = await openStore(configIn(there.directory, there.settings), "change");
    await using closing = new AsyncDisposableStack();
    closing.defer(() => store.close());
    const ids = ["good morning", "how far is the moon", "thank you"].map((utterance, at) =>
      say(there, utterance, Date.now() - 100_000 + at * 1_000),
    );
    await there.recorder.barrier();
    const learnt = new LearntTables();
    const mapper = () =>
      new Mapper({ ...contextIn(there), learnt, writer: async () => store, onChanged: async () => {} });
    const outcome = await mapper().map({ organizationId: "org-1", model: "zeta" });
    expect(outcome).toMatchObject([{ provider: "CUSTOM", model: "zeta", state: "mapped", samples: 3 }]);
    const tokens = async () => Promise.all(ids.map(async (id) => (await there.finished(id))!["total_tokens"]));
    const read = await tokens();
    expect(read).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);

    // As after a kill behind the first record.
    await there.recorder.rewrite(ids.map((requestId) => ({ requestId, columns: { total_tokens: null } })));
    await store.records.batch([{ sql: "update mappings set reread_after = 0", args: [] }]);
    const from = (await nextReread(store.records))!;
    expect(from.after).toBeUndefined();
    const { request_created_at: createdAt } = (await there.finished(ids[0]!))!;
    await noteReread(store.records, from, { createdAt: Number(createdAt), requestId: ids[0]! });
    expect(await mapper().rereadAll()).toBe(2);
    expect(await tokens()).toEqual([null, ...read.slice(1)]);
    expect(await nextReread(store.records)).toBeUndefined();
  });
}

/** An exchange in a format of its own. @returns its id. */
function say({ spool }: ClickHouseRig, utterance: string, time: number): string {
  const words = `You said: ${utterance}, and it was heard.`;
  return pass(spool, {
    begin: { path: "/say", time },
    request: JSON.stringify({ model: "zeta", turns: [{ speaker: "customer", utterance }] }),
    response: JSON.stringify({
      ref: "r-1",
      reply: { utterance: words },
      billing: { in: utterance.length, out: words.length },
    }),
  });
}
