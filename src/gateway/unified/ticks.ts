const TICK_MS = 1_000;

/** What is looked after once a second while it lasts. */
interface Ticking {
  tick(): void;
}

/** One timer for all responses that are coming: most are over before it strikes, and a timer for each costs more than they do. */
export class Ticks {
  readonly #members = new Set<Ticking>();
  #timer: ReturnType<typeof setInterval> | undefined;

  add(member: Ticking): void {
    this.#members.add(member);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#strike(), TICK_MS);
    this.#timer.unref();
  }

  delete(member: Ticking): void {
    this.#members.delete(member);
  }

  #strike(): void {
    for (const member of this.#members) member.tick();
    if (this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
