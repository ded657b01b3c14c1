import { expect, test } from "bun:test";
import { userIdIn } from "../../src/mapping/user-id.ts";
import { askClaude, messagesToChat, messagesToResponses, send } from "./shapes/translation.ts";

/** Claude Code's `user_id` holds its session; OpenAI refuses users of more than 64 characters. */

const DEVICE = "3f".repeat(32);
const ACCOUNT = "7c3c2b9e-4f2b-4c0e-9d3e-2b7113141d38";
const named = (account_uuid: string) => JSON.stringify({ device_id: DEVICE, account_uuid, session_id: "2305c3e8" });

test.each([
  ["the account of today's Claude Code", named(ACCOUNT), ACCOUNT],
  ["its device, without an account", named(""), DEVICE],
  ["the account of an earlier one", `user_${DEVICE}_account_${ACCOUNT}_session_2305c3e8`, ACCOUNT],
  ["the device of an earlier one", `user_${DEVICE}_account__session_2305c3e8`, DEVICE],
  ["any other text", "user_session_1", "user_session_1"],
  ["other JSON", '{"id":1}', '{"id":1}'],
])("the user is %s", (_name, user_id, expected) => {
  expect(userIdIn({ metadata: { user_id } })).toBe(expected);
  const sent = send(askClaude({ metadata: { user_id } }), messagesToChat);
  expect([sent.body.user, sent.losses]).toEqual([expected, []]);
});

test("a long user reaches OpenAI's APIs as a hash, the same each time", () => {
  const given = askClaude({ metadata: { user_id: "u".repeat(65) } });
  const users = [messagesToChat, messagesToResponses, messagesToChat].map((way) => send(given, way).body.user);
  expect(users[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(users).size).toBe(1);
});
