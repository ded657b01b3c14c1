import type { Json, Part, State } from "../../../../src/plugin-host/contract.ts";
import { callLine, mediaLine, resultLine, textLine } from "../../../mapping/shapes/oracle.ts";

/** What a user sends. */
export type Said = { readonly text: string } | { readonly image: string } | { readonly pdf: string };

/** What is sent in a turn: words of a user, or what the tools say. */
export type Next =
  | { readonly user: readonly Said[] }
  | { readonly results: readonly { readonly id: string; readonly name: string; readonly text: string }[] };

/** What a client saw of a response. */
export interface Seen {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Json }[];
  /** As they are to be named in results. */
  readonly ids: readonly string[];
  readonly finish: "end" | "calls";
  readonly input: number | undefined;
  readonly output: number | undefined;
}

export interface Scene {
  readonly name: string;
  readonly stream?: true;
  readonly tools?: true;
  readonly schema?: true;
  readonly thinking?: true;
  readonly user: readonly Said[];
  /** What the model says, one response per turn. `state` is of the thought, or of the call. */
  readonly answers: (
    state: (of: string) => State | undefined,
    callState: State | undefined,
  ) => readonly [Part[], Part[]];
  /** How the provider fails in the first turn, and in the second. */
  readonly fails?: "status" | "stream";
}

export const SYSTEM = "Be brief.";
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const PDF = Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64");
export const WEATHER = {
  name: "get_weather",
  description: "The weather of a city.",
  parameters: {
    type: "object" as const,
    properties: { city: { type: "string" as const, description: "Where." } },
    required: ["city"],
    additionalProperties: false as const,
  },
};
export const SCHEMA = {
  name: "weather_report",
  schema: {
    type: "object" as const,
    properties: { city: { type: "string" as const }, degrees: { type: "number" as const } },
    required: ["city", "degrees"],
    additionalProperties: false as const,
  },
};

const text = (value: string): Part => ({ type: "text", text: value });
const call = (id: string, city: string, state?: State): Part => ({
  type: "call",
  id,
  name: WEATHER.name,
  arguments: JSON.stringify({ city }),
  ...(state !== undefined && { state }),
});
const thought = (value: string, state: State | undefined): Part => ({
  type: "reasoning",
  text: value,
  ...(state !== undefined && { state }),
});
const hello = [{ text: "Weather in Oslo? ✓ 日本" }];
const talk = (): [Part[], Part[]] => [[text('It is fine.\n"Really" ✓')], [text("Still fine.")]];
const called: Scene["answers"] = (_, callState) => [
  [text("I look."), call("call_a1", "Oslo", callState)],
  [text("Sunny in Oslo.")],
];
const thinking: Scene["answers"] = (state, callState) => [
  [thought("Let me see.", state("1")), call("call_t1", "Oslo", callState)],
  [thought("I know.", state("2")), text("Sunny.")],
];

export const SCENES: readonly Scene[] = [
  { name: "plain", user: hello, answers: talk },
  { name: "a stream", stream: true, user: hello, answers: talk },
  { name: "tools", tools: true, user: hello, answers: called },
  { name: "streamed tools", tools: true, stream: true, user: hello, answers: called },
  {
    name: "parallel tools",
    tools: true,
    stream: true,
    user: hello,
    answers: (_, callState) => [
      [call("call_p1", "Oslo", callState), call("call_p2", "Rome")],
      [text("Sunny in both.")],
    ],
  },
  { name: "an image", user: [{ text: "What is it?" }, { image: PNG }], answers: talk },
  { name: "a file", user: [{ text: "What does it say?" }, { pdf: PDF }], answers: talk },
  {
    name: "structured output",
    schema: true,
    user: hello,
    answers: () => [[text('{"city":"Oslo","degrees":7}')], [text('{"city":"Rome","degrees":20}')]],
  },
  { name: "thinking", thinking: true, tools: true, user: hello, answers: thinking },
  { name: "streamed thinking", thinking: true, tools: true, stream: true, user: hello, answers: thinking },
  { name: "an error", user: hello, answers: talk, fails: "status" },
  { name: "an error in mid-stream", stream: true, user: hello, answers: talk, fails: "stream" },
];

/** What the client sends after a response: results in reverse, or the next question. */
export function nextAfter({ ids, calls }: Seen): Next {
  if (calls.length === 0) return { user: [{ text: "And now?" }] };
  return {
    results: ids.map((id, at) => ({ id, name: calls[at]!.name, text: `sun in ${calls[at]!.input.city}` })).reverse(),
  };
}

/** What a request must say, in this order, whatever stands between. */
export function expectedLines(scene: Scene, first: readonly Part[], seen: Seen | undefined): string[] {
  const lines = [`system ${textLine(SYSTEM)}`, ...scene.user.flatMap(saidLines)];
  if (seen === undefined) return lines;
  for (const part of first) {
    if (part.type === "text") lines.push(`assistant ${textLine(part.text)}`);
    if (part.type === "call") lines.push(`assistant ${callLine(part.id, part.name, inputOf(part))}`);
  }
  const calls = first.filter((part) => part.type === "call");
  for (const part of calls) lines.push(`user ${resultLine(part.id, `sun in ${inputOf(part).city}`, false)}`);
  return calls.length > 0 ? lines : [...lines, `user ${textLine("And now?")}`];
}

/** Input of a custom tool is text. */
const inputOf = (part: Part & { type: "call" }): Json => (part.custom ? part.arguments : JSON.parse(part.arguments));

function saidLines(said: Said): string[] {
  if ("text" in said) return [`user ${textLine(said.text)}`];
  return [
    `user ${"image" in said ? mediaLine("media", "image/png", said.image) : mediaLine("media", "application/pdf", said.pdf)}`,
  ];
}
