import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "../../src/plugin-host/contract.ts";
import { temporaryDirectory } from "../directory.ts";
import { callApi, KEY, startWeir, until, type Weir } from "./weir.ts";

/** How the provider responds to a judge; each scene sets it. */
let judging: (request: Json) => Response | Promise<Response> = () => verdict(0.8);
/** Bodies of the judge's requests. */
const requests: Json[] = [];

const usage = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
const says = (content: string) =>
  Response.json({
    id: "c",
    model: "gpt-4o-mini",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage,
  });
const verdict = (score: unknown) =>
  says(`Here it is:\n\`\`\`json\n${JSON.stringify({ Helpful: { reason: 'says "so"', score } })}\n\`\`\``);

const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 255,
  async fetch(request) {
    if (request.method === "GET") return Response.json({ data: [] });
    const body = (await request.json()) as Json;
    if (!String(body.messages[0].content).startsWith("You are a judge")) return says("Paris");
    requests.push(body);
    return judging(body);
  },
});

const home = temporaryDirectory();
let weir: Weir;
let keyId: string;

beforeAll(async () => {
  weir = await startWeir({ dataDirectory: home.path });
  const origin = `http://127.0.0.1:${provider.port}`;
  await api("POST", "/v1/credentials", {
    provider: "openai",
    name: "box",
    api_key: "sk-box",
    base_url: origin,
    private: true,
  });
  keyId = (await api("GET", "/v1/keys"))[0].id;
}, 300_000);
afterAll(async () => {
  await weir?.stop();
  await provider.stop(true);
  home[Symbol.dispose]();
}, 300_000);

async function api(method: string, path: string, body?: object): Promise<Json> {
  const response = await callApi(weir, path, { method, ...(body && { body: JSON.stringify(body) }) });
  const json = (await response.json()) as Json;
  expect([response.status, json.message]).toEqual([200, undefined]);
  return json.data;
}

