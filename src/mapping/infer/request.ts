import type { Json } from "../../plugin-host/contract.ts";
import type { RequestPlaces } from "../mapping.ts";
import type { Pointer } from "../pointer.ts";
import { placesOf } from "./leaves.ts";
import { isEncoded, says, WORDS } from "./member-names.ts";
import { inferMessages, lastIsUser } from "./messages.ts";
import { toolsIn } from "./tools.ts";

/** The places of values in these requests; `undefined` if neither a conversation nor a prompt is found. */
export function inferRequest(bodies: readonly Json[], model: string): RequestPlaces | undefined {
  const messages = inferMessages(bodies);
  const taken = messages?.list.replace(/\/\*$/, "");
  const texts = plainTexts(bodies, model, taken);
  const endsWithUser = messages === undefined || bodies.every((body) => lastIsUser(body, messages));
  const prompt = messages !== undefined && endsWithUser ? undefined : bestPrompt(texts);
  if (messages === undefined && prompt === undefined) return undefined;
  const system = texts.find(({ pointer, name }) => pointer !== prompt && says(name, WORDS.system))?.pointer;
  const tools = toolsIn(bodies);
  const settings = settingsIn(bodies);
  const named = modelIn(bodies, model);
  return {
    ...(named !== undefined && { model: named }),
    ...(messages && { messages }),
    ...(prompt !== undefined && { prompt }),
    ...(system !== undefined && { system }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(tools && { tools }),
  };
}

interface PlainText {
  readonly pointer: Pointer;
  readonly name: string;
  readonly length: number;
  readonly distinct: number;
  readonly spaced: boolean;
}

/** Single texts in nearly every request, outside of the conversation. */
function plainTexts(bodies: readonly Json[], model: string, taken: Pointer | undefined): PlainText[] {
  const found: PlainText[] = [];
  for (const [pointer, { leaf, values }] of placesOf(bodies)) {
    if (taken !== undefined && (pointer === taken || pointer.startsWith(`${taken}/`))) continue;
    const texts = values
      .map((each) => each.filter((value) => typeof value === "string").join(""))
      .filter((text) => text !== "");
    if (
      texts.length * 2 < bodies.length ||
      texts.every((text) => text === model || isEncoded(text)) ||
      /\/tools?\//i.test(pointer)
    )
      continue;
    const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
    found.push({
      pointer,
      name: leaf.name,
      length,
      distinct: new Set(texts).size,
      spaced: texts.some((text) => /\s/.test(text)),
    });
  }
  return found;
}

function bestPrompt(texts: readonly PlainText[]): Pointer | undefined {
  const scored = texts
    .filter(({ name }) => !says(name, WORDS.system) || says(name, WORDS.prompt))
    .map((text) => ({
      pointer: text.pointer,
      score:
        (says(text.name, WORDS.prompt) ? 3 : 0) +
        (text.spaced ? 2 : 0) +
        (text.distinct > 1 ? 2 : 0) +
        Math.min(2, text.length / 50) -
        (says(text.name, WORDS.noText) ? 4 : 0) -
        text.pointer.split("/").length / 10,
    }))
    .sort((a, b) => b.score - a.score);
  const best = scored[0];
  return best !== undefined && best.score > 2 ? best.pointer : undefined;
}

function modelIn(bodies: readonly Json[], model: string): Pointer | undefined {
  const places = [...placesOf(bodies)].filter(([pointer]) => !pointer.includes("*"));
  const equal = places.find(([, { values }]) => values.some((each) => each.includes(model)));
  return equal?.[0];
}

const SETTINGS = {
  max_tokens: /^(?!.*(?:context|window|retr)).*(?:max|limit|cap|budget).*|^length$/i,
  temperature: /temp|heat|warmth|randomness|creativity/i,
  top_p: /top.?p|nucleus/i,
  seed: /^(?:random.?)?seed$/i,
  stream: /^(?:is.?)?stream(?:ing|ed)?$|^live$|^incremental$/i,
} as const;

function settingsIn(bodies: readonly Json[]): NonNullable<RequestPlaces["settings"]> {
  const settings: Record<string, Pointer> = {};
  for (const [pointer, { leaf }] of placesOf(bodies)) {
    if (pointer.includes("*")) continue;
    for (const [name, pattern] of Object.entries(SETTINGS)) {
      const fits = name === "stream" ? typeof leaf.value === "boolean" : typeof leaf.value === "number";
      if (fits && pattern.test(leaf.name)) settings[name] ??= pointer;
    }
  }
  return settings;
}
