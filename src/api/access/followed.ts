import { type Log, messageOf } from "../../log.ts";

/** How often the database is asked whether something has changed: a change by the command line counts within a second. */
const POLL_MS = 300;

interface FollowedOptions<T> {
  /** What is followed, such as `keys`. */
  readonly what: string;
  readonly log: Log;
  /** Differs whenever what is followed has changed; cheap. */
  readonly fingerprint: () => Promise<string>;
  readonly read: () => Promise<T>;
  /** Sends it to the parts that use it. A failure is retried. */
  readonly publish: (value: T) => Promise<void>;
  /** Called after each look. */
  readonly onLook?: () => Promise<void>;
}

/** A value of the database that is sent to its users whenever it changes. While the database is away, they keep the last one. */
export class Followed<T> {
  readonly #options: FollowedOptions<T>;
  #fingerprint = "";
  #error: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: FollowedOptions<T>) {
    this.#options = options;
  }

  /** Why what others know may be out of date, or undefined. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The fingerprint of what others go by. */
  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** Reads it, hands it on, and keeps doing so. Resolves after the first time, also where that failed. */
  async start(): Promise<void> {
    const { what, log, onLook } = this.#options;
    try {
      await this.refresh();
      await onLook?.();
      if (this.#error !== undefined) log.info(`${what} are up to date again`);
      this.#error = undefined;
    } catch (error) {
      if (this.#error === undefined) log.warn(`${what} cannot be read`, { why: messageOf(error) });
      this.#error = messageOf(error);
    }
    if (!this.#stopped) this.#timer = setTimeout(() => void this.start(), POLL_MS);
  }

  /** Looks now. @throws where the database is away, or it could not be handed on. */
  refresh(): Promise<void> {
    const next = this.#refreshing.catch(() => {}).then(() => this.#refresh());
    this.#refreshing = next;
    return next;
  }

  /** A change that was just made counts now; where that fails, the next look tries again. */
  async spread(): Promise<void> {
    await this.refresh().catch((error: unknown) => {
      this.#options.log.warn(`${this.#options.what} have not reached all threads yet`, { why: messageOf(error) });
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#refreshing.catch(() => {}); // its caller has logged the failure
  }

  async #refresh(): Promise<void> {
    const fingerprint = await this.#options.fingerprint();
    if (fingerprint === this.#fingerprint) return;
    await this.#options.publish(await this.#options.read());
    this.#fingerprint = fingerprint;
  }
}
