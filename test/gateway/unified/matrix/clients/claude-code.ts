import Anthropic from "@anthropic-ai/sdk";
import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { type Scene, SYSTEM, WEATHER } from "../scenes.ts";
import { messagesTurn, seenInMessage } from "./anthropic.ts";
import type { Client, Place } from "./client.ts";

const SESSION = "0d2c1c3e-8f2f-4a53-9d0e-5b8d7f6a1c22";
const USER = `user_${"a1".repeat(32)}_account__session_${SESSION}`;
const HEADERS = {
  "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27",
  "anthropic-dangerous-direct-browser-access": "true",
  "user-agent": "claude-cli/2.1.14 (external, cli)",
  "x-app": "cli",
  "x-claude-code-session-id": SESSION,
};
const mark = { cache_control: { type: "ephemeral" } };

/** What Claude Code sends: always a stream, its system text in blocks, marks for the cache, reminders in the first turn. */
export const claudeCode: Client = {
  name: "Claude Code",
  shape: "messages",
  lacks: ["structured output"],
  keepsState: "always",
  open(place, scene) {
    const client = open(place);
    const messages: Json[] = [];
    let requests = 0;
    return {
      async send(next) {
        const turn = messagesTurn(next);
        if (messages.length === 0)
          turn.content.unshift({ type: "text", text: "<system-reminder>\nToday is Monday.\n</system-reminder>" });
        messages.push(turn);
        const stream = client.beta.messages.stream(bodyOf(place, scene, markLast(messages), requests++), {
          headers: HEADERS,
        });
        const response = await stream.finalMessage();
        messages.push({ role: "assistant", content: response.content });
        return seenInMessage(response);
      },
    };
  },
};

/** Asks how long the first turn would be, as it does before it compacts. */
export async function countedByClaudeCode(place: Place, scene: Scene): Promise<number> {
  const {
    max_tokens: _,
    metadata: _metadata,
    stream: _stream,
    context_management: _context,
    ...body
  } = bodyOf(place, scene, [messagesTurn({ user: scene.user })], 0);
  const { input_tokens } = await open(place).beta.messages.countTokens(body, { headers: HEADERS });
  return input_tokens;
}

const open = ({ origin, key }: Place) =>
  new Anthropic({ baseURL: origin, authToken: key, apiKey: null, maxRetries: 0 });

const bodyOf = ({ model }: Place, scene: Scene, messages: readonly Json[], request: number): Json => ({
  model,
  messages,
  system: [
    {
      type: "text",
      text: `x-anthropic-billing-header: cc_version=2.1.14.${request}a; cc_entrypoint=cli; cch=${request}f3c2;`,
    },
    { type: "text", text: "You are Claude Code, Anthropic's official CLI for Claude.", ...mark },
    { type: "text", text: SYSTEM, ...mark },
  ],
  ...(scene.tools && {
    tools: [
      {
        name: WEATHER.name,
        description: WEATHER.description,
        input_schema: { $schema: "https://json-schema.org/draft/2020-12/schema", ...WEATHER.parameters },
      },
      { type: "bash_20250124", name: "bash" },
    ],
  }),
  metadata: { user_id: USER },
  max_tokens: 32_000,
  ...(scene.thinking && {
    thinking: { type: "enabled", budget_tokens: 31_999 },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  }),
});

/** The last block of the last turn carries a mark, and no other turn does. */
function markLast(messages: readonly Json[]): Json[] {
  const last = messages.at(-1);
  const content = [...last.content.slice(0, -1), { ...last.content.at(-1), ...mark }];
  return [...messages.slice(0, -1), { ...last, content }];
}
