import { describe, expect, test } from "bun:test";
import { MASKED } from "../../src/masking/mask.ts";
import type { GatewayRequest, PluginHooks, RecordDraft } from "../../src/plugin-host/contract.ts";
import { guarded } from "../../src/plugin-host/hooks/guard.ts";
import { hooksText } from "../../src/plugin-host/hooks/hook-metrics.ts";
import { Hooks } from "../../src/plugin-host/hooks/hooks.ts";
import { type ResponseFacts, toAnswer } from "../../src/plugin-host/hooks/response-facts.ts";
import type { OpenPlugin } from "../../src/plugin-host/setup.ts";
import { keptLog } from "./folder.ts";

const request = { path: "/v1" } as GatewayRequest;
const draft = (): RecordDraft => ({
  request_id: "r",
  organization_id: "o",
  provider: "A",
  model: "m",
  request_user_id: null,
  properties: { Team: "day" },
  cost: 1,
  threat: null,
  response_status: 200,
  request_body: {},
  response_body: {},
  facts: undefined as never,
});

function hooksOf(...plugins: PluginHooks[]) {
  const { log, lines } = keptLog();
  const hooks = new Hooks(log);
  hooks.use(
    plugins.map((each, at) => ({ name: `p${at}`, hooks: each, from: undefined as never }) satisfies OpenPlugin),
  );
  return { hooks, lines };
}
const refusal = { status: 403, code: "closed", message: "come back at nine" };
const throws = () => {
  throw new Error("no");
};
const rejects = async () => throws();
const never = () => new Promise<never>(() => undefined);
const forever = () => {
  for (;;);
};

test("changes of what is sent add up, and a plugin sees the body as those before it left it", async () => {
  const facts: { body?: { a: number; b?: number } } = { body: { a: 1 } };
  const seen: unknown[] = [];
  const change = (body: object, headers = {}) => ({
    onRequest: async () => {
      seen.push(facts.body);
      return { send: { body: body as Record<string, number>, headers } };
    },
  });
  const { hooks } = hooksOf(change({ a: 2 }, { x: "1" }), change({ b: 3 }, { x: null }), change({}));
  expect(await hooks.onRequest(request, facts)).toMatchObject({
    send: { body: { a: 2, b: 3 }, headers: { x: null } },
  });
  expect(seen).toEqual([{ a: 1 }, { a: 2 }, { a: 2, b: 3 }]);
});

test.each([
  ["a header that frames the message", { headers: { "Content-Length": "1" } }],
  ["a header of the gateway", { headers: { "gateway-auth": "x" } }],
  ["a value of two lines", { headers: { "X-A": "a\r\nX-B: b" } }],
  ["a value that is no text", { headers: { "X-A": 1 } }],
  ["members that are no object", { body: [] }],
  ["a change that is none", null],
])("a hook that changes %s fails closed", (_name, send) => {
  const { hooks } = hooksOf({ onRequest: () => ({ send }) as never });
  expect(() => hooks.onRequest(request)).toThrow("failed on this request");
});

test("onForward cannot change what is sent: the cache has been checked by then", () => {
  const { hooks } = hooksOf({ onForward: () => ({ send: { headers: { "X-A": "1" } } }) });
  expect(() => hooks.onForward(request)).toThrow("failed on this request");
});

test("what plugins need adds up; what fails needs nothing", () => {
  const { hooks } = hooksOf(
    { needs: ["user"] },
    { needs: ({ path }) => (path === "/v1" ? ["model"] : []) },
    { needs: throws },
    { needs: () => ["prompt"] as never },
  );
  expect(hooks.needs(request)).toEqual(["user", "model"]);
  expect(hooks.needs({ ...request, path: "/v2" })).toEqual(["user"]);
  expect(hooks.failures().get("p3 needs")).toBe(2);
});

test("a hook that only waits for its turn is not switched off", () => {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const { hooks } = hooksOf({ onRequest: () => void Atomics.wait(turn, 0, 0) });
  for (let calls = 0; calls < 4; calls++) expect(() => hooks.onRequest(request)).toThrow();
  expect(hooks.degraded()).toEqual([]);
});

