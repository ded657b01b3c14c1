import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { knownProviders } from "../../src/credentials/form.ts";
import { madeKeyPath } from "../../src/credentials/keyring.ts";
import { readCredential } from "../../src/credentials/read-credential.ts";
import { ResponseStore } from "../../src/gateway/cache/response-store.ts";
import { createLog } from "../../src/log.ts";
import { SYSTEM } from "../../src/people/actor.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import { Journal } from "../../src/plugin-host/host/journal.ts";
import { Vault } from "../../src/serve/vault.ts";
import { listCredentials } from "../../src/store/credentials/credentials.ts";
import { keepCredential } from "../../src/store/credentials/keep.ts";
import { lockDirectory } from "../../src/store/database/lock.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryDirectory } from "../directory.ts";
import { configIn, silent } from "../recorder/harness.ts";
import { until } from "../until.ts";
import { FAULTS } from "./faults.ts";
import type { When } from "./recorded.ts";

/** @param spoil - lets the fault happen to the file. @returns what comes of it, in the words of the table. */
type Row = (directory: string, when: When, spoil: (path: string) => (() => void) | undefined) => Promise<string>;

/** A journal's file is looked at once a second. */
const LOOK_MS = 1_100;

/** Files beside the records: a row each. */
export const OTHERS: Readonly<Record<string, Row>> = {
  async "`state/*.jsonl`"(directory, when, spoil) {
    const lines: string[] = [];
    const log = createLog({ level: "warn", format: "json", write: (line) => void lines.push(line) });
    const path = join(directory, "state", "limits.jsonl");
    let count = 0;
    const open = () => {
      const journal = new Journal(path, log);
      count = journal.read().reduce((sum: number, { add }: { add: number }) => sum + add, 0);
      journal.onCompact(() => [{ add: count }]);
      return journal;
    };
    const add = (journal: Journal, times: number) => {
      for (; times > 0; times--) {
        count++;
        journal.append({ add: 1 });
        journal.flush();
      }
    };
    let journal = open();
    add(journal, 30);
    if (when === "stopped") journal.close();
    const undo = spoil(path);
    if (when === "stopped") journal = open();
    else await sleep(LOOK_MS);
    add(journal, 20);
    undo?.();
    add(journal, 1);
    journal.close();
    open().close();
    const isLogged = lines.length > 0 ? "; in the log" : "";
    return count === 51 ? `all counts are kept${isLogged}` : `counts in it are forgotten${isLogged}`;
  },

  async "a cached response"(directory, when, spoil) {
    const open = () =>
      new ResponseStore({ directory: join(directory, "cache"), log: silent, bytesMax: 1e9, entriesMax: 100 });
    const key = "a".repeat(64);
    const body = Buffer.from("an answer ".repeat(50));
    let store = open();
    await store.loaded;
    store.put(
      { key, place: 0, keepMs: 60_000 },
      { status: 200, reason: "OK", headers: [], chunks: [body] },
      { organizationId: "org-1", requestId: "r-1", model: undefined, properties: {} },
    );
    await store.close();
    const files = readdirSync(join(directory, "cache"), { recursive: true, encoding: "utf8" });
    const undo = spoil(join(directory, "cache", files.find((name) => name.includes("/"))!));
    if (when === "stopped") store = open();
    await store.loaded;
    const [entry] = store.bucket(key);
    const source = entry && (await store.open(entry));
    const served = source && Buffer.from(await source.take(body.byteLength));
    undo?.();
    await store.close();
    if (served === undefined) return "the provider is called again";
    if (!served.equals(body)) throw new Error("a damaged answer is served");
    return "it is served";
  },

  async "`credentials.key`"(directory, when, spoil) {
    const config = configIn(directory);
    const providers: readonly ProviderPlugin[] = [{ apiVersion: 1, name: "OPENAI" }];
    mkdirSync(directory, { recursive: true });
    // Always the same, so that a flipped bit always makes another key of it.
    writeFileSync(madeKeyPath(config), `${Buffer.alloc(32, 7).toString("base64")}\n`);
    const database = await openStore(config, "write");
    await migrate(database);
    const rules = { providers: knownProviders(providers), operator: true, refuseUrl: () => undefined };
    const order = readCredential({ provider: "openai", api_key: "sk-planted-0123456789abcdef" }, rules);
    await keepCredential({ config, records: database.records, by: SYSTEM }, "o", order);
    const stored = await listCredentials(database.records);
    await database.close();
    const open = () => new Vault({ config, env: {}, log: silent, providers, ownPorts: [], onChange: async () => {} });
    let undo: (() => void) | undefined;
    let vault: Vault | undefined;
    try {
      if (when === "stopped") {
        undo = spoil(madeKeyPath(config));
        vault = open();
        await vault.setCredentials(stored);
      } else {
        vault = open();
        await vault.setCredentials(stored);
        const before = contentOf(madeKeyPath(config));
        undo = spoil(madeKeyPath(config));
        // It looks at the file twice a second.
        if (contentOf(madeKeyPath(config)) !== before) await until(() => vault!.degraded.length > 0);
      }
    } catch {
      return "the start is refused";
    } finally {
      vault?.close();
      undo?.();
    }
    return vault.degraded.length > 0 ? "what it encrypted is locked; reported" : "nothing";
  },

  async "`weir.lock`"(directory, when, spoil) {
    mkdirSync(directory, { recursive: true });
    let lock = lockDirectory(directory);
    if (when === "stopped") lock?.release();
    const undo = spoil(join(directory, "weir.lock"));
    try {
      if (when === "stopped") {
        lock = undefined;
        lock = lockDirectory(directory);
      }
      if (lock?.check() === "lost") return "the service stops";
      if (lock === undefined) return "the start is refused";
      return lockDirectory(directory) === undefined ? "nothing" : "a second service can start, NOT reported";
    } catch {
      return "the start is refused";
    } finally {
      lock?.release();
      undo?.();
    }
  },
};

function contentOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** What comes of one fault of one of these files. */
export async function other(file: string, when: When, fault: string): Promise<string> {
  using directory = temporaryDirectory("fault");
  let cannot = false;
  const spoil = (path: string) => {
    const undo = FAULTS[fault]!({ root: directory.path, path });
    cannot = undo === "cannot";
    return undo === "cannot" ? undefined : undo;
  };
  const seen = await OTHERS[file]!(join(directory.path, "data"), when, spoil);
  return cannot ? "–" : seen;
}
