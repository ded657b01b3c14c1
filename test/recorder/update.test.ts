import { expect, test } from "bun:test";
import { begin, pass, type Rig, rig } from "./harness.ts";

const change = (weir: Rig, id: string, rest: object) =>
  weir.recorder.update({ requestId: id, organizationId: "org-1", ...rest });

const labels = (weir: Rig) =>
  weir.store.records.query({ sql: "select name, value, case_erased from properties order by name, value", args: [] });

function open(weir: Rig, gateway: readonly string[] = []): string {
  const id = crypto.randomUUID();
  weir.spool.begin(id, begin({ time: Date.now(), gateway }));
  weir.spool.flush();
  return id;
}

function close(weir: Rig, id: string): Promise<void> {
  weir.spool.head(id, { time: 2, status: 200, headers: [] });
  weir.spool.end(id, { time: 3, outcome: "complete", requestBytes: 0, responseBytes: 0 });
  weir.spool.flush();
  return weir.recorder.barrier();
}

test("properties are merged, null removes, and the response is what the record holds", async () => {
  await using weir = await rig();
  const id = pass(weir.spool, { begin: { gateway: ["gateway-property-env", "dev", "Gateway-Property-Team", "a"] } });
  const result = await change(weir, id, { properties: { env: "prod", Team: null, New: "1" } });
  expect(result).toEqual({ requestId: id, properties: { env: "prod", New: "1" }, scores: {}, feedback: null });
  expect(JSON.parse((await weir.row(id))["properties"] as string)).toEqual({ env: "prod", New: "1" });
  expect(await labels(weir)).toEqual([
    { name: "New", value: "1", case_erased: 0 },
    { name: "env", value: "prod", case_erased: 0 },
  ]);
});

test("changes to a request in flight outlive its end", async () => {
  await using weir = await rig();
  const id = open(weir, ["Gateway-Property-App", "a", "Gateway-Property-Gone", "x"]);
  await change(weir, id, { properties: { App: "b", Gone: null }, scores: { quality: 0.5 } });
  await change(weir, id, { properties: { App: "c" }, scores: { speed: 2 }, feedbackRating: true });
  const before = await weir.row(id);
  expect(before["response_status"]).toBeNull();
  await close(weir, id);
  const row = await weir.row(id);
  expect(row).toMatchObject({ response_status: 200, properties: '{"App":"c"}', feedback_rating: 1 });
  expect(row["feedback_id"]).toBe(before["feedback_id"]!);
  expect(JSON.parse(row["scores"] as string)).toEqual({ quality: 0.5, speed: 2, "gateway-score-feedback": 1 });
  expect(await labels(weir)).toEqual([{ name: "App", value: "c", case_erased: 0 }]);
});

test("a later rating replaces the earlier, and keeps the feedback's number", async () => {
  await using weir = await rig();
  const id = pass(weir.spool);
  const first = await change(weir, id, { feedbackRating: true });
  const second = await change(weir, id, { feedbackRating: false, scores: { a: 1 } });
  expect(second?.feedback).toMatchObject({ id: first!.feedback!.id, rating: false });
  expect(second?.scores).toEqual({ "gateway-score-feedback": 0, a: 1 });
});

test("concurrent changes are applied one after the other, and none is lost", async () => {
  await using weir = await rig();
  const id = open(weir);
  const names = Array.from({ length: 50 }, (_, i) => `p${i}`);
  await Promise.all(names.map((name) => change(weir, id, { properties: { [name]: "x" } })));
  await close(weir, id);
  expect(Object.keys(JSON.parse((await weir.row(id))["properties"] as string)).sort()).toEqual(names.sort());
});

test("the request of another organization is null, like an unknown one", async () => {
  await using weir = await rig();
  const id = pass(weir.spool);
  const other = { requestId: id, organizationId: "org-2", properties: { a: "1" } };
  expect(await weir.recorder.update(other)).toBeNull();
  expect(await change(weir, crypto.randomUUID(), { properties: { a: "1" } })).toBeNull();
  expect((await weir.row(id))["properties"]).toBe("{}");
});

test("a change moves updated_at forward, also within one millisecond", async () => {
  await using weir = await rig();
  const id = pass(weir.spool);
  await weir.recorder.barrier();
  const before = (await weir.row(id))["updated_at"] as number;
  await change(weir, id.toUpperCase(), { scores: { a: 1 } });
  expect((await weir.row(id))["updated_at"] as number).toBeGreaterThan(before);
});

test("an id is known from its begin on, in any case, and no other is", async () => {
  await using weir = await rig();
  const id = open(weir);
  expect(await weir.recorder.isKnownId(id.toUpperCase())).toBe(true);
  await close(weir, id);
  expect(await weir.recorder.isKnownId(id)).toBe(true);
  expect(await weir.recorder.isKnownId(crypto.randomUUID())).toBe(false);
});
