import type { Answer, Choice, Finish, Part, Piece, Usage } from "../../plugin-host/contract.ts";
import { pickDefined } from "../json.ts";
import { finishWith } from "./sequence.ts";

/** A complete response as the pieces of the equivalent stream. */
export function piecesOf(answer: Answer): Piece[] {
  const { id, model, usage } = answer;
  const pieces: Piece[] = [pickDefined({ type: "start", id, model }) as Piece];
  let part = 0;
  for (const [index, choice] of answer.choices.entries()) {
    const of = index === 0 ? {} : { choice: index };
    for (const each of choice.parts) {
      for (const piece of partPieces(each, part)) pieces.push({ ...piece, ...of });
      pieces.push({ type: "close", part, ...of });
      part++;
    }
    if (choice.logprobs !== undefined) pieces.push({ type: "logprobs", logprobs: choice.logprobs, ...of });
    const stopText = choice.stopText === undefined ? {} : { stopText: choice.stopText };
    pieces.push({ type: "finish", finish: finishWith(choice.finish, hasCall(choice.parts)), ...stopText, ...of });
  }
  if (usage !== undefined) pieces.push({ type: "usage", usage });
  pieces.push({ type: "end" });
  return pieces;
}

const hasCall = (parts: readonly Part[]) => parts.some(({ type }) => type === "call");

type PartPiece = Extract<Piece, { readonly part: number }>;

function partPieces(given: Part, part: number): PartPiece[] {
  switch (given.type) {
    case "text":
      return [
        { type: "text", part, text: given.text },
        ...(given.citations ?? []).map((citation) => ({ type: "citation" as const, part, citation })),
      ];
    case "refusal":
      return [{ type: "refusal", part, text: given.text }];
    case "reasoning": {
      const said: PartPiece = { type: "reasoning", part, text: given.text };
      return given.state === undefined ? [said] : [said, { type: "state", part, state: given.state }];
    }
    case "call": {
      const begun: PartPiece = { type: "call", part, call: { ...given, arguments: "" } };
      return given.arguments === "" ? [begun] : [begun, { type: "arguments", part, text: given.arguments }];
    }
    case "image":
      return [{ type: "image", part, image: given }];
    case "hosted":
      return [{ type: "hosted", part, hosted: given }];
    default:
      return [];
  }
}

interface ChoiceDraft {
  readonly parts: Map<number, Part>;
  finish: Finish | undefined;
  stopText: string | undefined;
  readonly logprobs: unknown[];
}

/** Assembles pieces into a response; parts keep the order in which they began. */
export class PieceFold {
  #id: string | undefined;
  #model: string | undefined;
  #usage: Usage | undefined;
  readonly #choices = new Map<number, ChoiceDraft>();

  take(piece: Piece): void {
    if (piece.type === "start") {
      this.#id ??= piece.id;
      this.#model ??= piece.model;
    }
    if (piece.type === "start" || piece.type === "usage") {
      if (piece.usage !== undefined) this.#usage = { ...this.#usage, ...piece.usage };
      return;
    }
    if (piece.type === "error" || piece.type === "end") return;
    const choice = this.#choice(piece.choice ?? 0);
    if (piece.type === "finish") {
      choice.finish = piece.finish;
      choice.stopText = piece.stopText;
    } else if (piece.type === "logprobs") {
      for (const token of Array.isArray(piece.logprobs?.content) ? piece.logprobs.content : [])
        choice.logprobs.push(token);
    } else grow(choice.parts, piece);
  }

  answer(): Answer {
    const indexes = [...this.#choices.keys()].sort((a, b) => a - b);
    const choices = indexes.map((index): Choice => {
      const { parts, finish, stopText, logprobs } = this.#choices.get(index)!;
      const list = [...parts.values()];
      return pickDefined({
        parts: list,
        finish: finishWith(finish ?? "end", hasCall(list)),
        stopText,
        logprobs: logprobs.length > 0 ? { content: logprobs } : undefined,
      }) as Choice;
    });
    return pickDefined({ id: this.#id, model: this.#model, choices, usage: this.#usage }) as Answer;
  }

  #choice(index: number): ChoiceDraft {
    let choice = this.#choices.get(index);
    if (choice === undefined) {
      choice = { parts: new Map(), finish: undefined, stopText: undefined, logprobs: [] };
      this.#choices.set(index, choice);
    }
    return choice;
  }
}

type Growing = { -readonly [K in "text" | "arguments" | "state" | "citations"]?: unknown } & { type: string };

/** The parts are our own objects, so they may be mutated while they grow. */
function grow(parts: Map<number, Part>, piece: PartPiece): void {
  const part = parts.get(piece.part) as Growing | undefined;
  const start = (fresh: Part) => parts.set(piece.part, fresh);
  switch (piece.type) {
    case "text":
    case "refusal":
    case "reasoning":
      if (part === undefined) start({ type: piece.type, text: piece.text });
      else part.text = `${part.text ?? ""}${piece.text}`;
      return;
    case "arguments":
      if (part !== undefined) part.arguments = `${part.arguments ?? ""}${piece.text}`;
      return;
    case "call":
      start({ ...piece.call });
      return;
    case "state":
      if (part === undefined) start({ type: "reasoning", text: "", state: piece.state });
      else part.state = piece.state;
      return;
    case "citation":
      if (part === undefined) start({ type: "text", text: "", citations: [piece.citation] });
      else if (Array.isArray(part.citations)) part.citations.push(piece.citation);
      else part.citations = [piece.citation];
      return;
    case "image":
      start(piece.image);
      return;
    case "hosted":
      start(piece.hosted);
      return;
    case "close":
      return;
  }
}
