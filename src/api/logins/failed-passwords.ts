import { setTimeout as sleep } from "node:timers/promises";
import ipaddr from "ipaddr.js";
import { GatewayError } from "../../errors.ts";

const WINDOW_MS = 15 * 60_000;
/** Failures within the window after which an address, or an account, is refused. */
const FAILURES_MAX = 10;
const FIRST_DELAY_MS = 100;
const DELAY_MS_MAX = 2_000;
/** Addresses and accounts that are remembered; the oldest are forgotten first. */
const REMEMBERED_MAX = 10_000;

/** Bits of an IPv6 address that name a network: the others are free to choose for everybody in it. */
const NETWORK_BITS = 64;

/**
 * Limits wrong passwords: ten in a quarter of an hour for each address (in IPv6 each network) and for each account, with growing pauses. If an account
 * has logged in from an address before, only attempts on it from there delay it: attempts from elsewhere, or on other
 * accounts behind the same address, cannot lock its user out.
 */
export class FailedPasswords {
  readonly #times = new Map<string, number[]>();
  readonly #trusted = new Map<string, true>();

  /**
   * Checks a password; after a wrong one, waits longer each time. An attempt counts as failed from its start, so that
   * parallel attempts gain nothing over sequential ones.
   *
   * @throws GatewayError `rate_limited` if the address or the account must wait: the password is then not checked at all.
   */
  async attempt(account: string, address: string | null, isRight: () => Promise<boolean>): Promise<boolean> {
    const from = `from ${networkOf(address)}`;
    const pair = `of ${account} ${from}`;
    const names = [from, `of ${account}`, pair];
    this.#refuse(this.#trusted.has(pair) ? [pair] : names);
    const now = performance.now();
    for (const name of names) remember(this.#times, name, [...this.#recent(name), now]);
    const forget = () => {
      for (const name of names) this.#forget(name, now);
    };
    const right = await isRight().catch((error: unknown) => {
      forget(); // unknown
      throw error;
    });
    if (right) {
      forget();
      for (const name of [`of ${account}`, pair]) this.#times.delete(name);
      remember(this.#trusted, pair, true);
      return true;
    }
    const count = Math.max(1, this.#recent(from).length);
    await sleep(Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** (count - 1)));
    return false;
  }

  #refuse(names: readonly string[]): void {
    const ms = Math.max(...names.map((name) => this.#waitMs(name)));
    if (ms <= 0) return;
    throw new GatewayError("rate_limited", "too many wrong passwords; wait before the next", {
      headers: { "retry-after": String(Math.ceil(ms / 1_000)) },
    });
  }

  #forget(name: string, time: number): void {
    const times = this.#recent(name);
    const at = times.indexOf(time);
    if (at >= 0) remember(this.#times, name, times.toSpliced(at, 1));
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

function networkOf(address: string | null): string | null {
  if (address === null || !ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/${NETWORK_BITS}`).toString();
}

function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > REMEMBERED_MAX) map.delete(map.keys().next().value!);
}
