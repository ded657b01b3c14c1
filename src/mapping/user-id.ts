import { createHash } from "node:crypto";
import type { Json } from "../plugin-host/contract.ts";
import { filledText, objectOf, parseJson } from "./json.ts";

/** Longer texts are users' own words, not ids. */
const CLAUDE_CODE_LENGTH_MAX = 1_000;
const OPENAI_LENGTH_MAX = 64;

/** The end user that a request's body names: OpenAI's `user`, Anthropic's `metadata.user_id`. */
export function userIdIn(body: Json): string | undefined {
  return filledText(body?.user) ?? userInMetadata(body?.metadata);
}

/**
 * Anthropic's `user_id`. Claude Code puts device, account and session into it, today as JSON. Its user is the account, else the
 * device: with the session, every conversation would count as another user.
 */
export function userInMetadata(metadata: Json): string | undefined {
  const text = filledText(metadata?.user_id);
  if (text === undefined || text.length > CLAUDE_CODE_LENGTH_MAX) return text;
  const [, device, account] = /^user_([0-9a-f]{64})_account_([\w-]*)_session_[\w-]+$/.exec(text) ?? [];
  if (device !== undefined) return account || device;
  const named = text.startsWith('{"') ? objectOf(parseJson(text)) : undefined;
  return filledText(named?.["account_uuid"]) ?? filledText(named?.["device_id"]) ?? text;
}

/** The user for OpenAI's APIs, which refuse longer texts: their hash. */
export const shortUser = (user: string | undefined): string | undefined =>
  user === undefined || user.length <= OPENAI_LENGTH_MAX ? user : createHash("sha256").update(user).digest("hex");
