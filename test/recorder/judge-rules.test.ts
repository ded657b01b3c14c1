import { expect, test } from "bun:test";
import { SYSTEM } from "../../src/people/actor.ts";
import { LINE_MAX } from "../../src/store/judges/judgements.ts";
import { findJudge, putJudge, removeJudge } from "../../src/store/judges/judges.ts";
import { isSampled } from "../../src/store/judges/sampling.ts";
import { openStore } from "../../src/store/store.ts";
import { configIn, pass, type Rig, rig } from "./harness.ts";

const RULE = {
  ...{ name: "j", model: "m", key_id: "k", prompt: "Rate {{output}}", scores: [], filter: "all", share: 100 },
  ...{ budget: null, reference: null, enabled: true },
};
const PLACE = { organizationId: "org-1", by: SYSTEM };

const linedUp = async ({ store }: Rig) =>
  (
    await store.records.query<{ request_id: string; state: string }>({
      sql: "select request_id, state from judgements order by request_id",
      args: [],
    })
  ).map(({ request_id, state }) => [request_id, state]);

/** A recorder and a writer beside it, as the API has one. */
async function judged() {
  const there = await rig();
  const store = await openStore(configIn(there.directory), "change");
  return {
    there,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await there[Symbol.asyncDispose]();
    },
  };
}

test("a judge's share of what is recorded is put in line with it, from the moment it is switched on until it is off", async () => {
  await using opened = await judged();
  const { there, store } = opened;
  pass(there.spool);
  const judge = await putJudge(store.records, PLACE, RULE);
  await there.recorder.relearn();
  const due = [pass(there.spool), pass(there.spool, { begin: { time: 1_000 } })];
  pass(there.spool, { begin: { organization: "org-2" } });
  pass(there.spool, { begin: { gateway: ["Gateway-Property-Weir-Judge", "j"] } });
  await there.recorder.barrier();
  expect(await linedUp(there)).toEqual([...due].sort().map((id) => [id, "new"]));

  await putJudge(store.records, { ...PLACE, previous: judge }, { ...RULE, enabled: false });
  await there.recorder.relearn();
  pass(there.spool);
  await there.recorder.barrier();
  expect(await linedUp(there)).toEqual([]);

  await removeJudge(store.records, judge, SYSTEM);
  await there.recorder.relearn();
  pass(there.spool);
  await there.recorder.barrier();
  expect(await linedUp(there)).toEqual([]);
});

test("what comes while a judge's line is full is left out and counted, until there is room", async () => {
  await using opened = await judged();
  const { there, store } = opened;
  const { id } = await putJudge(store.records, PLACE, RULE);
  await there.recorder.relearn();
  const fill = (n: number) => ({
    sql: `insert into judgements (judge_id, request_id, organization_id, state, created_at, updated_at)
      select ?, 'old-' || value, 'org-1', 'new', 0, 0 from generate_series(1, ?)`,
    args: [id, n],
  });
  const added = async () =>
    (await linedUp(there)).flatMap(([request]) => (request!.startsWith("old-") ? [] : request!));
  const leftOut = async () => (await findJudge(store.records, id))?.left_out;
  await store.records.batch([fill(LINE_MAX - 2)]);
  const first = pass(there.spool);
  await there.recorder.barrier();
  expect([await added(), await leftOut()]).toEqual([[first], 0]);

  for (let n = 0; n < 4; n++) pass(there.spool);
  await there.recorder.barrier();
  expect([(await added()).length, await leftOut()]).toEqual([2, 3]);

  await store.records.batch([{ sql: "delete from judgements where request_id like 'old-%'", args: [] }]);
  pass(there.spool);
  await there.recorder.barrier();
  expect([(await added()).length, await leftOut()]).toEqual([3, 3]);
});

test("the share decides by the request's id", async () => {
  await using opened = await judged();
  const { there, store } = opened;
  const { id } = await putJudge(store.records, PLACE, { ...RULE, share: 40 });
  await there.recorder.relearn();
  const all = Array.from({ length: 60 }, () => pass(there.spool));
  await there.recorder.barrier();
  const sampled = all.filter((request) => isSampled({ id, share: 40 }, request));
  expect(await linedUp(there)).toEqual(sampled.sort().map((request) => [request, "new"]));
});
