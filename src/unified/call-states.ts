import type { State } from "../plugin/contract.ts";

const KEPT_MS = 86_400_000;
const KEPT_MAX = 20_000;

/** State of calls by call id, for a day: clients that forget it get it put back. In memory, per organization. */
export class CallStates {
  readonly #kept = new Map<string, { readonly state: State; readonly until: number }>();

  note(organizationId: string, states: ReadonlyMap<string, State>): void {
    for (const [id, state] of states) {
      if (this.#kept.size >= KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value!);
      this.#kept.set(keyOf(organizationId, id), { state, until: Date.now() + KEPT_MS });
    }
  }

  /** What is kept of the calls whose ids stand in a body. */
  of(organizationId: string, body: Uint8Array): Readonly<Record<string, State>> {
    const found: Record<string, State> = {};
    if (this.#kept.size === 0) return found;
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
    for (const [, id] of text.matchAll(CALL_ID)) {
      const state = this.get(organizationId, id!);
      if (state !== undefined) found[id!] = state;
    }
    return found;
  }

  get(organizationId: string, callId: string): State | undefined {
    const found = this.#kept.get(keyOf(organizationId, callId));
    return found === undefined || found.until <= Date.now() ? undefined : found.state;
  }
}

/** Members that hold the id of a call, in every shape. */
const CALL_ID = /"(?:id|call_id|tool_call_id|tool_use_id|toolUseId)"\s*:\s*"([^"\\]{1,200})"/g;

const keyOf = (organizationId: string, callId: string) => JSON.stringify([organizationId, callId]);
