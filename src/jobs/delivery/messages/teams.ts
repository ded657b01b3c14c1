import { type AlertMessage, cut } from "./event.ts";

const COLORS = { triggered: "attention", resolved: "good", test: "accent" } as const;

/**
 * An Adaptive Card for a workflow of Microsoft Teams. Source: Microsoft Learn, "Create and send messages" with Workflows,
 * and the schema of Adaptive Cards 1.4. A message may have up to 28 kB.
 */
export function teamsMessage(message: AlertMessage) {
  const facts = message.facts.map(([title, value]) => ({ title, value: literal(cut(value, 1_000)) }));
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            {
              type: "TextBlock",
              size: "Medium",
              weight: "Bolder",
              color: COLORS[message.kind],
              text: literal(cut(message.title, 500)),
              wrap: true,
            },
            { type: "TextBlock", text: literal(cut(message.text, 2_000)), wrap: true },
            { type: "FactSet", facts: [...facts, { title: "Time", value: message.time }] },
          ],
          actions:
            message.link === undefined || message.link.length > 8_000
              ? []
              : [{ type: "Action.OpenUrl", title: "Show requests", url: message.link }],
        },
      },
    ],
  };
}

/** Text blocks render Markdown; users' names are not Markdown. */
const literal = (text: string) => text.replace(/[\\`*_[\]<>#]/g, "\\$&");
