import type { Message, Part, Prompt, State } from "../../plugin-host/contract.ts";
import { belongsTo } from "./state.ts";

/** A model's reasoning, with the state that makes the model accept it again. */
interface Thought {
  readonly text: string;
  readonly state: State;
}

/** The stored state of a call, for clients that omit it: its own state, otherwise the reasoning before it. */
export interface CallMemory {
  /** The called tool: some providers repeat ids in other conversations. */
  readonly name?: string;
  readonly state?: State;
  readonly thoughts?: readonly Thought[];
}

export type CallMemories = Readonly<Record<string, CallMemory>>;

/**
 * Restores the state of calls that the client omitted. Reasoning is restored only for its issuer; for other targets this is
 * no loss, because the client did not send it.
 */
export function withMemories(prompt: Prompt, memories: CallMemories, issuer: string): Prompt {
  const messages = prompt.messages.map((message): Message => {
    if (message.role !== "assistant") return message;
    const kept = message.parts.some((part) => part.type === "reasoning" && part.state !== undefined);
    const parts = message.parts.map((part) => withState(part, memories));
    return { ...message, parts: kept ? parts : withThoughts(parts, memories, issuer) };
  });
  return { ...prompt, messages };
}

function memoryOf(part: Part, memories: CallMemories): CallMemory | undefined {
  if (part.type !== "call" || !Object.hasOwn(memories, part.id)) return undefined;
  const memory = memories[part.id]!;
  return memory.name === undefined || memory.name === part.name ? memory : undefined;
}

function withState(part: Part, memories: CallMemories): Part {
  const state = memoryOf(part, memories)?.state;
  return part.type === "call" && part.state === undefined && state !== undefined ? { ...part, state } : part;
}

/** Reasoning before the first call goes first in the turn, other reasoning before its own call. */
function withThoughts(parts: readonly Part[], memories: CallMemories, issuer: string): readonly Part[] {
  const first: Part[] = [];
  const turn: Part[] = [];
  let called = false;
  let found = false;
  for (const part of parts) {
    const thoughts = (memoryOf(part, memories)?.thoughts ?? []).filter(({ state }) => belongsTo(state, issuer));
    const own = thoughts.map(({ text, state }): Part => ({ type: "reasoning", text, state }));
    found ||= own.length > 0;
    (called ? turn : first).push(...own);
    called ||= part.type === "call";
    turn.push(part);
  }
  // Drops the same reasoning without its state, which some clients keep: it would be duplicated.
  return found ? [...first, ...turn.filter((part) => part.type !== "reasoning" || part.state !== undefined)] : parts;
}
