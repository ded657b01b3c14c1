import { expect, test } from "bun:test";
import { SYSTEM } from "../../src/people/actor.ts";
import { putJudge, removeJudge } from "../../src/store/judges/judges.ts";
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
