import { randomBytes } from "node:crypto";
import type { Store } from "./store.ts";

/** A random secret of this deployment that is made once and kept in the database, for all its processes. */
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
    const lookup = { sql: "select value from settings where name = ?", args: [this.#name] };
    const [known] = await this.#reader.records.query<{ value: string }>(lookup);
    if (known !== undefined) return Buffer.from(known.value, "hex");
    const { records } = await this.#writer();
    const insert = "insert into settings (name, value) values (?, ?) on conflict (name) do nothing";
    await records.batch([{ sql: insert, args: [this.#name, randomBytes(32).toString("hex")] }]);
    const [made] = await records.query<{ value: string }>(lookup);
    return Buffer.from(made!.value, "hex");
  }
}
