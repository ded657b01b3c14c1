import type { Answer, Json, Part, Prompt, StreamEvent } from "../../../src/plugin-host/contract.ts";

/** A provider's API read and written out loud, for shapes that no client speaks. It shares no code with the shape. */
export interface Oracle {
  /** What a request says, part by part, as `linesOf` says it of a prompt. */
  readonly lines: (body: Json) => readonly string[];
  /** The API has no place for the state of reasoning. */
  readonly stateless?: true;
  /** A message has one text, then its pictures, then its calls; results are messages before it. */
  readonly joinsText?: true;
  readonly answer: (answer: Answer) => Json;
  /** The events of an answer whose texts are cut into pieces of `size` characters. */
  readonly events: (answer: Answer, size: number) => readonly StreamEvent[];
}

/** One line a part, each with the role of its turn. */
export function linesOf({ messages }: Prompt, { stateless, joinsText }: Oracle): string[] {
  return messages.flatMap(({ role, parts }) => {
    const open = stateless === true ? parts.flatMap(withoutState) : parts;
    const lines = joinsText === true ? joinedLines(open) : open.map(lineOf);
    return lines.map((line) => `${role} ${line}`);
  });
}

/** Reasoning is its text; what was withheld has none. */
export function withoutState(part: Part): Part[] {
  if (part.type !== "reasoning") return [part];
  return part.text === "" ? [] : [{ type: "reasoning", text: part.text }];
}

function joinedLines(parts: readonly Part[]): string[] {
  const of = (type: Part["type"]) => parts.filter((part) => part.type === type);
  const texts = (type: Part["type"]) => of(type).flatMap((part) => ("text" in part ? [part.text] : []));
  const said = texts("text").join("\n");
  return [
    ...of("result").map(lineOf),
    ...(of("reasoning").length > 0 ? [reasoningLine(texts("reasoning").join(""), undefined)] : []),
    ...(said === "" ? [] : [textLine(said)]),
    ...of("image").flatMap((part) =>
      "source" in part && "bytes" in part.source ? [`media ${part.source.bytes}`] : [],
    ),
    ...of("call").map(lineOf),
  ];
}

export const textLine = (text: string): string => `text ${JSON.stringify(text)}`;
export const mediaLine = (kind: string, mediaType: string, bytes: string): string => `${kind} ${mediaType} ${bytes}`;
export const callLine = (id: string, name: string, args: Json): string => `call ${id} ${name} ${JSON.stringify(args)}`;
export const resultLine = (id: string, text: string, error: boolean): string =>
  `result ${id} ${error ? "error" : "output"} ${JSON.stringify(text)}`;
export const reasoningLine = (text: string, state: string | undefined): string =>
  `reasoning ${JSON.stringify(text)} ${state ?? "unsigned"}`;

function lineOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "refusal":
      return textLine(part.text);
    case "image":
    case "file":
    case "audio":
      return "bytes" in part.source
        ? mediaLine("media", part.source.mediaType, part.source.bytes)
        : `media ${JSON.stringify(part.source)}`;
    case "call":
      return callLine(part.id, part.name, JSON.parse(part.arguments));
    case "result":
      return resultLine(part.id, textIn(part.parts), part.error === true);
    case "reasoning":
      return reasoningLine(part.text, part.state?.value);
    case "hosted":
      return `hosted ${JSON.stringify(part.item)}`;
  }
}

const textIn = (parts: readonly Part[]) =>
  parts.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n");

/** Text cut into pieces; an empty one is one piece. */
export function cut(text: string, size: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces.length === 0 ? [text] : pieces;
}
