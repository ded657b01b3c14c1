import { noted } from "../../store/audit/recorded.ts";
import { actingOf, type Caller } from "../access/caller.ts";
import { ACTION_OF } from "../access/needs.ts";
import type { ApiContext } from "../context.ts";
import { methodOf } from "../endpoint.ts";

/** Repeated equal refusals of a caller within this time share one entry, so that callers cannot fill the log. */
const REPEATED_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** Logs requests that were refused for lack of a permission. */
export class Refusals {
  readonly #context: ApiContext;
  /** The time of the last log entry of each kind, oldest first. */
  readonly #times = new Map<string, number>();

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** @param path - the endpoint's pattern. */
  async note(request: Request, caller: Caller, path: string): Promise<void> {
    const endpoint = `${methodOf(request)} ${path}`;
    const name = `${caller.actor.id} ${endpoint}`;
    const now = performance.now();
    const last = this.#times.get(name);
    if (last !== undefined && now - last < REPEATED_MS) return;
    this.#times.delete(name);
    this.#times.set(name, now);
    if (this.#times.size > REMEMBERED_MAX) this.#times.delete(this.#times.keys().next().value!);
    const action = (Object.hasOwn(ACTION_OF, endpoint) ? ACTION_OF[endpoint] : undefined) ?? "access.refused";
    const object = { kind: "endpoint", id: endpoint, name: new URL(request.url).pathname };
    const organizationId = caller.organizationId === "" ? null : caller.organizationId;
    const { records } = await this.#context.writer();
    await noted(records, actingOf(caller), { action, organizationId, object }, "refused");
  }
}
