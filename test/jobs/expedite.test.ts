import { expect, test } from "bun:test";
import { libsqlWalk } from "../../src/engine/libsql/walk.ts";
import { Mapper } from "../../src/jobs/remap/mapper.ts";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import { LearntTables } from "../../src/store/models/learnt.ts";
import { openStore } from "../../src/store/store.ts";
import { configIn, pass, rig, silent } from "../recorder/harness.ts";

const CHAT = {
  request: '{"model":"m-1","messages":[{"role":"user","content":"hi"}]}',
  response: '{"object":"chat.completion","model":"m-1","choices":[{"message":{"content":"a"}}]}',
};
const ODD = { request: '{"model":"m-1","x":1}', response: '{"y":2}', begin: { path: "/odd" } };

/** A recorder, and a mapper beside it on the same database. */
async function mapped() {
  const there = await rig({ readExchange });
  const store = await openStore(configIn(there.directory), "change");
  const mapper = new Mapper({
    reader: there.store,
    walk: libsqlWalk(there.store.records),
    writer: async () => store,
    rewrite: (changes) => there.recorder.rewrite(changes),
    onChanged: async () => {},
    learnt: new LearntTables(),
    provider: () => undefined,
    log: silent,
  });
  const models = () => there.store.records.query({ sql: "select state, reason from models", args: [] });
  const record = async (passed: Parameters<typeof pass>[1]) => {
    pass(there.spool, passed);
    await there.recorder.barrier();
  };
  return {
    mapper,
    models,
    record,
    async [Symbol.asyncDispose]() {
      await store.close();
      await there[Symbol.asyncDispose]();
    },
  };
}

const order = { organizationId: "org-1", model: "m-1" };

test("a model that a known format reads stays mapped when it is expedited", async () => {
  await using there = await mapped();
  await there.record(CHAT);
  expect(await there.mapper.map(order)).toMatchObject([{ state: "mapped", reason: null }]);
  expect(await there.models()).toEqual([{ state: "mapped", reason: null }]);
});

test("a pending model that is read by now is mapped by the daily run and by its next record, without a reason", async () => {
  await using there = await mapped();
  await there.record(ODD);
  expect(await there.mapper.map(order)).toMatchObject([{ state: "pending" }]);
  expect(await there.models()).toMatchObject([{ state: "pending", reason: expect.any(String) }]);
  await there.record(CHAT);
  expect(await there.models()).toEqual([{ state: "mapped", reason: null }]);
  await there.mapper.mapAll();
  expect(await there.models()).toEqual([{ state: "mapped", reason: null }]);
});