test("failures are counted as metrics, by plugin and hook", async () => {
  const boom = () => {
    throw new Error("boom");
  };
  const { hooks } = hooksOf({ onRequest: boom, onRecord: boom });
  for (let calls = 0; calls < 2; calls++) expect(() => hooks.onRequest(request)).toThrow();
  await hooks.onRecord(draft());
  const lines = hooksText("gateway", hooks).split("\n");
  expect(lines.slice(1, 4)).toEqual([
    "# TYPE weir_gateway_hook_failures_total counter",
    'weir_gateway_hook_failures_total{plugin="p0",hook="onRequest"} 2',
    'weir_gateway_hook_failures_total{plugin="p0",hook="onRecord"} 1',
  ]);
});

describe("onAnswer", () => {
  const answer = toAnswer({ status: 200, headers: [], body: undefined } as unknown as ResponseFacts);

  test("the additions of several plugins to a record are combined, with promises in between or not", async () => {
    const { hooks } = hooksOf(
      { onAnswer: () => ({ properties: { A: "1", B: "1" } }) },
      { onAnswer: async () => ({ properties: { B: null }, scores: { good: 1 } }) },
      { onAnswer: () => undefined },
    );
    expect(await hooks.onAnswer(answer)).toEqual({
      properties: { A: "1", B: null },
      scores: { good: 1 },
      reasons: {},
    });
    expect(hooksOf({}).hooks.onAnswer(answer)).toBeUndefined();
  });

  test.each<[string, NonNullable<PluginHooks["onAnswer"]>]>([
    ["throws", throws],
    ["rejects", rejects],
    ["never answers", never],
    ["loops for ever", forever],
    ["answers no note", () => "fine" as never],
    ["misspells a member", () => ({ property: { A: "1" } }) as never],
    ["sets a property that is no text", () => ({ properties: { A: 1 } }) as never],
    ["sets a score that is no number", async () => ({ scores: { A: Number.NaN } })],
    ["names nothing", () => ({ scores: { "": 1 } })],
    ["names too much", () => ({ scores: Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [at, 1])) })],
  ])("one that %s adds nothing, and is counted", async (_name, onAnswer) => {
    const { hooks } = hooksOf({ onAnswer }, { onAnswer: () => ({ scores: { good: 1 } }) });
    expect(await hooks.onAnswer(answer)).toMatchObject({ scores: { good: 1 } });
    expect(hooks.failures().get("p0 onAnswer")).toBe(1);
  });

  test("headers with credentials are not there, and neither is what no HTTP allows", () => {
    const headers = ["X-A", "1", "Set-Cookie", MASKED, "bad name", "1", "x-a", "2"];
    const shown = toAnswer({ headers, body: '{"a":1}' } as unknown as ResponseFacts);
    expect([...shown.headers]).toEqual([["x-a", "1, 2"]]);
    expect(shown.body).toEqual({ a: 1 });
    expect(shown.body).toBe(shown.body);
  });
});

