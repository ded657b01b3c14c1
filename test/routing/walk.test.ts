import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Credential } from "../../src/routing/credential.ts";
import { type Failure, failureOf, leadsTo, restOf } from "../../src/routing/failure.ts";
import { readModelString } from "../../src/routing/model-string.ts";
import { order } from "../../src/routing/order.ts";
import { resolve } from "../../src/routing/resolve.ts";
import { Rests } from "../../src/routing/rests.ts";
import type { Scope } from "../../src/routing/scope.ts";
import { type Candidate, restSubjectOf, Walk, type WalkParts } from "../../src/routing/walk.ts";
import { assertProperty } from "../chance.ts";
import { credential, orderParts, route, scope, target } from "./things.ts";

const NOW = 1_000_000;

function walk(model: string, within: Partial<Scope> = {}, parts: Partial<WalkParts> = {}) {
  const targets = order(resolve(readModelString(model), scope(within)), orderParts());
  return new Walk(targets, {
    rests: new Rests(),
    hasOwnKey: () => false,
    seed: undefined,
    retries: undefined,
    random: () => 0.5,
    ...parts,
  });
}
const text = ({ target, credential, model }: Candidate) =>
  `${target.provider.name}/${model}@${credential === "client" ? "client" : credential.name}`;
const shown = (next: Candidate | undefined) => next && text(next);
const status = (code: number): Failure => failureOf(code, "");

/** The calls, in order, if every attempt fails alike. */
function calledAfter(walking: Walk, failure: Failure): string[] {
  const found: string[] = [];
  for (let next = walking.first(NOW); next !== undefined; ) {
    found.push(shown(next)!);
    next = walking.afterFailure(next, failure, NOW);
  }
  return found;
}

describe("which failure leads where", () => {
  test.each([
    [404, true],
    [408, true],
    [429, true],
    [500, true],
    [529, true],
    [401, true],
    [402, true],
    [400, false],
    [413, false],
    [422, false],
  ])("%d leads on by default: %p", (code, leads) => {
    expect(leadsTo(undefined, status(code))).toBe(leads);
  });

  test.each([
    [["4xx"], 400, true],
    [["5xx"], 429, false],
    [[400], 400, true],
    [[400], 401, false],
    [["auth"], 403, true],
    [["network"], 502, false],
  ] as const)("%p and %d: %p", (on, code, leads) => {
    expect(leadsTo(on, status(code))).toBe(leads);
  });

  test.each([
    ["OpenAI's long context", 400, '{"error":{"code":"context_length_exceeded"}}', "context"],
    ["Anthropic's", 400, '{"error":{"message":"prompt is too long: 210000 tokens"}}', "context"],
    [
      "Gemini's",
      400,
      '{"error":{"message":"The input token count (2000000) exceeds the maximum number of tokens allowed"}}',
      "context",
    ],
    ["Bedrock's", 400, '{"message":"Input is too long for requested model."}', "context"],
    ["Bedrock's sum", 400, '{"message":"input length and `max_tokens` exceed context limit: 1 + 2 > 3"}', "context"],
    ["vLLM's", 400, '{"error":{"message":"Please reduce the length of the input messages."}}', "context"],
    ["a limit of tokens", 422, '{"error":{"message":"Prompt exceeds the limit of 8,192 tokens"}}', "context"],
    [
      "too long an output",
      400,
      '{"error":{"message":"max_tokens exceeds the maximum number of output tokens"}}',
      "status",
    ],
    ["Azure's filter", 400, '{"error":{"code":"content_filter"}}', "filtered"],
    ["spent quota", 429, '{"error":{"code":"insufficient_quota"}}', "auth"],
    ["Anthropic's empty purse", 400, '{"error":{"message":"Your credit balance is too low"}}', "auth"],
    ["an ordinary 400", 400, '{"error":{"message":"max_tokens: must be at least 1"}}', "status"],
    ["a rate limit", 429, '{"error":{"message":"Rate limit reached"}}', "status"],
  ])("%s", (_what, code, body, kind) => {
    expect(failureOf(code, body).kind).toBe(kind as Failure["kind"]);
  });
});

