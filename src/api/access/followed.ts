import { type Log, messageOf } from "../../log.ts";

/** Polling interval: a change by the command line takes effect within a second. */
const POLL_MS = 300;

interface FollowedOptions<T> {
  /** The name of the value, such as `keys`. */
  readonly what: string;
  readonly log: Log;
  /** Called at each poll. @returns false if the value is certainly the same. */
  readonly mayHaveChanged: () => Promise<boolean>;
  /** Changes whenever the value changes; cheap. */
  readonly fingerprint: () => Promise<string>;
  readonly read: () => Promise<T>;
  /** Sends it to the parts that use it. A failure is retried. */
  readonly publish: (value: T) => Promise<void>;
  /** Called after each poll. */
  readonly onLook?: () => Promise<void>;
}

/** A value of the database that is published whenever it changes. While the database is unavailable, the last value stays in use. */
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

  /** Why the published value may be out of date, or undefined. */
  get error(): string | undefined {
    return this.#error;
  }

  /** The fingerprint of the published value. */
  get fingerprint(): string {
    return this.#fingerprint;
  }

  /** Reads and publishes the value, and keeps doing so. Resolves after the first attempt, even if it failed. */
  async start(): Promise<void> {
    const { what, log, mayHaveChanged, onLook } = this.#options;
    try {
      if ((await mayHaveChanged()) || this.#error !== undefined) await this.refresh();
      await onLook?.();
      if (this.#error !== undefined) log.info(`${what} are up to date again`);
      this.#error = undefined;
    } catch (error) {
      if (this.#error === undefined) log.warn(`${what} cannot be read`, { why: messageOf(error) });
      this.#error = messageOf(error);
    }
    if (!this.#stopped) this.#timer = setTimeout(() => void this.start(), POLL_MS);
  }

  /** Polls now. @throws if the database is unavailable, or publishing failed. */
  refresh(): Promise<void> {
    const next = this.#refreshing.catch(() => {}).then(() => this.#refresh());
    this.#refreshing = next;
    return next;
  }

  /** Publishes a recent change now; if that fails, the next poll retries. */
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
