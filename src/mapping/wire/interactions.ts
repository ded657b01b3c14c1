import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import type { LlmRequest, LlmResponse } from "../../record/llm-schema.ts";
import {
  filledText,
  isObject,
  type JsonObject,
  listOf,
  mergeMembers,
  parseJson,
  pickDefined,
  textOf,
} from "../json.ts";
import { messagesOf, responseOf } from "../llm/messages.ts";
import { lastUserText, plainText } from "../llm/parts.ts";
import { settingsOf } from "../llm/settings.ts";
import { toolCall, toolChoiceOf, toolsOf } from "../llm/tools.ts";
import { interactionsUsage } from "../usage.ts";
import type { WireSchema } from "../wire-schema.ts";
import { grown, inOrder } from "./pieces.ts";

/** Gemini interactions: steps (in an older version, outputs) of thought, text and calls. */
export const interactions: WireSchema = {
  name: "interactions",
  llmType: "chat",
  path: /\/interactions(?:\/[^/]+)?$/,
  fits: (request, response) =>
    response?.object === "interaction" || isObject(response?.interaction) || (isObject(request) && "input" in request),
  fold: foldInteraction,
  readResponse: (body) =>
    pickDefined({
      id: filledText(body?.id),
      model: filledText(body?.model),
      usage: interactionsUsage(body?.usage),
      usageRaw: isObject(body?.usage) ? body.usage : undefined,
    }),
  promptText: (request) => lastInput(request?.input),
  completionText: (response) =>
    plainText(
      stepsOf(response)
        .filter(isOutput)
        .map((step) => step?.content ?? step),
    ),
  llmRequest,
  llmResponse: (response): LlmResponse => {
    const steps = stepsOf(response).filter(isObject);
    if (steps.length === 0) return {};
    const calls = steps.filter((step) => step.type === "function_call");
    const reasoning = plainText(
      steps.filter((step) => step.type === "thought").map((step) => step.content ?? step.summary),
    );
    return {
      messages: [
        responseOf(
          "model",
          steps.filter(isOutput).map((step) => step.content ?? step),
          {
            reasoning,
            calls: calls.map((step) => toolCall(step.name, step.arguments, step.id ?? step.call_id)),
          },
        ),
      ],
    };
  },
};

const stepsOf = (response: Json): readonly Json[] =>
  Array.isArray(response?.steps) ? response.steps : listOf(response?.outputs);

/** An older response has its content directly in the list. */
const NOT_OUTPUT: ReadonlySet<string> = new Set(["thought", "function_call", "function_result", "user_input"]);
const isOutput = (step: Json) => isObject(step) && !NOT_OUTPUT.has(textOf(step.type) ?? "");

function lastInput(input: Json): string | undefined {
  if (typeof input === "string") return input;
  const turns = listOf(input);
  const isConversation = turns.some((turn) => turn?.role !== undefined || turn?.type === "user_input");
  return isConversation
    ? lastUserText(turns.map((turn) => ({ role: turn?.role ?? "user", content: turn?.content })))
    : plainText(input);
}

function llmRequest(request: Json): LlmRequest {
  const config = request?.generation_config;
  const input = request?.input;
  const turns = listOf(input).filter((turn) => isObject(turn) && turn.content !== undefined);
  const said =
    turns.length > 0
      ? turns.flatMap((turn) =>
          messagesOf(turn.role ?? (turn.type === "model_output" ? "model" : "user"), turn.content),
        )
      : messagesOf("user", input);
  return pickDefined({
    ...settingsOf({ ...config, stream: request?.stream, response_format: request?.response_format }),
    instructions: textOf(request?.system_instruction),
    input: textOf(input),
    messages: said,
    tools: toolsOf(request?.tools),
    tool_choice: toolChoiceOf(config?.tool_choice),
    reasoning_effort: filledText(config?.thinking_level)?.toLowerCase(),
  });
}

function foldInteraction(events: readonly StreamEvent[]): Json {
  const whole: JsonObject = {};
  const steps = new Map<number, JsonObject>();
  let list = "steps";
  for (const { data } of events) {
    if (!isObject(data)) continue;
    if (isObject(data.interaction)) mergeMembers(whole, data.interaction);
    if (isObject(data.error)) whole.error = data.error;
    if (typeof data.index !== "number") continue;
    if (isObject(data.content)) list = "outputs";
    const step = steps.get(data.index) ?? {};
    steps.set(data.index, step);
    mergeMembers(step, data.step ?? data.content);
    // The initial content of a step belongs to its event, so it is copied: later content is appended to our own list.
    if (Array.isArray(data.step?.content)) step.content = data.step.content.map(ownPart);
    if (isObject(data.delta)) growStep(step, data.delta, list);
  }
  if (steps.size > 0 && !Array.isArray(whole[list])) {
    whole[list] = inOrder(steps).map(finishedStep);
  }
  return Object.keys(whole).length === 0 ? undefined : whole;
}

/** Text pieces extend the last text of the step; in the older version the step itself is the text. */
function growStep(step: JsonObject, delta: JsonObject, list: string): void {
  const { type, text, arguments: args, ...rest } = delta;
  if (typeof args === "string") step.arguments = grown(step.arguments, args);
  else if (args !== undefined) step.arguments = args;
  if (typeof text !== "string") {
    mergeMembers(step, rest);
    return;
  }
  if (list === "outputs") {
    step.text = grown(step.text, text);
    return;
  }
  if (!Array.isArray(step.content)) step.content = [];
  const content: Json[] = step.content;
  const last = content.at(-1);
  if (isObject(last) && last.type === type) last.text = grown(last.text, text);
  else content.push({ type, text, ...rest });
}

const ownPart = (part: Json): Json => (isObject(part) ? { ...part } : part);

const finishedStep = (step: JsonObject): JsonObject =>
  typeof step.arguments === "string" ? { ...step, arguments: parseJson(step.arguments) ?? step.arguments } : step;
