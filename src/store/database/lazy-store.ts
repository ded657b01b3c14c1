import type { Config } from "../../config.ts";
import type { Store } from "../databases.ts";
import { openStore } from "../store.ts";
import { CACHE_KB } from "./local-writer.ts";

/** A store for writing that is opened on first use, and again after opening failed. */
export class LazyStore {
  readonly #config: Config;
  #opening: Promise<Store> | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  readonly writer = (): Promise<Store> => {
    this.#opening ??= openStore(this.#config, "change", CACHE_KB.other).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  };

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close(); // a store that failed to open needs no close
  }
}
