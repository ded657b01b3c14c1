import { type AlertMessage, cut } from "./event.ts";

/**
 * A message for an incoming webhook of Slack. Names come from users, so they are in `plain_text`, which has no links or
 * mentions. Source: Slack API, "Block Kit" and "Formatting text", with its character limits.
 */
export function slackMessage(message: AlertMessage) {
  const facts = message.facts.map(([name, value]) => plain(cut(`${name}: ${value}`, 2_000)));
  return {
    // Shown in notifications, where these three characters have a meaning.
    text: cut(message.title.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"), 3_000),
    blocks: [
      { type: "header", text: plain(cut(message.title, 150)) },
      { type: "section", text: plain(cut(message.text, 3_000)), ...(facts.length > 0 && { fields: facts }) },
      ...(message.link === undefined ? [] : [button(message.link)]),
      { type: "context", elements: [plain(`Weir, ${message.time}`)] },
    ],
  };
}

const plain = (text: string) => ({ type: "plain_text", text, emoji: false });

/** Slack accepts URLs of up to 3,000 characters. A longer one, from a large filter, is omitted. */
function button(url: string) {
  if (url.length > 3_000) return { type: "section", text: plain("The filter is too long for a link.") };
  return {
    type: "actions",
    elements: [{ type: "button", action_id: "weir-requests", text: plain("Show requests"), url }],
  };
}
