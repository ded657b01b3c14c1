import type { Json } from "../../../../../src/plugin-host/contract.ts";
import { type Scene, SYSTEM, WEATHER } from "../scenes.ts";
import type { Client, Place } from "./client.ts";
import { responsesItems, seenInOutput } from "./openai.ts";

const SESSION = "019a2b6e-1c1f-7a43-b1a0-6f1f3f0a9d10";
const GRAMMAR = 'start: begin_patch hunk+ end_patch\nbegin_patch: "*** Begin Patch" LF\n%import common.LF\n';

/** What Codex sends to Responses: the whole input each turn, nothing stored, and events that it reads itself. */
export const codex: Client = {
  name: "Codex",
  shape: "responses",
  lacks: ["structured output"],
  keepsState: "always",
  open(place, scene) {
    const input: Json[] = [
      message("developer", "<permissions instructions>Ask first.</permissions instructions>"),
      message("user", "<environment_context>\n  <cwd>/src</cwd>\n</environment_context>"),
    ];
    const called = new Map<string, string>();
    return {
      async send(next) {
        const items = responsesItems(next).map((item) =>
          item.type === "function_call_output" && called.get(item.call_id) === "custom_tool_call"
            ? { ...item, type: "custom_tool_call_output" }
            : item,
        );
        input.push(...items);
        const { output, usage } = await streamed(place, bodyOf(place, scene, input));
        for (const { id: _, status: _status, ...item } of output) {
          if (item.call_id !== undefined) called.set(item.call_id, item.type);
          input.push(item);
        }
        return seenInOutput(output, usage);
      },
    };
  },
};

const message = (role: string, text: string): Json => ({
  type: "message",
  role,
  content: [{ type: "input_text", text }],
});

const bodyOf = ({ model }: Place, scene: Scene, input: readonly Json[]): Json => ({
  model,
  instructions: SYSTEM,
  input,
  tools: scene.tools ? TOOLS : [],
  tool_choice: "auto",
  parallel_tool_calls: true,
  reasoning: scene.thinking ? { effort: "medium", summary: "auto" } : null,
  store: false,
  stream: true,
  include: scene.thinking ? ["reasoning.encrypted_content"] : [],
  prompt_cache_key: SESSION,
});

const TOOLS: readonly Json[] = [
  { type: "function", ...WEATHER, strict: false },
  {
    type: "custom",
    name: "apply_patch",
    description: "Edits files. This is a FREEFORM tool, so do not wrap the patch in JSON.",
    format: { type: "grammar", syntax: "lark", definition: GRAMMAR },
  },
  {
    type: "namespace",
    name: "mcp__docs",
    description: "Pages.",
    tools: [
      { type: "function", name: "look", description: "Looks up.", parameters: WEATHER.parameters, strict: false },
    ],
  },
  { type: "local_shell" },
  { type: "web_search", external_web_access: false },
];

/** Codex heeds the type in the data alone, wants items done one by one, and a whole `response.completed`. */
async function streamed({ origin, key }: Place, body: Json): Promise<{ output: Json[]; usage: Json }> {
  const response = await fetch(`${origin}/v1/responses`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "text/event-stream",
      originator: "codex_cli_rs",
      "user-agent": "codex_cli_rs/0.63.0 (Debian 13.0.0; x86_64) xterm",
      session_id: SESSION,
      conversation_id: SESSION,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw Object.assign(new Error(text), { status: response.status });
  const output: Json[] = [];
  let added: Json;
  for (const block of text.split("\n\n").filter((each) => each !== "")) {
    const event = JSON.parse(/^data: (.*)$/m.exec(block)![1]!);
    if (event.type === "response.output_item.added") added = event.item;
    else if (/\.delta$/.test(event.type) && added === undefined) throw new Error(`${event.type} without an item`);
    else if (event.type === "response.output_item.done") {
      output.push(event.item);
      added = undefined;
    } else if (event.type === "response.failed") throw new Error(event.response.error.message);
    else if (event.type === "response.completed") {
      for (const name of ["input_tokens", "output_tokens", "total_tokens"])
        if (typeof event.response.usage[name] !== "number") throw new Error(`usage without ${name}`);
      if (typeof event.response.id !== "string") throw new Error("no id");
      return { output, usage: event.response.usage };
    }
  }
  throw new Error("stream closed before response.completed");
}
