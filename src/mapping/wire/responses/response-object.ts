import type { Prompt, Reply, Tool } from "../../../plugin-host/contract.ts";
import { isObject, type JsonObject } from "../../json.ts";
import { writeChoice, writeTools } from "./tools.ts";
import { writeText } from "./write-request.ts";

/** The object around the output, with the client's settings and tools. */
export function responseOf({ id, created, model, prompt }: Reply, members: JsonObject): JsonObject {
  const { settings, tools, toolChoice, namespaces } = prompt;
  return {
    id,
    object: "response",
    created_at: created,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: instructionsOf(prompt) ?? null,
    max_output_tokens: settings.maxTokens ?? null,
    metadata: settings.metadata ?? {},
    model,
    parallel_tool_calls: settings.parallelCalls ?? true,
    previous_response_id: settings.previousResponse ?? null,
    prompt_cache_key: settings.cacheKey ?? null,
    reasoning: { effort: settings.thinking?.effort ?? null, summary: settings.thinking?.summary ?? null },
    store: settings.store ?? false,
    temperature: settings.temperature ?? null,
    text: { format: { type: "text" }, ...writeText(settings) },
    tool_choice: toolChoice === undefined ? "auto" : writeChoice(toolChoice, tools),
    tools: writeTools(tools.map(withoutAccess), namespaces ?? {}, true),
    top_p: settings.topP ?? null,
    truncation: settings.truncation ?? "disabled",
    usage: null,
    user: settings.user ?? null,
    ...members,
    output: [...members.output],
  };
}

/** The member `instructions` as the client wrote it; system texts within `input` are not repeated. */
function instructionsOf({ messages }: Prompt): string | undefined {
  const [part] = messages.find(({ at }) => at === "instructions")?.parts ?? [];
  return part?.type === "text" ? part.text : undefined;
}

/** As at OpenAI, a response does not repeat what gives access to the server of a hosted tool. */
function withoutAccess(tool: Tool): Tool {
  if (tool.type !== "hosted" || !isObject(tool.item)) return tool;
  const { authorization, headers, ...item } = tool.item;
  return { ...tool, item };
}
