import { expect, test } from "bun:test";
import { Entries } from "../../src/plugin-host/host/entries.ts";
import { migrate } from "../../src/store/migrate.ts";
import { readEntries, writeEntries } from "../../src/store/nodes/plugin-entries.ts";
import { openStore } from "../../src/store/store.ts";
import { ownDirectory } from "../store/open.ts";
import { until } from "../until.ts";
import { keptLog } from "./folder.ts";

async function twoProcesses() {
  const directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const { log } = keptLog();
  const open = () =>
    new Entries({
      read: (version) => readEntries(store.records, version),
      write: (entries, by) => writeEntries(store.records, entries, by),
      log,
    });
  return {
    open,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}

test("what one process stores or removes the other has soon, each plugin its own", async () => {
  await using both = await twoProcesses();
  const [one, other] = [both.open(), both.open()];
  other.follow();
  let changes = 0;
  other.storeOf("p").onChange(() => (changes += 1));
  await one.storeOf("p").put("k", { a: [1, null, "ü"] });
  await one.storeOf("q").put("k", 2);
  await until(() => changes === 1);
  expect([...other.storeOf("p").entries()]).toEqual([["k", { a: [1, null, "ü"] }]]);
  await one.storeOf("p").remove("k");
  await until(() => changes === 2);
  expect(other.storeOf("p").entries().size).toBe(0);
  other.close();
});

test("a write shows at once where it was made, and a later start finds the last one", async () => {
  await using both = await twoProcesses();
  const one = both.open();
  const store = one.storeOf("p");
  const writes = [1, 2, 3].map((value) => store.put("k", value));
  const reading = one.load();
  await Promise.all([...writes, reading]);
  expect(store.entries().get("k")).toBe(3);
  const later = both.open();
  await later.load();
  expect(later.storeOf("p").entries().get("k")).toBe(3);
});

test("a value that is overwritten while it is read is not returned", async () => {
  const { log } = keptLog();
  const late = Promise.withResolvers<void>();
  const before = [{ plugin: "p", key: "k", value: "1", version: 1 }];
  const read = async () => {
    await late.promise;
    return before;
  };
  const entries = new Entries({ read, write: async () => {}, log });
  const store = entries.storeOf("p");
  const done = [entries.load(), store.put("k", 2)];
  await Promise.resolve();
  late.resolve();
  await Promise.all(done);
  expect(store.entries().get("k")).toBe(2);
});

test("a store that was released hears of nothing more, another one of the same plugin does", async () => {
  const { log } = keptLog();
  const entries = new Entries({ read: async () => [], write: async () => {}, log });
  const heard: string[] = [];
  const [first, second] = [entries.storeOf("p"), entries.storeOf("p")];
  first.onChange(() => void heard.push("first"));
  second.onChange(() => void heard.push("second"));
  first.release();
  await second.put("k", 1);
  expect(heard).toEqual(["second"]);
});

test("a write that the database does not take is reported, and changes nothing", async () => {
  const { log } = keptLog();
  const failing = new Entries({ read: async () => [], write: () => Promise.reject(new Error("full")), log });
  const store = failing.storeOf("p");
  await expect(store.put("k", 1)).rejects.toThrow("full");
  expect(store.entries().size).toBe(0);
});

test("a read that fails because the service stops is not reported", async () => {
  const { log, lines } = keptLog();
  const called = Promise.withResolvers<void>();
  const result = Promise.withResolvers<never>();
  const read = () => {
    called.resolve();
    return result.promise;
  };
  const entries = new Entries({ read, write: async () => {}, log });
  entries.follow();
  await called.promise;
  entries.close();
  result.reject(new Error("the database is not open"));
  await entries.load(async () => []); // comes after it
  await new Promise((done) => setImmediate(done));
  expect(lines).toEqual([]);
});