/** A client's request, whose record the judges of this scene select. @returns its id. */
async function send(scene: string, question = "capital of France?"): Promise<string> {
  const response = await fetch(`${weir.gateway}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      "Gateway-Property-Scene": scene,
      "Gateway-Property-Expected": "Lyon, of course",
    },
    body: JSON.stringify({ model: "openai/gpt-4o-mini", messages: [{ role: "user", content: question }] }),
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  return response.headers.get("gateway-id")!;
}

const inScene = (scene: string) => ({ request_response_rmt: { properties: { Scene: { equals: scene } } } });
const judgeBody = (scene: string, more: object = {}) => ({
  name: `judge of ${scene}`,
  model: "openai/gpt-4o-mini",
  key: keyId,
  prompt: "Question: {{input}}\nAnswer: {{output}}\nRight would be: {{reference}} ({{property.Scene}})",
  scores: [{ name: "helpful", kind: "number", description: "how helpful it is" }],
  filter: inScene(scene),
  reference: "Expected",
  share: 100,
  enabled: true,
  ...more,
});
const make = (scene: string, more: object = {}) => api("POST", "/v1/judges", judgeBody(scene, more));

/** The judge, once it is as expected. */
async function judgeWhere(id: string, isReady: (judge: Json) => boolean): Promise<Json> {
  let judge: Json;
  await until(
    async () => {
      judge = await api("GET", `/v1/judges/${id}`);
      return isReady(judge);
    },
    180_000,
    () => JSON.stringify(judge),
  );
  return judge;
}
const ratingsOf = async (id: string) => (await api("GET", `/v1/request/${id}/scores`)) as Json[];
const callsAbout = (question: string) =>
  requests.filter(({ messages }) => messages[1].content.includes(question)).length;

test("new requests are scored with a reason, and a judge's own calls are records that are never judged", async () => {
  judging = () => verdict(0.8);
  const before = await send("new");
  const judge = await make("new");
  const { id: everything } = await api("POST", "/v1/judges", {
    ...judgeBody("any", { name: "of everything" }),
    filter: "all",
  });
  const id = await send("new");
  const done = await judgeWhere(judge.id, ({ counts }) => counts.done === 1);
  expect(done).toMatchObject({ state: "on", counts: { waiting: 0, failed: 0 }, problem: null });
  // 1,000 and 100 tokens of gpt-4o-mini.
  expect(done.spent.total).toBeCloseTo(0.00021, 6);
  const [score] = (await ratingsOf(id)).filter(({ name }) => name === "helpful");
  expect(score.value).toBe(0.8);
  expect(score.ratings.find(({ source }: Json) => source === `judge:${judge.id}`)).toMatchObject({
    author: "judge of new",
    value: 0.8,
    reason: 'says "so"',
  });
  expect(await ratingsOf(before)).toEqual([]);
  const request = requests.find(({ messages }) => messages[1].content.includes("(new)"))!;
  expect(request.messages[1].content).toBe(
    "Question: capital of France?\nAnswer: Paris\nRight would be: Lyon, of course (new)",
  );
  // The judge of everything has judged only the request: the requests of both judges carry the label.
  await judgeWhere(everything, ({ counts }) => counts.done >= 1 && counts.waiting === 0);
  const [{ call_id: call }] = await api("GET", `/v1/judges/${judge.id}/judgements`);
  expect((await api("GET", `/v1/request/${call}`)).properties).toEqual({ "Weir-Judge": "judge of new" });
  const all = await api("GET", `/v1/judges/${everything}/judgements`);
  expect(all.map(({ request_id }: Json) => request_id)).toEqual([id]);
  await api("DELETE", `/v1/judges/${everything}`);
}, 300_000);

test("a judge is tried before it is made: nothing of it is stored but its calls", async () => {
  judging = () => verdict(0.25);
  const id = await send("try");
  const unknown = crypto.randomUUID();
  const tried = await api("POST", "/v1/judges/try", { judge: judgeBody("try"), requestIds: [id, unknown] });
  expect(tried).toMatchObject([
    {
      request_id: id,
      prompt: expect.stringContaining("Answer: Paris"),
      scores: [{ name: "helpful", value: 0.25, reason: 'says "so"' }],
      error: null,
    },
    { request_id: unknown, scores: [], error: "there is no such request" },
  ]);
  expect(tried[0].cost).toBeCloseTo(0.00021, 6);
  expect(await ratingsOf(id)).toEqual([]);
  judging = () => says("very good, I think");
  const [unread] = await api("POST", "/v1/judges/try", { judge: judgeBody("try"), requestIds: [id] });
  expect(unread).toMatchObject({ answer: "very good, I think", scores: [], error: expect.stringContaining("no JSON") });
}, 300_000);

test("an unreadable response is requested twice, then the record has failed and others continue", async () => {
  judging = ({ messages }) => (messages[1].content.includes("odd one") ? verdict(7) : verdict(1));
  const judge = await make("unread");
  await send("unread", "odd one?");
  const good = await send("unread", "good one?");
  const seen = await judgeWhere(judge.id, ({ counts }) => counts.done === 1 && counts.failed === 1);
  expect(seen).toMatchObject({ state: "on" });
  expect(callsAbout("odd one?")).toBe(2);
  expect((await ratingsOf(good))[0]).toMatchObject({ value: 1 });
  const judgements = (await api("GET", `/v1/judges/${judge.id}/judgements`)) as Json[];
  expect(judgements.find(({ state }) => state === "failed")).toMatchObject({
    attempts: 2,
    error: expect.stringContaining("is 7, and not a number from 0 to 1"),
  });
}, 300_000);

test("a refused credential pauses the judge, visibly; after a change it continues with the waiting requests", async () => {
  judging = () => Response.json({ error: { message: "Incorrect API key provided" } }, { status: 401 });
  const judge = await make("refused");
  const id = await send("refused", "refused one?");
  const resting = await judgeWhere(judge.id, ({ state }) => state === "resting");
  expect(resting.problem.message).toMatch(/^\d{3}: /);
  expect(resting.counts).toMatchObject({ waiting: 1, done: 0 });
  judging = () => verdict(0.5);
  await api("PATCH", `/v1/judges/${judge.id}`, { share: 99.9999 });
  await judgeWhere(judge.id, ({ counts }) => counts.done === 1);
  expect((await ratingsOf(id))[0]).toMatchObject({ value: 0.5 });
}, 300_000);

test("a budget that is spent keeps the judge until its day is over, or the budget is raised", async () => {
  judging = () => verdict(1);
  const budget = { dollars: 0.0003, per: "day" };
  const judge = await make("budget", { budget });
  const ids: string[] = [];
  // One after the other: calls that are under way at once may overrun a budget by what they cost.
  for (let at = 0; at < 2; at++) {
    ids.push(await send("budget"));
    await judgeWhere(judge.id, ({ counts }) => counts.done === at + 1);
  }
  ids.push(await send("budget"));
  const spent = await judgeWhere(judge.id, ({ state }) => state === "resting");
  expect(spent).toMatchObject({
    counts: { waiting: 1, done: 2 },
    problem: { message: "the budget of $0.0003 a day is exhausted" },
  });
  expect(new Date(spent.rests_until).toISOString()).toMatch(/T00:00:00/);
  await api("PATCH", `/v1/judges/${judge.id}`, { budget: { ...budget, dollars: 5 } });
  await judgeWhere(judge.id, ({ counts }) => counts.done === 3);
  expect((await ratingsOf(ids[2]!))[0]).toMatchObject({ value: 1 });
}, 300_000);

test("recorded requests are judged on demand, once each without `again`, with an estimate before", async () => {
  judging = () => verdict(0.4);
  const ids = [await send("run"), await send("run"), await send("run")];
  const judge = await make("run", { enabled: false });
  const run = (body: object) => api("POST", `/v1/judges/${judge.id}/run`, body);
  const filter = inScene("run");
  expect(await run({ filter, estimate: true })).toEqual({ requests: 3, already: 0, cost: null, calls: 0 });
  expect(await run({ filter, limit: 2 })).toEqual({ queued: 2, already: 0 });
  await judgeWhere(judge.id, ({ counts }) => counts.done === 2);
  const estimate = await run({ filter, estimate: true, again: true });
  expect(estimate).toMatchObject({ requests: 3, already: 0, calls: 2 });
  expect(estimate.cost).toBeCloseTo(3 * 0.00021, 6);
  expect(await run({ filter })).toEqual({ queued: 1, already: 2 });
  const done = await judgeWhere(judge.id, ({ counts }) => counts.done === 3);
  expect(done.state).toBe("off");
  for (const id of ids) expect((await ratingsOf(id))[0]).toMatchObject({ name: "helpful", value: 0.4 });
}, 300_000);

test("a service that is killed while it asks has judged each record once when it is back", async () => {
  const judged: string[] = [];
  let hangs = true;
  judging = async ({ messages }) => {
    const question = messages[1].content as string;
    if (hangs && question.includes("number 1?")) return new Promise<Response>(() => undefined);
    judged.push(question);
    return verdict(0.9);
  };
  const judge = await make("killed");
  const ids = [];
  for (let at = 0; at < 6; at++) ids.push(await send("killed", `number ${at}?`));
  await judgeWhere(judge.id, ({ counts }) => counts.done === 5);
  await until(() => callsAbout("number 1?") === 1, 180_000);
  await weir.kill();
  hangs = false;
  weir = await startWeir({ dataDirectory: home.path });
  await judgeWhere(judge.id, ({ counts }) => counts.done === 6 && counts.waiting === 0);
  for (const id of ids) expect((await ratingsOf(id))[0]).toMatchObject({ value: 0.9 });
  for (let at = 0; at < 6; at++)
    expect(judged.filter((question) => question.includes(`number ${at}?`))).toHaveLength(1);
}, 300_000);
