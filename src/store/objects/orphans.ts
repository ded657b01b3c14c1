import type { Database } from "../database/database.ts";
import { eachOf } from "./each-of.ts";
import type { ListedObject } from "./object-store.ts";
import type { ObjectWriter } from "./object-writer.ts";

/** How often the bucket is listed, and when it is first listed after the process started. */
const EVERY_MS = 86_400_000;
const FIRST_MS = 600_000;
/** A server may still commit a transaction after the client gave up on it. */
const SETTLED_MS = 120_000;
const CALLS = 8;
/** One order takes several steps but lists the bucket only once. */
const FRESH_MS = 2_000;

/**
 * Finds objects without a row, which a crash between writing the store and the database leaves. Checks objects of this data
 * directory and of nodes that no longer exist; objects of other deployments are not listed.
 */
export class Orphans {
  readonly #database: Database;
  readonly #writer: ObjectWriter;
  readonly #node: () => string | null;
  #dueAt = performance.now() + FIRST_MS;
  #freshUntil = 0;
  #pages: AsyncGenerator<readonly ListedObject[]> | undefined;

  constructor(database: Database, writer: ObjectWriter, node: () => string | null) {
    this.#database = database;
    this.#writer = writer;
    this.#node = node;
  }

  get isUnderWay(): boolean {
    return this.#pages !== undefined;
  }

  /** Checks what this process wrote, or one page of the list. @returns whether anything was deleted or more pages follow. */
  async step(isOrdered: boolean): Promise<boolean> {
    if (await this.#ownFailures()) return true;
    const now = performance.now();
    if (this.#pages === undefined && (isOrdered ? now < this.#freshUntil : now < this.#dueAt)) return false;
    const deployment = await this.#writer.deploymentPrefix();
    const { store, directory } = this.#writer.options;
    this.#pages ??= store.list(this.#isAlone ? `${deployment}${directory()}/` : deployment);
    try {
      const { value: page, done } = await this.#pages.next();
      if (done === true) {
        this.#pages = undefined;
        this.#dueAt = performance.now() + EVERY_MS;
        this.#freshUntil = performance.now() + FRESH_MS;
        return false;
      }
      await this.#remove(page.map(({ name }) => name));
      return true;
    } catch (cause) {
      this.#pages = undefined;
      throw cause;
    }
  }

  /** In a local database, a failed transaction is never committed later. */
  get #isAlone(): boolean {
    return this.#node() === null;
  }

  /** Deletes objects of failed transactions, which are known without listing the bucket. */
  async #ownFailures(): Promise<boolean> {
    const deployment = await this.#writer.deploymentPrefix();
    const settled = [...this.#writer.unsure].filter((name) => this.#isSettled(name.slice(deployment.length)));
    for (const name of settled) this.#writer.unsure.delete(name);
    return settled.length > 0 && (await this.#remove(settled)) > 0;
  }

  /** Deletes those without a row. */
  async #remove(names: readonly string[]): Promise<number> {
    const known = await this.#database.query<{ name: string }>({
      sql: "select name from objects where name in (select value from json_each(?))",
      args: [JSON.stringify(names)],
    });
    const there = new Set(known.map(({ name }) => name));
    const deployment = await this.#writer.deploymentPrefix();
    const others = await this.#otherNodes();
    const orphans = names.filter((name) => {
      const rest = name.slice(deployment.length);
      return !there.has(name) && !others.has(rest.split("/")[0]!) && this.#isSettled(rest);
    });
    await eachOf(orphans, CALLS, (name) => this.#writer.options.store.remove(name));
    return orphans.length;
  }

  /** Whether its row must be committed by now if it ever will be. @param rest - a name without the deployment's prefix. */
  #isSettled(rest: string): boolean {
    const [directory, id = ""] = rest.split("/");
    const isOwn = this.#isAlone && directory === this.#writer.options.directory();
    return isOwn || timeOf(id) < Date.now() - SETTLED_MS;
  }

  async #otherNodes(): Promise<ReadonlySet<string>> {
    if (this.#isAlone) return new Set();
    const nodes = await this.#database.query<{ id: string }>({ sql: "select id from nodes", args: [] });
    const own = this.#writer.options.directory();
    return new Set(nodes.map(({ id }) => id).filter((id) => id !== own));
  }
}

/** Creation time of a UUIDv7 in milliseconds since 1970. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 13).replace("-", ""), 16);
}
