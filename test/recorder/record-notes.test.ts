import { expect, test } from "bun:test";
import type { RecordDraft } from "../../src/plugin-host/contract.ts";
import type { Note } from "../../src/plugin-host/hooks/note.ts";
import type { RecordHooks } from "../../src/recorder/prepare/hooks.ts";
import { until } from "../until.ts";
import { pass, type Rig, rig } from "./harness.ts";

const checking = (onRecorded: RecordHooks["onRecorded"]): RecordHooks => ({
  has: (name) => name === "onRecorded",
  onRecord: async () => true,
  onRecorded,
});

const note = (scores: Note["scores"], reasons: Note["reasons"] = {}): Note => ({ properties: {}, scores, reasons });

const ratings = (weir: Rig) =>
  weir.store.records.query({ sql: "select request_id, name, source, author, value, reason from ratings", args: [] });

async function scoresOf(weir: Rig, id: string, isReady: (scores: string) => boolean): Promise<string> {
  let scores = "{}";
  await until(async () => {
    await weir.recorder.barrier();
    scores = String((await weir.row(id))["scores"]);
    return isReady(scores);
  }, 300_000);
  return scores;
}

test("a check sees the record whole, and its scores are stored with their reasons", async () => {
  const seen: RecordDraft[] = [];
  const hooks = checking((draft) => {
    seen.push(draft);
    return note({ polite: 0, "a\0b": 1 }, { polite: { plugin: "checks", text: 'says "no"\0' } });
  });
  await using weir = await rig({ hooks });
  const id = pass(weir.spool, { request: '{"prompt":"well?"}', response: '{"text":"no"}' });
  expect(JSON.parse(await scoresOf(weir, id, (scores) => scores !== "{}"))).toEqual({ polite: 0, "a\uFFFDb": 1 });
  expect(await ratings(weir)).toEqual([
    { request_id: id, name: "polite", source: "plugin:checks", author: "checks", value: 0, reason: 'says "no"\uFFFD' },
  ]);
  expect(seen.map(({ request_id }) => request_id)).toEqual([id]);
  expect(seen[0]).toMatchObject({ request_body: { prompt: "well?" }, response_body: { text: "no" } });
  const { promptText, responseText } = seen[0]!.facts;
  expect([promptText, responseText]).toEqual(["well?", "no"]);
});

test("facts are those of what is stored, after what onRecord hides", async () => {
  const texts: (string | null)[] = [];
  const hooks: RecordHooks = {
    has: () => true,
    onRecord: async (draft) => {
      draft.response_body.text = "***";
      return true;
    },
    onRecorded: ({ facts }) => void texts.push(facts.responseText),
  };
  await using weir = await rig({ hooks });
  pass(weir.spool, { response: '{"text":"a secret"}' });
  await weir.recorder.barrier();
  expect(texts).toEqual(["***"]);
});

test("a check that takes its time keeps no record back, and its scores come later", async () => {
  const { promise: slow, resolve: finish } = Promise.withResolvers<void>();
  const hooks = checking(async () => {
    await slow;
    return note({ late: 1 });
  });
  await using weir = await rig({ hooks });
  const ids = Array.from({ length: 20 }, () => pass(weir.spool));
  await weir.recorder.barrier();
  for (const id of ids) expect(await weir.row(id)).toMatchObject({ response_status: 200, scores: "{}" });
  finish();
  for (const id of ids) expect(await scoresOf(weir, id, (scores) => scores !== "{}")).toBe('{"late":1}');
});

test("an addition is stored with the record", async () => {
  const hooks = checking(() => note({ polite: 1 }, { polite: { plugin: "checks", text: "thanks" } }));
  await using weir = await rig({ hooks });
  const id = pass(weir.spool);
  await scoresOf(weir, id, (scores) => scores !== "{}");
  expect(await weir.recorder.remove({ organizationId: "org-1", requestIds: [id] })).toBe(1);
  expect(await ratings(weir)).toEqual([]);
});
