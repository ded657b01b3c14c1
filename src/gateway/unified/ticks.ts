const STRIKE_MS = 100;
/** A tick is every so many strikes. */
const TICK_STRIKES = 10;

/** What is looked after while it lasts. */
interface Ticking {
  /** By `performance.now()`; 0 for none. It may be late by a strike. */
  readonly deadline: number;
  onDeadline(): void;
  /** Called once a second. */
  tick(): void;
}

/** One timer for all responses that are coming: most are over before it strikes, and a timer for each costs more than they do. */
export class Ticks {
  readonly #members = new Set<Ticking>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #strikes = 0;

  add(member: Ticking): void {
    this.#members.add(member);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#strike(), STRIKE_MS);
    this.#timer.unref();
  }

  delete(member: Ticking): void {
    this.#members.delete(member);
  }

  #strike(): void {
    const now = performance.now();
    const isTick = ++this.#strikes % TICK_STRIKES === 0;
    for (const member of this.#members) {
      if (member.deadline !== 0 && member.deadline <= now) member.onDeadline();
      else if (isTick) member.tick();
    }
    if (this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
