import { expect, test } from "bun:test";
import required from "../../plugins/require.ts";
import { type RequestParts, requestOf } from "./open.ts";
import { setUpPlugin } from "./set-up.ts";

const team = { name: "Team", values: ["red", "blue"] };
const of = (Team: string): RequestParts => ({ properties: { Team } });

test.each<[string, object, RequestParts, string, string]>([
  ["a property that is there", { properties: [team] }, of("red"), "passes", ""],
  ["its name in another case", { properties: [team] }, { properties: { team: "red" } }, "passes", ""],
  [
    "a property that is missing",
    { properties: [team] },
    {},
    "property_missing",
    "Gateway-Property-Team one of red, blue",
  ],
  ["one that is empty", { properties: [{ name: "Team" }] }, of(""), "property_missing", "Gateway-Property-Team"],
  ["another value", { properties: [team] }, of("green"), "property_not_allowed", "must be one of red, blue"],
  ["any value", { properties: [{ name: "Team" }] }, of("green"), "passes", ""],
  [
    "words of one's own",
    { properties: [{ ...team, message: "see wiki/teams" }] },
    {},
    "property_missing",
    "see wiki/teams",
  ],
  ["another host", { properties: [{ ...team, hosts: ["*.openai.com"] }] }, {}, "passes", ""],
  ["the host", { properties: [{ ...team, hosts: ["*.Acme.test"] }] }, {}, "property_missing", ""],
  ["another organization", { properties: [{ ...team, organizations: ["o"] }] }, {}, "passes", ""],
  ["a user", { user: true }, { userId: "ann" }, "passes", ""],
  ["no user", { user: true }, {}, "user_missing", "Gateway-User-Id"],
])("%s", async (_name, options, request, code, message) => {
  const { onRequest } = await setUpPlugin(required, options);
  const verdict = (await onRequest?.(requestOf(request))) as { code: string; message: string } | undefined;
  expect(verdict?.code ?? "passes").toBe(code);
  expect(verdict?.message ?? "").toContain(message);
});

test("without options it has no hooks, and only a user is read from bodies", async () => {
  expect(await setUpPlugin(required, {})).toEqual({});
  expect((await setUpPlugin(required, { user: true })).needs).toEqual(["user"]);
  expect((await setUpPlugin(required, { properties: [team] })).needs).toEqual([]);
});
