import { expect, test } from "bun:test";
import type { Note } from "../../src/plugin-host/hooks/note.ts";
import type { ResponseFacts } from "../../src/plugin-host/hooks/response-facts.ts";
import { ResponseFeed } from "../../src/recorder/response-feed.ts";
import { until } from "../until.ts";
import { pass, rig, silent } from "./harness.ts";

/** A recorder whose responses are shown to `take`. */
async function watched(
  take: (responses: readonly ResponseFacts[]) => Promise<readonly (Note | null)[]>,
  more: Parameters<typeof rig>[0] = {},
) {
  const feed = new ResponseFeed({ onResponses: take, onUsed: () => undefined }, silent);
  feed.wanted = true;
  return rig({ ...more, responses: feed });
}

const nothing = (responses: readonly ResponseFacts[]) => responses.map(() => null);

test("what was recorded is shown once, and what is added to it is stored, also at a stop", async () => {
  const shown: ResponseFacts[] = [];
  let rows: unknown[] = [];
  const ids: string[] = [];
  {
    await using weir = await watched(async (responses) => {
      shown.push(...responses);
      return responses.map(() => ({ properties: { Told: "a\0b" }, scores: { good: 1 }, reasons: {} }));
    });
    for (let at = 0; at < 150; at++) ids.push(pass(weir.spool));
    await weir.recorder.barrier();
    await until(async () => {
      await weir.recorder.barrier();
      rows = await Promise.all(ids.map(async (id) => (await weir.row(id))["scores"]));
      return rows.every((scores) => scores === '{"good":1}');
    });
    expect((await weir.row(ids[0]!))["properties"]).toBe('{"Told":"a\uFFFDb"}');
  }
  expect(shown.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(shown[0]).toMatchObject({
    status: 200,
    model: "m-1-long",
    body: '{"model":"m-1-long","usage":{"in":3,"out":4}}',
    usage: { prompt_tokens: 3, completion_tokens: 4 },
    outcome: "complete",
  });
});

test("a body is shown as it is recorded, and not where it is omitted or too large", async () => {
  const shown = new Map<string, ResponseFacts>();
  const take = async (responses: readonly ResponseFacts[]) => {
    for (const response of responses) shown.set(response.id, response);
    return nothing(responses);
  };
  const hooks = {
    has: () => true,
    async onRecord(draft: { response_body: unknown; request_id: string }) {
      if (draft.request_id === secret) draft.response_body = { text: "[email]" };
      return draft.request_id !== dropped;
    },
    onRecorded: () => undefined,
  };
  const [secret, dropped] = [crypto.randomUUID(), crypto.randomUUID()];
  await using weir = await watched(take, { hooks });
  pass(weir.spool, { id: secret, response: '{"text":"ann@example.com"}' });
  pass(weir.spool, { id: dropped });
  const omitted = pass(weir.spool, { begin: { omitResponse: true }, response: '{"text":"hush"}' });
  const large = pass(weir.spool, { response: JSON.stringify({ text: "x".repeat(300_000) }) });
  const list = pass(weir.spool, { response: "[]", head: { headers: ["X-A", "1"] } });
  await until(async () => {
    await weir.recorder.barrier();
    return shown.size === 4;
  });
  expect(shown.get(secret)).toMatchObject({ body: '{"text":"[email]"}' });
  expect(shown.get(omitted)).toMatchObject({ body: undefined, text: undefined });
  expect(shown.get(large)).toMatchObject({ body: undefined, text: undefined, bodyBytes: 300_011 });
  expect(shown.get(list)).toMatchObject({ headers: ["X-A", "1"] });
});

test("where plugins lag behind, the recorder waits for them, and continues when they have seen what there was", async () => {
  const open: (() => void)[] = [];
  let bytes = 0;
  await using weir = await watched(async (responses) => {
    for (const { body = "", text = "" } of responses) bytes += body.length + text.length;
    await new Promise<void>((resolve) => open.push(resolve));
    return nothing(responses);
  });
  const response = JSON.stringify({ text: "x".repeat(250_000) });
  for (let at = 0; at < 60; at++) pass(weir.spool, { response });
  await until(() => bytes > 8 * 1_024 * 1_024, 180_000);
  expect(bytes).toBeLessThan(10 * 1_024 * 1_024);
  expect((await weir.recorder.status()).recorded).toBeLessThan(60); // a batch is not over
  await until(async () => {
    for (const resolve of open.splice(0)) resolve();
    return (await weir.recorder.status()).recorded === 60;
  }, 300_000);
  expect(bytes).toBe(60 * (response.length + 250_000));
});

test("a thread that does not respond costs a line in the log, and no record", async () => {
  await using weir = await watched(async () => {
    throw new Error("the thread has ended");
  });
  const id = pass(weir.spool);
  await weir.recorder.barrier();
  expect((await weir.row(id))["response_status"]).toBe(200);
});
