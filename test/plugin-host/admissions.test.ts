import { expect, test } from "bun:test";
import type { PluginHooks, RequestKind } from "../../src/plugin-host/contract.ts";
import { Admissions } from "../../src/plugin-host/hooks/admissions.ts";
import type { OpenPlugin } from "../../src/plugin-host/setup.ts";
import { keptLog } from "./folder.ts";

function admissionsOf(...plugins: PluginHooks[]) {
  const { log, lines } = keptLog();
  const admissions = new Admissions(log, 250);
  admissions.use(
    plugins.map((each, at) => ({ name: `p${at}`, hooks: each, from: undefined as never }) satisfies OpenPlugin),
  );
  return { admissions, lines };
}

const throws = () => {
  throw new Error("no");
};
const forever = () => {
  for (;;);
};
const kind = { organizationId: "o", keyId: "k", provider: "A" } as RequestKind;
const admits = { onForward: () => undefined, admits: () => true };

test.each<[string, PluginHooks[], boolean]>([
  ["without plugins", [], true],
  ["if all admit it", [admits, admits], true],
  ["if one does not", [admits, { onForward: () => undefined, admits: () => false }], false],
  ["if one for requests says nothing", [admits, { onRequest: () => undefined }], false],
  ["if one that wants their ends says nothing", [admits, { onEnd: () => undefined }], false],
  ["if one has nothing to do with requests", [admits, { onAnswer: () => undefined }], true],
  ["if one fails", [{ onForward: () => undefined, admits: throws }], false],
  ["if one never responds", [{ onForward: () => undefined, admits: forever }], false],
  ["if one promises it", [{ onForward: () => undefined, admits: (async () => true) as never }], false],
])("a kind of requests is admitted %s: %#", (_name, plugins, expected) => {
  expect(admissionsOf(...plugins).admissions.admits(kind)).toBe(expected);
});

test("plugins learn how many requests were passed on; a failing one keeps nothing from the others", () => {
  const passed: number[] = [];
  const counts = { ...admits, onAdmitted: (_kind: RequestKind, requests: number) => void passed.push(requests) };
  const { admissions, lines } = admissionsOf({ ...admits, onAdmitted: throws }, counts);
  admissions.onAdmitted(kind, 7);
  expect([passed, lines.length]).toEqual([[7], 1]);
});

test("other plugins are a change", () => {
  const { admissions } = admissionsOf(admits);
  const before = Atomics.load(admissions.changes, 0);
  admissions.use([]);
  expect(Atomics.load(admissions.changes, 0)).toBeGreaterThan(before);
});
