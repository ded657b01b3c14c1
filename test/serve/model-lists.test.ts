import { expect, test } from "bun:test";
import type { Credential } from "../../src/routing/credential.ts";
import { ModelLists } from "../../src/serve/model-lists.ts";
import type { CredentialTest } from "../../src/unified/test-credential.ts";
import { keptLog } from "../plugin-host/folder.ts";
import { credential } from "../routing/things.ts";
import { until } from "../until.ts";

const HOUR_MS = 3_600_000;

const resultOf = (models: readonly string[], failure?: string): CredentialTest => ({
  ...{ ok: failure === undefined, asked: "models", status: 200, message: failure ?? "", models },
});

/** Lists of models whose providers respond when and as the test says. */
function opened(list: (credential: Credential) => Promise<CredentialTest | undefined>) {
  const { log, lines } = keptLog();
  const calls: string[] = [];
  const listed: [string, readonly string[] | undefined][] = [];
  let hours = 0;
  const lists = new ModelLists({
    list: (each) => {
      calls.push(each.name);
      return list(each);
    },
    onListed: (each, models) => void listed.push([each.name, models]),
    log,
    now: () => hours * HOUR_MS,
  });
  const follow = (...credentials: Credential[]) => lists.follow({ credentials, routes: [], prices: [] });
  const pass = (by: number) => {
    hours += by;
    lists.look();
  };
  return { lists, follow, pass, calls, listed, lines, [Symbol.dispose]: () => lists.close() };
}

test("a provider is called when its credential is stored, when that changes, and every 6 hours", async () => {
  using it = opened(async (each) => resultOf([`model-of-${each.secrets!["api_key"]}`]));
  const one = credential("OPENAI", "one");
  it.follow(one, credential("GROQ", "off", { enabled: false }), credential("GROQ", "locked", { secrets: undefined }));
  await until(() => it.listed.length === 1);
  it.follow({ ...one, weight: 7 });
  it.follow({ ...one, secrets: { api_key: "new" } });
  await until(() => it.listed.length === 2);
  it.pass(5.9);
  expect(it.calls).toEqual(["one", "one"]);
  it.pass(0.1);
  await until(() => it.listed.length === 3);
  it.follow();
  expect(it.listed).toEqual([
    ["one", ["model-of-k"]],
    ["one", ["model-of-new"]],
    ["one", ["model-of-new"]],
    ["one", undefined],
  ]);
});

test("a failure leaves the last list, is said once, and is retried sooner", async () => {
  let broken = false;
  using it = opened(async () => {
    if (broken) throw new Error("it broke");
    return resultOf(["a"]);
  });
  it.follow(credential("OPENAI", "one"));
  await until(() => it.listed.length === 1);
  broken = true;
  for (const times of [2, 3]) {
    it.pass(6);
    await until(() => it.calls.length === times);
  }
  broken = false;
  it.pass(0.2);
  await until(() => it.listed.length === 2);
  expect(it.lines.filter((line) => line.includes("cannot be listed"))).toHaveLength(1);
  expect(it.lines.join()).toContain("it broke");
});

test("a few are called at a time; a result for a credential that has changed is dropped", async () => {
  const waiting = new Map<string, (test: CredentialTest | undefined) => void>();
  using it = opened((each) => new Promise((resolve) => waiting.set(each.name, resolve)));
  const all = Array.from({ length: 9 }, (_, at) => credential("OPENAI", `c-${at}`));
  it.follow(...all);
  expect(it.calls).toHaveLength(4);
  it.follow(...all.map((each) => (each.name === "c-0" ? { ...each, baseUrl: "https://other.test" } : each)));
  waiting.get("c-0")!(resultOf(["old"]));
  waiting.get("c-1")!(undefined);
  waiting.get("c-2")!(resultOf(["new"]));
  await until(() => it.calls.length === 7);
  expect(it.listed).toEqual([["c-2", ["new"]]]);
  expect(it.calls.filter((name) => name === "c-0")).toHaveLength(2);
});
