import { expect, test } from "bun:test";
import type { PluginHooks, RecordDraft } from "../../src/plugin-host/contract.ts";
import { Hooks } from "../../src/plugin-host/hooks/hooks.ts";
import type { OpenPlugin } from "../../src/plugin-host/setup.ts";
import { keptLog } from "./folder.ts";

const draft = (): RecordDraft => ({
  ...{ request_id: "r", organization_id: "o", provider: "A", model: "m", request_user_id: null, properties: {} },
  ...{ cost: 1, threat: null, response_status: 200, facts: undefined as never },
  request_body: { messages: ["hi"] },
  response_body: { text: "ho" },
});

function hooksOf(...plugins: NonNullable<PluginHooks["onRecord"]>[]): Hooks {
  const hooks = new Hooks(keptLog().log);
  const open = (onRecord: PluginHooks["onRecord"], at: number) =>
    ({ name: `p${at}`, hooks: { onRecord }, from: undefined as never }) as OpenPlugin;
  hooks.use(plugins.map(open));
  return hooks;
}

const messages = ({ request_body }: RecordDraft) => request_body.messages as string[];

test("a hook that fails, or is called again, leaves no part of its change to the bodies in place", async () => {
  const turn = new Int32Array(new SharedArrayBuffer(4));
  let calls = 0;
  const hooks = hooksOf(
    (each) => void messages(each).push("first"),
    (each) => {
      messages(each).shift();
      each.response_body.text = "gone";
      throw new Error("boom");
    },
    (each) => {
      messages(each).push("last");
      if (++calls <= 2) Atomics.wait(turn, 0, 0);
    },
  );
  const one = draft();
  expect(await hooks.onRecord(one)).toBe(true);
  expect([one.request_body, one.response_body]).toEqual([{ messages: ["hi", "first", "last"] }, { text: "ho" }]);
});

test("a hook is called with a draft that an earlier one made circular", async () => {
  const hooks = hooksOf(
    (each) => void Object.assign(each.request_body, { self: each.request_body }),
    (each) => void Object.assign(each, { cost: 2 }),
  );
  const one = draft();
  expect(await hooks.onRecord(one)).toBe(true);
  expect(one.cost).toBe(2);
});

test("no text is taken of bodies that the caller has as text, unless a hook may have changed them", async () => {
  let texts = 0;
  const toJSON = () => ({ text: `${++texts}` });
  const one = { ...draft(), response_body: { toJSON } };
  const given = { request: `{"messages":["hi"]}`, response: `{"text":"ho"}` };
  const fails = () => {
    throw new Error("boom");
  };
  expect(await hooksOf(() => {}).onRecord(one, given)).toBe(true);
  expect(texts).toBe(0);
  expect(await hooksOf(() => {}, fails, fails).onRecord(one, given)).toBe(true);
  expect<unknown>([texts, one.response_body]).toEqual([1, { text: "1" }]);

  const two = draft();
  expect(
    await hooksOf(({ request_body }) => {
      request_body.messages.push("half");
      return fails();
    }).onRecord(two, given),
  ).toBe(true);
  expect(two.request_body).toEqual({ messages: ["hi"] });
});
