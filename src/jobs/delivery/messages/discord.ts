import { type AlertMessage, cut } from "./event.ts";

const COLORS = { triggered: 0xd92d20, resolved: 0x12b76a, test: 0x2e90fa } as const;

/** A message for a webhook of Discord. Source: Discord's developer documentation, "Execute Webhook" and "Embed Limits". */
export function discordMessage(message: AlertMessage) {
  return {
    username: "Weir",
    // A group may be named @everyone.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: cut(literal(message.title), 256),
        description: cut(literal(message.text), 2_000),
        color: COLORS[message.kind],
        timestamp: message.time,
        fields: message.facts.map(([name, value]) => ({ name, value: cut(literal(value), 1_000), inline: false })),
        // Discord accepts URLs of up to 2,048 characters.
        ...(message.link !== undefined && message.link.length <= 2_048 && { url: message.link }),
      },
    ],
  };
}

const literal = (text: string) => text.replace(/[\\`*_~|>[\]#]/g, "\\$&");
