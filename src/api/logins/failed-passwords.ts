import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "../../errors.ts";

const WINDOW_MS = 15 * 60_000;
/** Failures within the window after which an address, or an account, has to wait. */
const FAILURES_MAX = 10;
const FIRST_DELAY_MS = 100;
const DELAY_MS_MAX = 2_000;
/** Addresses and accounts that are remembered; the oldest are forgotten first. */
const REMEMBERED_MAX = 10_000;

/**
 * Limits wrong passwords: ten in a quarter of an hour for each address and for each account, with growing pauses. Addresses from which an
 * account was logged in to are not held up by what others try at it: nobody can lock somebody else out for good.
 */
export class FailedPasswords {
  readonly #times = new Map<string, number[]>();
  readonly #trusted = new Map<string, true>();

  /** @throws GatewayError `rate_limited` where the address or the account has to wait: not even the password is looked at. */
  refuse(account: string, address: string | null): void {
    const waits = [this.#waitMs(`from ${address}`)];
    if (!this.#trusted.has(`${account} ${address}`)) waits.push(this.#waitMs(`of ${account}`));
    const ms = Math.max(...waits);
    if (ms <= 0) return;
    throw new GatewayError("rate_limited", "too many wrong passwords; wait before the next", {
      headers: { "retry-after": String(Math.ceil(ms / 1_000)) },
    });
  }

  /** Notes a wrong password and waits, each time longer. */
  async note(account: string, address: string | null): Promise<void> {
    const now = performance.now();
    for (const name of [`from ${address}`, `of ${account}`]) {
      const times = [...this.#recent(name), now];
      remember(this.#times, name, times);
    }
    const count = this.#recent(`from ${address}`).length;
    await sleep(Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** (count - 1)));
  }

  /** Notes that an account was logged in to. */
  succeeded(account: string, address: string | null): void {
    this.#times.delete(`of ${account}`);
    remember(this.#trusted, `${account} ${address}`, true);
  }

  #recent(name: string): readonly number[] {
    const now = performance.now();
    return (this.#times.get(name) ?? []).filter((time) => now - time < WINDOW_MS);
  }

  #waitMs(name: string): number {
    const times = this.#recent(name);
    if (times.length < FAILURES_MAX) return 0;
    return times.at(-FAILURES_MAX)! + WINDOW_MS - performance.now();
  }
}

function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > REMEMBERED_MAX) map.delete(map.keys().next().value!);
}
