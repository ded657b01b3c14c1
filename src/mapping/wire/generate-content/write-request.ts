import type {
  Call,
  Json,
  Loss,
  Message,
  Prompt,
  Settings,
  Tool,
  WrittenRequest,
} from "../../../plugin-host/contract.ts";
import { type JsonObject, pickDefined } from "../../json.ts";
import { EFFORT_TABLE } from "../../translate/effort.ts";
import { rewriteSchema } from "../../translate/schema.ts";
import { searchLosses } from "../search-losses.ts";
import { writeParts } from "./parts.ts";

/** The largest thinking budget that every model with a budget accepts. */
const BUDGET_MAX = 24_576;

/** A body for Gemini. The path determines the model and whether the response is streamed. */
export function writeRequest(prompt: Prompt, { facts }: Call): WrittenRequest {
  const losses: Loss[] = [];
  const { messages } = prompt;
  const turns = messages.findIndex(({ role }) => role !== "system");
  const leading = turns === -1 ? messages : messages.slice(0, turns);
  const system = leading.flatMap(({ parts }) => writeParts(parts, false));
  const takesSchemas = facts.jsonSchema !== false;
  const tools = writeTools(prompt, takesSchemas, losses);
  const config = writeConfig(prompt, takesSchemas, losses);
  return {
    body: pickDefined({
      // Gemini refuses empty turns.
      contents: (turns === -1 ? [] : messages.slice(turns))
        .map((message) => writeContent(message, facts.needsSignatures === true))
        .filter(({ parts }) => parts.length > 0),
      systemInstruction: system.length > 0 ? { parts: system } : undefined,
      tools: tools.length > 0 ? tools : undefined,
      toolConfig: writeChoice(prompt),
      generationConfig: Object.keys(config).length > 0 ? config : undefined,
    }),
    losses,
  };
}

const writeContent = ({ role, parts }: Message, signed: boolean): JsonObject => ({
  role: role === "assistant" ? "model" : "user",
  parts: writeParts(parts, signed),
});

/** Options of web searches; Google's search has none. */
const ALL_WISHES = ["contextSize", "location", "allowedDomains", "blockedDomains", "maxUses"] as const;

function writeTools(prompt: Prompt, takesSchemas: boolean, losses: Loss[]): JsonObject[] {
  const { tools, toolChoice } = prompt;
  const among = toolChoice?.mode === "auto" ? toolChoice.allowed : undefined;
  const written: JsonObject[] = [];
  const functionDeclarations: JsonObject[] = [];
  for (const tool of tools) {
    if (tool.type === "search") {
      written.push({ googleSearch: {} });
      losses.push(...searchLosses(tool, prompt, ALL_WISHES));
    } else if (tool.type === "hosted") written.push(tool.item);
    else if (among === undefined || among.includes(tool.name))
      functionDeclarations.push(writeFunction(tool, takesSchemas, losses));
  }
  return functionDeclarations.length > 0 ? [{ functionDeclarations }, ...written] : written;
}

function writeFunction(
  tool: Exclude<Tool, { type: "search" | "hosted" }>,
  takesSchemas: boolean,
  losses: Loss[],
): JsonObject {
  const { name, description } = tool;
  const parameters = tool.type === "function" ? tool.parameters : undefined;
  if (parameters === undefined) return pickDefined({ name, description });
  if (takesSchemas) return pickDefined({ name, description, parametersJsonSchema: parameters });
  const { schema, approximated } = rewriteSchema(parameters);
  if (approximated) losses.push({ kind: "approximated", path: `${tool.at ?? "tools"}.parameters`, why: NO_SCHEMA });
  // An object schema without members is refused, so the parameters of such a function are omitted.
  const hasMembers = Object.keys(schema.properties ?? {}).length > 0;
  return pickDefined({ name, description, parameters: hasMembers ? schema : undefined });
}

const NO_SCHEMA = "the model does not take JSON Schema; its rules are words in descriptions";

/** Names are allowed only with `ANY`; if the model may respond without a call, the other tools were dropped instead. */
function writeChoice({ toolChoice, tools }: Prompt): Json {
  if (toolChoice === undefined || !tools.some(({ type }) => type === "function" || type === "custom")) return undefined;
  const { mode, name, allowed } = toolChoice;
  if (mode === "auto") return { functionCallingConfig: { mode: "AUTO" } };
  if (mode === "none") return { functionCallingConfig: { mode: "NONE" } };
  const allowedFunctionNames = mode === "one" ? [name] : allowed;
  return { functionCallingConfig: pickDefined({ mode: "ANY", allowedFunctionNames }) };
}

function writeConfig(prompt: Prompt, takesSchemas: boolean, losses: Loss[]): JsonObject {
  const { settings, paths } = prompt;
  if (settings.modalities?.includes("audio"))
    losses.push({ kind: "refused", path: paths.modalities ?? "modalities", why: "the target's API cannot express it" });
  const wantsLogprobs = settings.logprobs === true;
  return pickDefined({
    maxOutputTokens: settings.maxTokens,
    temperature: settings.temperature,
    topP: settings.topP,
    topK: settings.topK,
    stopSequences: settings.stop,
    seed: settings.seed,
    presencePenalty: settings.presencePenalty,
    frequencyPenalty: settings.frequencyPenalty,
    candidateCount: settings.n,
    responseLogprobs: wantsLogprobs || undefined,
    logprobs: wantsLogprobs ? settings.topLogprobs : undefined,
    responseModalities: settings.modalities?.map((modality) => modality.toUpperCase()),
    ...writeFormat(prompt, takesSchemas, losses),
    thinkingConfig: writeThinking(prompt, losses),
  });
}

function writeFormat({ settings: { format }, paths }: Prompt, takesSchemas: boolean, losses: Loss[]): JsonObject {
  if (format === undefined || format.type === "text") return {};
  const responseMimeType = "application/json";
  if (format.type === "json") return { responseMimeType };
  if (takesSchemas) return { responseMimeType, responseJsonSchema: format.schema };
  const { schema, approximated } = rewriteSchema(format.schema);
  if (approximated) losses.push({ kind: "approximated", path: paths.format ?? "response_format", why: NO_SCHEMA });
  return { responseMimeType, responseSchema: schema };
}

/** Reasoning text is requested only if the client requests thinking and wants to see it. */
function writeThinking({ settings, wants, paths }: Prompt, losses: Loss[]): Json {
  const { thinking } = settings;
  if (thinking === undefined) return undefined;
  const config = pickDefined({
    thinkingBudget: budgetOf(thinking, paths.thinking, losses),
    thinkingLevel: thinking.effort === undefined ? undefined : EFFORT_TABLE[thinking.effort].geminiLevel,
    includeThoughts: wants.reasoning !== false && isOn(thinking) ? true : undefined,
  });
  return Object.keys(config).length > 0 ? config : undefined;
}

type Thinking = NonNullable<Settings["thinking"]>;

const isOn = ({ effort, budgetTokens }: Thinking) => effort !== "none" && budgetTokens !== 0;

function budgetOf({ budgetTokens }: Thinking, path: string | undefined, losses: Loss[]): number | undefined {
  if (budgetTokens === undefined || budgetTokens <= BUDGET_MAX) return budgetTokens;
  losses.push({ kind: "approximated", path: path ?? "thinking", why: `at most ${BUDGET_MAX} tokens` });
  return BUDGET_MAX;
}
