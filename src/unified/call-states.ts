import type { CallMemories, CallMemory } from "../mapping/translate/call-memory.ts";

const KEPT_MS = 86_400_000;
const KEPT_MAX = 20_000;
/** Maximum characters in total, and of one call's reasoning, which is dropped beyond that. */
const CHARACTERS_MAX = 64 * 1_024 * 1_024;
const CALL_CHARACTERS_MAX = 256 * 1_024;

/** A record reaches the database within this time, normally within a second. */
const LATE_MS = 30_000;

/** The first and the last time that no record had a call's state: milliseconds since 1970. */
interface Missed {
  readonly first: number;
  readonly last: number;
}

interface Kept {
  readonly memory: CallMemory;
  readonly until: number;
  readonly characters: number;
}

/** State of calls by call id, for a day, to restore it for clients that omit it. In memory, per organization. */
export class CallStates {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;
  /** Calls without state in any record, and when that was seen. */
  readonly #missed = new Map<string, Missed>();

  note(organizationId: string, memories: ReadonlyMap<string, CallMemory>): void {
    for (const [id, memory] of memories) {
      const characters = charactersOf(memory);
      if (characters > CALL_CHARACTERS_MAX) continue;
      const key = keyOf(organizationId, id);
      this.#forget(key);
      this.#kept.set(key, { memory, until: Date.now() + KEPT_MS, characters });
      this.#characters += characters;
      while (this.#kept.size > KEPT_MAX || this.#characters > CHARACTERS_MAX)
        this.#forget(this.#kept.keys().next().value!);
    }
  }

  #forget(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }

  /** Notes that no record has state of these calls. @param now - milliseconds since 1970. */
  noteMissed(organizationId: string, callIds: readonly string[], now = Date.now()): void {
    for (const id of callIds) {
      const key = keyOf(organizationId, id);
      const { first } = this.#missed.get(key) ?? { first: now };
      if (this.#missed.size >= KEPT_MAX) this.#missed.delete(this.#missed.keys().next().value!);
      this.#missed.set(key, { first, last: now });
    }
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /** The stored state of these calls. */
  of(organizationId: string, callIds: readonly string[]): CallMemories {
    const found: [string, CallMemory][] = [];
    for (const id of callIds) {
      const memory = this.get(organizationId, id);
      if (memory !== undefined) found.push([id, memory]);
    }
    // Not by assignment: a client or a provider may name a call `__proto__`.
    return Object.fromEntries(found);
  }

  /** The given calls that are unknown here, except for those known to have no state. */
  unknown(organizationId: string, callIds: readonly string[]): readonly string[] {
    return callIds.filter((id) => this.get(organizationId, id) === undefined && !this.#isStateless(organizationId, id));
  }

  /** Whether the vendor issued no state: a record that another node still writes would be there by now. */
  #isStateless(organizationId: string, callId: string): boolean {
    const missed = this.#missed.get(keyOf(organizationId, callId));
    return missed !== undefined && missed.last - missed.first >= LATE_MS;
  }

  get(organizationId: string, callId: string): CallMemory | undefined {
    const found = this.#kept.get(keyOf(organizationId, callId));
    return found === undefined || found.until <= Date.now() ? undefined : found.memory;
  }
}

const charactersOf = ({ state, thoughts = [] }: CallMemory): number =>
  thoughts.reduce((sum, { text, state: of }) => sum + text.length + (of?.value.length ?? 0), state?.value.length ?? 0);

/** Members that hold the id of a call, in every shape. */
const CALL_ID = /"(?:id|call_id|tool_call_id|tool_use_id|toolUseId)"\s*:\s*"([^"\\]{1,200})"/g;

/** Possible call ids in a body, without duplicates. @param text - JSON. */
export function callIdsIn(text: string): readonly string[] {
  const ids = new Set<string>();
  for (const [, id] of text.matchAll(CALL_ID)) ids.add(id!);
  return [...ids];
}

const keyOf = (organizationId: string, callId: string) => JSON.stringify([organizationId, callId]);
