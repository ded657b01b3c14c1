import { randomBytes } from "node:crypto";
import { initSetting, readSetting } from "./settings.ts";
import type { Store } from "./store.ts";

/** A random secret of this deployment, created once and stored in the database for all processes. */
export class StoredSecret {
  readonly #name: string;
  readonly #reader: Store;
  readonly #writer: () => Promise<Store>;
  #secret: Promise<Buffer> | undefined;

  constructor(name: string, reader: Store, writer: () => Promise<Store>) {
    this.#name = name;
    this.#reader = reader;
    this.#writer = writer;
  }

  load(): Promise<Buffer> {
    this.#secret ??= this.#find().catch((error: unknown) => {
      this.#secret = undefined;
      throw error;
    });
    return this.#secret;
  }

  async #find(): Promise<Buffer> {
    const known = await readSetting(this.#reader.records, this.#name);
    if (known !== undefined) return Buffer.from(known, "hex");
    const { records } = await this.#writer();
    await initSetting(records, this.#name, randomBytes(32).toString("hex"));
    return Buffer.from((await readSetting(records, this.#name))!, "hex");
  }
}