describe("onRequest", () => {
  test("returns at once, without a promise, if no hook returns one", () => {
    const { hooks } = hooksOf({ onRequest: () => undefined }, { onRequest: () => refusal });
    expect(hooks.onRequest(request)).toBe(refusal);
  });

  test("asks in order until one refuses, promises in between or not", async () => {
    const calls: number[] = [];
    const ask = (at: number, verdict: unknown) => ({
      onRequest: () => {
        calls.push(at);
        return verdict as never;
      },
    });
    const { hooks } = hooksOf(
      ask(1, undefined),
      ask(2, Promise.resolve()),
      ask(3, Promise.resolve(refusal)),
      ask(4, refusal),
    );
    expect(await hooks.onRequest(request)).toBe(refusal);
    expect(calls).toEqual([1, 2, 3]);
  });

  test.each<[string, NonNullable<PluginHooks["onRequest"]>]>([
    ["throws", throws],
    ["rejects", rejects],
    ["never answers", never],
    ["loops for ever", forever],
    ["answers a status that is no refusal", () => ({ ...refusal, status: 200 })],
    ["answers no refusal", () => "closed" as never],
  ])("fails closed where a hook %s", async (_name, onRequest) => {
    const { hooks } = hooksOf({ onRequest });
    const failure = await (async () => hooks.onRequest(request))().catch((error) => error);
    expect(failure).toMatchObject({ code: "plugin_failed", status: 500 });
    expect(hooks.failures().get("p0 onRequest")).toBe(1);
  });

  test("that blocks the thread again and again is not called any more", () => {
    let calls = 0;
    const { hooks } = hooksOf({
      onRequest: () => {
        calls++;
        forever();
      },
    });
    const ask = () => expect(() => hooks.onRequest(request)).toThrow('"p0" failed');
    // A busy machine takes more calls: what counts is the CPU time that the hook took.
    while (hooks.degraded().length === 0) ask();
    expect(calls).toBeGreaterThanOrEqual(3);
    const before = calls;
    ask();
    expect(calls).toBe(before);
  });

  test("finishes with the hooks it started with when plugins are replaced meanwhile", async () => {
    const { hooks } = hooksOf({ onRequest: () => Promise.resolve() }, { onRequest: () => refusal });
    const verdict = hooks.onRequest(request);
    hooks.use([]);
    expect(await verdict).toBe(refusal);
    expect(hooks.has("onRequest")).toBe(false);
  });
});

describe("onForward", () => {
  test("lets a request continue with the headers of all plugins, promises in between or not", async () => {
    const adds = (name: string, value: string) => ({ responseHeaders: { [name]: value } });
    const { hooks } = hooksOf(
      { onForward: () => adds("a", "1") },
      { onForward: async () => adds("b", "2") },
      { onForward: () => undefined },
      { onForward: () => adds("a", "3") },
    );
    expect(await hooks.onForward(request)).toEqual({ responseHeaders: { a: "3", b: "2" } });
  });

  test("returns a refusal in place of headers that were added before", async () => {
    const added = { responseHeaders: { a: "1" } };
    const { hooks } = hooksOf({ onForward: () => added }, { onForward: async () => refusal });
    expect(await hooks.onForward(request)).toBe(refusal);
  });

  test.each([
    {},
    { responseHeaders: null },
    { responseHeaders: "x" },
    { responseHeaders: { "a b": "x" } },
    { responseHeaders: { a: 1 } },
    { ...refusal, headers: { a: 1 } },
  ])("fails closed on a response that is neither: %p", (verdict) => {
    const { hooks } = hooksOf({ onForward: () => verdict as never });
    expect(() => hooks.onForward(request)).toThrow('"p0" failed');
  });
});

describe("onEnd", () => {
  test("notifies every plugin, even if one fails, and counts failures by plugin", async () => {
    const notified: string[] = [];
    const { hooks } = hooksOf(
      {
        onEnd: () => {
          throw new Error("no");
        },
      },
      { onEnd: (async () => Promise.reject(new Error("no"))) as never },
      { onEnd: ({ id }) => void notified.push(id) },
    );
    hooks.onEnd({ id: "r", status: 200, outcome: "complete", forwarded: true });
    await new Promise((resolve) => setImmediate(resolve));
    expect(notified).toEqual(["r"]);
    expect([...hooks.failures().values()]).toEqual([1, 1]);
  });
});

