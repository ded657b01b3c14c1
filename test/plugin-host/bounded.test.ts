import { expect, test } from "bun:test";
import type { ExchangeView, ProviderPlugin } from "../../src/plugin-host/contract.ts";
import type { LoadedProvider } from "../../src/plugin-host/files/load.ts";
import { CutOff } from "../../src/plugin-host/hooks/guard.ts";
import { buildRegistry } from "../../src/plugin-host/providers/registry.ts";

const NO_EXCHANGE = undefined as unknown as ExchangeView;

/** Of a drop-in with these functions, as it is called. */
function loaded(functions: Partial<ProviderPlugin>, isPatient = false): ProviderPlugin {
  const value = { apiVersion: 1 as const, name: "ACME", ...functions };
  const file: LoadedProvider = { value, file: "acme.ts", builtIn: false, hash: "1" };
  return buildRegistry([file], isPatient).providerByName("ACME")!;
}

function forever(): never {
  for (;;);
}

test.each<[string, Partial<ProviderPlugin>, (provider: ProviderPlugin) => unknown]>([
  ["price", { cost: forever }, ({ cost }) => cost!({}, "m", NO_EXCHANGE)],
  ["request", { readRequest: forever }, ({ readRequest }) => readRequest!({}, NO_EXCHANGE)],
  ["response", { readResponse: forever }, ({ readResponse }) => readResponse!({}, NO_EXCHANGE)],
  ["event", { readEvent: forever }, ({ readEvent }) => readEvent!({}, { data: {} }, NO_EXCHANGE)],
])("a drop-in that loops over a %s is cut off", (_name, functions, call) => {
  expect(() => call(loaded(functions))).toThrow(CutOff);
});

test("one that loops again and again is left alone for a while", () => {
  const { cost } = loaded({ cost: forever });
  // Three times, and more only on a machine so busy that some of them hardly run.
  for (let at = 0; at < 15 && cutOff(() => cost!({}, "m", NO_EXCHANGE)); at++);
  expect(() => cost!({}, "m", NO_EXCHANGE)).toThrow("switched off");
});

/** Whether the call took too long. */
function cutOff(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch (error) {
    return error instanceof CutOff;
  }
}

test("one that only waits for its turn is not switched off", () => {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  let isQuick = false;
  const { cost } = loaded({ cost: () => (isQuick || Atomics.wait(turn, 0, 0) === "ok" ? 1 : null) });
  for (let at = 0; at < 4; at++) expect(() => cost!({}, "m", NO_EXCHANGE)).toThrow("took longer");
  isQuick = true;
  expect(cost!({}, "m", NO_EXCHANGE)).toBe(1);
});

test("one that waited for its turn is called again by threads of low priority, one that loops is not", () => {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  let calls = 0;
  const waits = () => (++calls <= 2 && Atomics.wait(turn, 0, 0) === "ok" ? null : 1);
  expect(loaded({ cost: waits }, true).cost!({}, "m", NO_EXCHANGE)).toBe(1);
  expect(calls).toBeGreaterThanOrEqual(3);
  expect(() => loaded({ cost: forever }, true).cost!({}, "m", NO_EXCHANGE)).toThrow(CutOff);
});

test("a promise is no response, and its failure is ignored", async () => {
  const cost = (async () => {
    throw new Error("later");
  }) as unknown as NonNullable<ProviderPlugin["cost"]>;
  expect(() => loaded({ cost }).cost!({}, "m", NO_EXCHANGE)).toThrow("cost has to return at once");
  await new Promise((resolve) => setImmediate(resolve));
});

test("functions see their provider, and their results are returned", () => {
  const provider = loaded({
    cost(this: ProviderPlugin, usage, model) {
      return this.name === "ACME" && model === "m" ? (usage.total_tokens ?? 0) : null;
    },
  });
  expect(provider.cost!({ total_tokens: 7 }, "m", NO_EXCHANGE)).toBe(7);
});
