import type { Message, Part, Prompt, State } from "../../plugin/contract.ts";
import { belongsTo } from "./state.ts";

/** What a model thought, with the state that lets it take it back. */
export interface Thought {
  readonly text: string;
  readonly state: State;
}

/** What is kept of a call for clients that forget it: its own state, or else what the model thought before it. */
export interface CallMemory {
  readonly state?: State;
  readonly thoughts?: readonly Thought[];
}

export type CallMemories = Readonly<Record<string, CallMemory>>;

/**
 * Puts back what the client did not keep of the calls in a conversation. Thoughts are put back for their issuer alone: the
 * client has not sent them, so nobody else loses them.
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

const memoryOf = (part: Part, memories: CallMemories): CallMemory | undefined =>
  part.type === "call" && Object.hasOwn(memories, part.id) ? memories[part.id] : undefined;

function withState(part: Part, memories: CallMemories): Part {
  const state = memoryOf(part, memories)?.state;
  return part.type === "call" && part.state === undefined && state !== undefined ? { ...part, state } : part;
}

/** What was thought before the first call stands before all else of the turn; the rest, before its own call. */
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
  // The same thoughts without their state, as some clients keep them, would be said twice.
  return found ? [...first, ...turn.filter((part) => part.type !== "reasoning" || part.state !== undefined)] : parts;
}
