import { Slots, type Slotted } from "../slots.ts";

const STRIKE_MS = 100;
/** The timer fires this many times per tick. */
const TICK_STRIKES = 10;

/** A response that the timer watches. */
interface Ticking extends Slotted {
  /** By `performance.now()`; 0 for none. It may be noticed one timer interval late. */
  readonly deadline: number;
  onDeadline(): void;
  /** Called once a second. */
  tick(): void;
}

/** One timer for all responses in flight: most end before it fires, and a timer for each costs more than they do. */
export class Ticks {
  readonly #members = new Slots<Ticking>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #strikes = 0;

  add(member: Ticking): void {
    this.#members.add(member);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#strike(), STRIKE_MS);
    this.#timer.unref();
  }

  delete(member: Ticking): void {
    this.#members.remove(member);
  }

  #strike(): void {
    const now = performance.now();
    const isTick = ++this.#strikes % TICK_STRIKES === 0;
    for (const member of this.#members.all()) {
      if (member.deadline !== 0 && member.deadline <= now) member.onDeadline();
      else if (isTick) member.tick();
    }
    if (this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