describe("onRecord", () => {
  test("changes the draft, and false drops it", async () => {
    const { hooks } = hooksOf({
      onRecord: (each) => {
        each.properties["Team"] = "night";
      },
    });
    const one = draft();
    expect(await hooks.onRecord(one)).toBe(true);
    expect(one.properties).toEqual({ Team: "night" });
    expect(await hooksOf({ onRecord: () => false }).hooks.onRecord(one)).toBe(false);
  });

  const ofCost = (cost: number) => (each: RecordDraft) => void Object.assign(each, { cost });
  test.each<[string, (each: RecordDraft) => unknown]>([
    ["throws", throws],
    ["rejects", rejects],
    ["never answers", never],
    ["loops for ever", forever],
    [
      "leaves a property that is no text",
      (each) => {
        (each.properties as Record<string, unknown>)["Team"] = 3;
      },
    ],
    ["leaves a cost that is no number", ofCost(Number.NaN)],
    ["leaves a negative cost", ofCost(-0.01)],
    ["leaves a cost of more than a million dollars", ofCost(1_000_001)],
  ])("fails open, the draft as before, where a hook %s", async (_name, spoil) => {
    const { hooks } = hooksOf({
      onRecord: (each) => {
        each.provider = "B";
        each.properties["Mood"] = "bad";
        return spoil(each) as never;
      },
    });
    const one = draft();
    expect(await hooks.onRecord(one)).toBe(true);
    expect(one).toEqual(draft());
    expect(hooks.failures().get("p0 onRecord")).toBe(1);
  });

  test("is called again, on the draft as before, when it was cut off without having had the CPU", async () => {
    const turn = new Int32Array(new SharedArrayBuffer(4));
    let calls = 0;
    const { hooks } = hooksOf({
      onRecord: (each) => {
        calls++;
        each.properties[`Call ${calls}`] = "begun";
        if (calls <= 2) Atomics.wait(turn, 0, 0);
      },
    });
    const one = draft();
    expect(await hooks.onRecord(one)).toBe(true);
    expect(calls).toBeGreaterThanOrEqual(3);
    expect(one).toEqual({ ...draft(), properties: { ...draft().properties, [`Call ${calls}`]: "begun" } });
    expect(hooks.failures().size).toBe(0);
  });
});

describe("onRecorded", () => {
  const good = { onRecorded: () => ({ scores: { good: true, same: 1 } }) };

  test("adds scores and properties of all plugins, with the reasons of those that say why", async () => {
    const { hooks } = hooksOf(
      good,
      {
        onRecorded: async ({ request_id }) => ({
          properties: { Checked: request_id },
          scores: {
            short: false,
            same: { value: 0.5, reason: "half" },
            why: { value: true, reason: "x".repeat(5_000) },
          },
        }),
      },
      { onRecorded: () => undefined },
    );
    expect(await hooks.onRecorded(draft())).toEqual({
      properties: { Checked: "r" },
      scores: { good: 1, short: 0, same: 0.5, why: 1 },
      reasons: { same: { plugin: "p1", text: "half" }, why: { plugin: "p1", text: "x".repeat(4_000) } },
    });
  });

  test("a later score without a reason takes the reason before it away", () => {
    const { hooks } = hooksOf({ onRecorded: () => ({ scores: { same: { value: 0, reason: "none" } } }) }, good);
    expect(hooks.onRecorded(draft())).toMatchObject({ scores: { same: 1 }, reasons: {} });
  });

  test.each<[string, NonNullable<PluginHooks["onRecorded"]>]>([
    ["throws", throws],
    ["rejects", rejects],
    ["never answers", never],
    ["loops for ever", forever],
    ["answers a score alone", () => 1 as never],
    ["gives a text as a score", () => ({ scores: { A: "high" } }) as never],
    ["gives a reason that is no text", () => ({ scores: { A: { value: 1, reason: 2 } } }) as never],
    ["gives a reason without a value", () => ({ scores: { A: { reason: "why" } } }) as never],
    ["misspells a member of a score", () => ({ scores: { A: { value: 1, reasons: "why" } } }) as never],
  ])("one that %s adds nothing, and is counted", async (_name, onRecorded) => {
    const { hooks, lines } = hooksOf({ onRecorded }, good);
    expect(await hooks.onRecorded(draft())).toMatchObject({ scores: { good: 1, same: 1 } });
    expect(hooks.failures().get("p0 onRecorded")).toBe(1);
    expect(lines.join("")).toContain("onRecorded");
  });
});

test("a hook is called with its plugin's other members as this", async () => {
  const { hooks } = hooksOf({
    onRequest(this: PluginHooks) {
      return this.dispose === undefined ? undefined : refusal;
    },
    dispose() {},
  });
  expect(hooks.onRequest(request)).toBe(refusal);
});

test("guarded calls nest, and hand on results and errors", () => {
  expect(guarded((n: number) => guarded((m: number) => m + 1, n, 100) + 1, 1, 100)).toBe(3);
  expect(() =>
    guarded(
      () => {
        throw new Error("mine");
      },
      0,
      100,
    ),
  ).toThrow("mine");
});
