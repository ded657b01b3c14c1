import type { Json } from "../../../plugin-host/contract.ts";
import { isObject, listOf, textOf } from "../../json.ts";
import type { MemberReader } from "../../translate/draft.ts";
import { readItems } from "../responses/items.ts";
import { readMessages } from "./read-messages.ts";

/**
 * Whether the body of a chat request has the conversation of a Responses request: `input` instead of `messages`. Cursor's
 * agent sends such bodies to chat completions and expects chat responses.
 */
export const hasInput = (body: Json): boolean =>
  isObject(body) && (typeof body.input === "string" || Array.isArray(body.input)) && listOf(body.messages).length === 0;

/** The input: a text, or items, which may include chat messages. */
export const readInput: MemberReader = (draft, value, at) => {
  if (typeof value === "string") {
    draft.messages.push({ role: "user", parts: [{ type: "text", text: value, at }], at });
    return;
  }
  const items = listOf(value);
  for (let from = 0, to = 1; from < items.length; from = to++) {
    const isChat = isOfChat(items[from]);
    while (to < items.length && isOfChat(items[to]) === isChat) to++;
    const first = from;
    (isChat ? readMessages : readItems)(draft, items.slice(from, to), (index) => `${at}[${first + index}]`);
  }
};

/** In Responses, calls and results are items of their own, not parts of messages. */
function isOfChat(item: Json): boolean {
  if (!isObject(item) || (item.type !== undefined && item.type !== "message")) return false;
  const isCallOrResult = (part: Json) => part?.type === "tool_use" || part?.type === "tool_result";
  return textOf(item.role) === "tool" || Array.isArray(item.tool_calls) || listOf(item.content).some(isCallOrResult);
}