describe("a walk", () => {
  test("goes from target to target", () => {
    expect(calledAfter(walk("openai/a,groq/b"), status(500))).toEqual(["OPENAI/a@openai", "GROQ/b@groq"]);
  });

  test("ends where no later target names the failure", () => {
    expect(calledAfter(walk("openai/a,groq/b"), status(400))).toEqual(["OPENAI/a@openai"]);
  });

  test("passes over targets that do not name it", () => {
    const routes = [route("r", ["openai/a", target("groq/b", { on: [500] }), target("aws/c", { on: [400] })])];
    expect(calledAfter(walk("r", { routes }), status(400))).toEqual(["OPENAI/a@openai", "AWS/c@aws"]);
  });

  test("a nested target takes its conditions from the outermost that has any", () => {
    const routes = [route("in", ["groq/b"]), route("r", ["openai/a", target("in", { on: [400] })])];
    expect(calledAfter(walk("r", { routes }), status(400))).toEqual(["OPENAI/a@openai", "GROQ/b@groq"]);
  });

  test("a refused or spent credential gives way to the provider's next", () => {
    const credentials = [credential("OPENAI", "a", { weight: 9 }), credential("OPENAI", "b"), credential("GROQ", "g")];
    for (const code of [401, 403, 429]) {
      expect(calledAfter(walk("openai/x,groq/y", { credentials }), status(code))).toEqual([
        "OPENAI/x@a",
        "OPENAI/x@b",
        "GROQ/y@g",
      ]);
    }
    expect(calledAfter(walk("openai/x,groq/y", { credentials }), status(503))).toEqual(["OPENAI/x@a", "GROQ/y@g"]);
  });

  test("retries come before the next target, for failures that may pass", () => {
    const routes = [route("r", ["openai/a", "groq/b"], { retries: 1 })];
    expect(calledAfter(walk("r", { routes }), status(503))).toEqual([
      "OPENAI/a@openai",
      "OPENAI/a@openai",
      "GROQ/b@groq",
      "GROQ/b@groq",
    ]);
    expect(calledAfter(walk("r", { routes }), status(404))).toEqual(["OPENAI/a@openai", "GROQ/b@groq"]);
    expect(calledAfter(walk("r", { routes }, { retries: 0 }), status(503))).toEqual(["OPENAI/a@openai", "GROQ/b@groq"]);
  });

  test("the client's own key goes before stored ones", () => {
    const walking = walk("openai/a", {}, { hasOwnKey: () => true });
    expect(calledAfter(walking, status(401))).toEqual(["OPENAI/a@client", "OPENAI/a@openai"]);
  });

  test("a credential's map names the model", () => {
    const credentials = [credential("OPENAI", "a", { modelMap: { x: "deployment" } })];
    expect(calledAfter(walk("openai/x", { credentials }), status(500))).toEqual(["OPENAI/deployment@a"]);
  });

  test("locked credentials are left out", () => {
    const credentials = [credential("OPENAI", "a", { secrets: undefined }), credential("OPENAI", "b")];
    expect(calledAfter(walk("openai/x", { credentials }), status(401))).toEqual(["OPENAI/x@b"]);
  });

  test("equal credentials are chosen by session", () => {
    const credentials = ["a", "b", "c"].map((name) => credential("OPENAI", name));
    const of = (seed: string) => shown(walk("openai/x", { credentials }, { seed }).first(NOW));
    expect(of("s1")).toBe(of("s1"));
    expect(new Set(Array.from({ length: 50 }, (_, session) => of(`s${session}`))).size).toBe(3);
  });

  test("a target that is passed over is not called, whichever credential pays", () => {
    const walking = walk("openai/a,groq/b");
    walking.passOver(walking.candidates[0]!.target);
    expect(walking.hasMore).toBe(true);
    expect(shown(walking.afterPassing(NOW))).toBe("GROQ/b@groq");
    expect(walking.hasMore).toBe(false);
  });

  test("none is called twice, and every walk ends", () => {
    const codes = fc.constantFrom(400, 401, 404, 408, 429, 500, 503);
    assertProperty(
      fc.property(fc.array(codes, { minLength: 1 }), fc.nat(5), (failures, retries) => {
        const credentials = ["OPENAI", "OPENAI", "GROQ", "GROQ"].map((name, at) => credential(name, `c${at}`));
        const rests = new Rests();
        const walking = walk("openai/a,groq/b,openai/c", { credentials }, { retries, rests });
        const seen: Candidate[] = [];
        let step = 0;
        for (let next = walking.first(NOW); next !== undefined; step++) {
          expect(step).toBeLessThan(6 * (retries + 1));
          if (next !== seen.at(-1)) seen.push(next);
          const failure = status(failures[step % failures.length]!);
          rests.fail(restSubjectOf(next)!, failure, NOW);
          next = walking.afterFailure(next, failure, NOW);
        }
        expect(new Set(seen).size).toBe(seen.length);
      }),
    );
  });
});

