import { isObject } from "../mapping/json.ts";
import type { Json, Part, Prompt, Shape } from "../plugin-host/contract.ts";
import type { Need } from "../routing/route.ts";
import { shapeOfApi } from "./client-api.ts";
import { type Description, describe } from "./describe.ts";

/**
 * Describes a body in a drop-in's shape, by the prompt that the shape reads from it.
 *
 * @param onParsed - receives the parsed body.
 * @returns undefined if the body is not a JSON object.
 * @throws GatewayError if the shape fails.
 */
export function describeOwn(text: string, shape: Shape, onParsed?: (body: Json) => void): Description | undefined {
  let body: Json;
  const described = describe(text, (parsed) => {
    body = parsed;
    onParsed?.(parsed);
  });
  if (described === undefined || !isObject(body)) return undefined;
  const prompt = shapeOfApi(shape)!.readRequest!(body);
  const { model, stream, settings } = prompt;
  return {
    ...described,
    model: typeof model === "string" ? model : undefined,
    stream,
    user: settings.user,
    cacheKey: settings.cacheKey,
    needs: needsOf(prompt),
    maxTokens: settings.maxTokens,
    hasState: false,
    hasInput: false,
    wantsUsage: false,
    previousResponse: undefined,
    references: [],
    issuers: [],
  };
}

const PART_NEEDS: Readonly<Partial<Record<Part["type"], Need>>> = { image: "images", file: "files", audio: "audio" };

function needsOf({ messages, tools, settings: { format, thinking } }: Prompt): Need[] {
  const needs = new Set(messages.flatMap(({ parts }) => parts.flatMap(({ type }) => PART_NEEDS[type] ?? [])));
  if (tools.length > 0) needs.add("tools");
  if (format?.type === "schema") needs.add("json_schema");
  if (thinking !== undefined && thinking.effort !== "none") needs.add("reasoning");
  return [...needs];
}
