import type { Message, Part, Prompt, State } from "../../plugin-host/contract.ts";
import { belongsTo, makerOf } from "./state.ts";

/** A model's reasoning, with the state that makes the model accept it again, if it has any. */
export interface Thought {
  readonly text: string;
  readonly state?: State;
}

/** The stored state of a call, for clients that omit it: its own state, otherwise the reasoning before it. */
export interface CallMemory {
  /** The called tool: some providers repeat ids in other conversations. */
  readonly name?: string;
  readonly state?: State;
  readonly thoughts?: readonly Thought[];
  /** The issuer of thoughts without state. */
  readonly issuer?: string;
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
    const own = thoughtsOf(memoryOf(part, memories), issuer);
    found ||= own.length > 0;
    (called ? turn : first).push(...own);
    called ||= part.type === "call";
    // Some clients keep the same reasoning without its state: it would be duplicated.
    if (part.type !== "reasoning" || part.state !== undefined) turn.push(part);
  }
  return found ? [...first, ...turn] : parts;
}

function thoughtsOf(memory: CallMemory | undefined, issuer: string): Part[] {
  const isOwn = (state: State | undefined) =>
    state === undefined ? memory?.issuer === makerOf(issuer) : belongsTo(state, issuer);
  return (memory?.thoughts ?? []).flatMap(({ text, state }): Part[] => {
    if (!isOwn(state)) return [];
    return [state === undefined ? { type: "reasoning", text } : { type: "reasoning", text, state }];
  });
}
