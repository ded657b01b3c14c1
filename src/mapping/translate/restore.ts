import { JsonEnd } from "../../json-text/json-end.ts";
import type { Answer, CallPart, Part, Piece, Reply, State } from "../../plugin-host/contract.ts";
import type { CallMemory, Thought } from "./call-memory.ts";
import { customInput } from "./fit-parts.ts";
import { callId } from "./ids.ts";
import { makerOf } from "./state.ts";
import type { ToolNames } from "./tool-names.ts";

type PartPiece = Extract<Piece, { readonly part: number }>;

/**
 * Reverts in a response what the translation of the request changed: tool names, raw inputs, and a response that came as a
 * tool's input.
 */
export class Restore {
  /** State of calls by their id, for clients that omit it. */
  readonly states = new Map<string, CallMemory>();
  readonly #names: ToolNames;
  readonly #issuer: string;
  /** The id of the client's response. */
  readonly #responseId: string;
  /** Reasoning without state is remembered as well. */
  readonly #keepsThoughts: boolean;
  /** Ids of the response's calls. */
  readonly #ids = new Set<string>();
  /** Parts with the input of the response tool, by choice and part. */
  readonly #toolOutputs = new Set<string>();
  /** Reasoning that no call has followed yet, by choice and part. */
  readonly #thoughts = new Map<string, { text: string; state?: State }>();
  /** Inputs of custom tools until their JSON is complete. */
  readonly #inputs = new Map<string, { text: string; readonly end: JsonEnd }>();

  constructor({ names, issuer, reply }: { names: ToolNames; issuer: string; reply: Reply }) {
    this.#names = names;
    this.#issuer = issuer;
    this.#responseId = reply.id;
    this.#keepsThoughts = reply.prompt.wants.thoughts === true;
  }

  answer(answer: Answer): Answer {
    return {
      ...answer,
      choices: answer.choices.map((choice) => {
        this.#thoughts.clear();
        return { ...choice, parts: choice.parts.map((part) => this.#part(part)) };
      }),
    };
  }

  #part(part: Part): Part {
    if (part.type === "reasoning") {
      const kept = part.state === undefined ? part : { ...part, state: this.#stamped(part.state) };
      this.#thoughts.set(`0 ${this.#thoughts.size}`, kept);
      return kept;
    }
    if (part.type !== "call") return part;
    if (this.#isOutputTool(part)) return { type: "text", text: part.arguments === "" ? "{}" : part.arguments };
    const call = this.#call(part);
    return call.custom === true && part.custom !== true ? { ...call, arguments: customInput(part.arguments) } : call;
  }

  #isOutputTool = ({ name }: CallPart) => this.#names.answerTool !== undefined && name === this.#names.answerTool;

  #call(part: CallPart): CallPart {
    const known = this.#names.back(part.name);
    const state = part.state === undefined ? undefined : this.#stamped(part.state);
    const id = this.#idOf(part);
    const call = { ...part, id, ...known };
    this.#remember(call, state);
    return state === undefined ? call : { ...call, state };
  }

  /** Results are matched by id: a call without an id, or with a duplicate, gets a new unique one. */
  #idOf({ id }: CallPart): string {
    const own = id === "" || this.#ids.has(id) ? callId(`${this.#responseId} ${this.#ids.size}`) : id;
    this.#ids.add(own);
    return own;
  }

  /** A call without its own state gets the state of the reasoning before it, because its vendor may require it. */
  #remember({ id, name }: CallPart, state: State | undefined): void {
    const thoughts = [...this.#thoughts.values()].flatMap(({ text, state: of }): Thought[] => {
      if (of !== undefined) return [{ text, state: of }];
      return this.#keepsThoughts && text !== "" ? [{ text }] : [];
    });
    const issuer = thoughts.some(({ state: of }) => of === undefined) ? { issuer: makerOf(this.#issuer) } : {};
    if (state !== undefined) this.states.set(id, { name, state });
    else if (thoughts.length > 0) this.states.set(id, { name, thoughts, ...issuer });
    this.#thoughts.clear();
  }

  /** Marks state from a provider with its issuer. */
  #stamped(state: State): State {
    return { ...state, issuer: state.kind === "encrypted" ? this.#issuer : makerOf(this.#issuer) };
  }

  piece(piece: Piece): readonly Piece[] {
    if (!("part" in piece)) return piece.type === "finish" ? [...this.#flushed(), piece] : [piece];
    const key = `${piece.choice ?? 0} ${piece.part}`;
    if (piece.type === "call") return this.#begun(piece, key);
    if (this.#toolOutputs.has(key)) return asText(piece);
    if (piece.type === "reasoning") this.#thoughtOf(key).text += piece.text;
    if (piece.type === "state") {
      const state = this.#stamped(piece.state);
      this.#thoughtOf(key).state = state;
      return [{ ...piece, state }];
    }
    const input = this.#inputs.get(key);
    if (input === undefined) return [piece];
    if (piece.type === "close") return [...this.#inputOf(key, piece), piece];
    if (piece.type !== "arguments") return [piece];
    input.text += piece.text;
    input.end.read(piece.text);
    return input.end.reached ? [...this.#inputOf(key, piece), closeOf(piece)] : [];
  }

  #thoughtOf(key: string): { text: string; state?: State } {
    const known = this.#thoughts.get(key) ?? { text: "" };
    this.#thoughts.set(key, known);
    return known;
  }

  #begun(piece: PartPiece & { type: "call" }, key: string): readonly Piece[] {
    if (this.#isOutputTool(piece.call)) {
      this.#toolOutputs.add(key);
      return [];
    }
    const call = this.#call(piece.call);
    if (call.custom === true && piece.call.custom !== true) this.#inputs.set(key, { text: "", end: new JsonEnd() });
    return [{ ...piece, call }];
  }

  #inputOf(key: string, of: PartPiece): Piece[] {
    const text = customInput(this.#inputs.get(key)!.text);
    this.#inputs.delete(key);
    const piece = { type: "arguments", part: of.part, text } as const;
    return text === "" ? [] : [of.choice === undefined ? piece : { ...piece, choice: of.choice }];
  }

  /** Emits the inputs whose JSON stayed incomplete. */
  #flushed(): Piece[] {
    return [...this.#inputs.keys()].flatMap((key) => {
      const [choice, part] = key.split(" ").map(Number) as [number, number];
      const of = choice === 0 ? { type: "close" as const, part } : { type: "close" as const, part, choice };
      return [...this.#inputOf(key, of), of];
    });
  }
}

const closeOf = ({ part, choice }: PartPiece): Piece =>
  choice === undefined ? { type: "close", part } : { type: "close", part, choice };

/** Converts pieces of the response tool's input to text. */
function asText(piece: PartPiece): readonly Piece[] {
  if (piece.type === "arguments") return [{ ...piece, type: "text" }];
  return piece.type === "close" ? [piece] : [];
}