describe("rest", () => {
  const one = { credential: "c", version: "1", provider: "OPENAI", model: "a" };
  const other = { ...one, model: "b" };

  test("a 429 rests one model of one credential, as long as the provider says, else ten seconds", () => {
    const rests = new Rests();
    rests.fail(one, status(429), NOW);
    expect(rests.until(one, NOW)).toBe(NOW + 10_000);
    expect(rests.until(other, NOW)).toBe(0);
    rests.fail(other, failureOf(429, "", 90_000), NOW);
    expect(rests.until(other, NOW)).toBe(NOW + 90_000);
  });

  test("a clock that is set back makes no rest longer than it was to be", () => {
    const rests = new Rests();
    rests.fail(one, status(429), NOW);
    expect(rests.until(one, NOW - 500_000)).toBe(NOW - 500_000 + 10_000);
    expect(rests.until(one, NOW - 500_000 + 10_000)).toBe(0);
  });

  test("an end is never moved earlier", () => {
    const rests = new Rests();
    rests.fail(one, failureOf(429, "", 90_000), NOW);
    rests.fail(one, failureOf(429, "", 1_000), NOW + 1);
    expect(rests.until(one, NOW + 2)).toBe(NOW + 90_000);
  });

  test("a refused credential rests altogether for five minutes", () => {
    const rests = new Rests();
    rests.fail(one, status(401), NOW);
    expect([rests.until(one, NOW), rests.until(other, NOW)]).toEqual([NOW + 300_000, NOW + 300_000]);
    expect(rests.health(NOW)).toMatchObject([{ model: null, state: "resting", lastError: "401" }]);
  });

  test("a pause ends when the credential has a new key or address, and with nothing else", () => {
    const rests = new Rests();
    const candidate = (more: Partial<Credential>): Candidate => {
      const [target] = order(resolve(readModelString("openai/a"), scope()), orderParts());
      return { target: target!, credential: credential("OPENAI", "openai", more), model: "a" };
    };
    const until = (more: Partial<Credential>) => rests.until(restSubjectOf(candidate(more))!, NOW);
    const old = { secrets: { api_key: "old" } };
    rests.fail(restSubjectOf(candidate(old))!, status(401), NOW);
    expect(until({ ...old, weight: 7, models: ["b"], enabled: true })).toBe(NOW + 300_000);
    expect(until({ secrets: { api_key: "new" } })).toBe(0);
    rests.fail(restSubjectOf(candidate(old))!, status(401), NOW);
    expect(until({ ...old, baseUrl: "https://other.example" })).toBe(0);
    // What was under way with the old key says nothing of the new one.
    rests.fail(restSubjectOf(candidate(old))!, status(401), NOW);
    expect(until({ secrets: { api_key: "new" } })).toBe(0);
  });

  test("three failures in a row within a minute rest 15 s, doubled to five minutes; then one request tries", () => {
    const rests = new Rests();
    let now = NOW;
    for (let i = 0; i < 2; i++) rests.fail(one, status(503), now);
    expect(rests.until(one, now)).toBe(0);
    rests.fail(one, status(503), now);
    for (const ms of [15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      expect(rests.until(one, now)).toBe(now + ms);
      now += ms;
      expect(rests.until(one, now)).toBe(0);
      rests.begin(one, now);
      expect(rests.until(one, now)).toBeGreaterThan(now); // others wait for the one that tries
      rests.fail(one, status(503), now);
    }
    now += 300_000;
    rests.begin(one, now);
    rests.succeed(one);
    expect(rests.until(one, now)).toBe(0);
    rests.fail(one, status(503), now);
    expect(rests.until(one, now)).toBe(0);
  });

  test("failures more than a minute apart are no row, nor are the client's faults", () => {
    const rests = new Rests();
    for (let i = 0; i < 5; i++) rests.fail(one, status(503), NOW + i * 40_000);
    expect(rests.until(one, NOW + 160_000)).toBe(0);
    for (let i = 0; i < 5; i++) rests.fail(one, status(400), NOW);
    expect(rests.until(one, NOW)).toBe(0);
  });

  test("a client that leaves does not hold the try", () => {
    const rests = new Rests();
    for (let i = 0; i < 3; i++) rests.fail(one, status(503), NOW);
    rests.begin(one, NOW + 15_000);
    rests.release(one);
    expect(rests.until(one, NOW + 15_000)).toBe(0);
  });

  test("a walk passes over what rests; if all rest, the one that ends first is called", () => {
    const rests = new Rests();
    const walking = () => walk("openai/a,groq/b", {}, { rests });
    const [first, second] = walking().candidates;
    rests.fail(restSubjectOf(first!)!, failureOf(429, "", 60_000), NOW);
    expect(shown(walking().first(NOW))).toBe("GROQ/b@groq");
    rests.fail(restSubjectOf(second!)!, failureOf(429, "", 90_000), NOW);
    expect(calledAfter(walking(), status(500))).toEqual(["OPENAI/a@openai"]);
  });
});

describe("how long a provider asks to be left alone", () => {
  test.each([
    [["Retry-After", "7"], 7_000],
    [["retry-after-ms", "250", "retry-after", "1"], 250],
    [["retry-after", new Date(NOW + 5_000).toUTCString()], 5_000],
    [["x-ratelimit-reset-requests", "1m30.5s"], 90_500],
    [["x-ratelimit-reset-tokens", "250ms"], 250],
    [["anthropic-ratelimit-requests-reset", new Date(NOW + 2_000).toISOString()], 2_000],
    [["retry-after", "soon"], undefined],
    [["retry-after", "-3"], undefined],
    [["x-ratelimit-reset-requests", "1x"], undefined],
    [["retry-after", "99999999"], 86_400_000],
    [[], undefined],
  ])("%p: %p", (headers, expected) => {
    expect(restOf(headers, NOW)).toBe(expected);
  });
});
