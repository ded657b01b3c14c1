import { expect, test } from "bun:test";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { Journal } from "../../src/plugin-host/host/journal.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { until } from "../until.ts";
import { keptLog } from "./folder.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const open = (path: string) => {
  const { log, lines } = keptLog();
  return { journal: new Journal(join(path, "state/p.jsonl"), log), lines };
};

test("values appended in one turn are in the file at its end, in order", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(fc.array(fc.jsonValue(), { maxLength: 5 }), { maxLength: 10 }), async (turns) => {
      using directory = temporaryDirectory();
      const { journal } = open(directory.path);
      for (const entries of turns) {
        for (const entry of entries) journal.append(entry);
        await turn();
      }
      // Another reader of the same file stands for the next run after a kill.
      expect(open(directory.path).journal.read()).toEqual(JSON.parse(JSON.stringify(turns.flat())));
    }),
    { numRuns: 50 },
  );
});

test("a line that a crash has torn is left out, and does not swallow what comes after it", async () => {
  using directory = temporaryDirectory();
  const first = open(directory.path).journal;
  first.append({ a: 1 });
  first.close();
  appendFileSync(join(directory.path, "state/p.jsonl"), '{"b":');
  const second = open(directory.path).journal;
  second.append({ c: 3 });
  second.close();
  expect(open(directory.path).journal.read()).toEqual([{ a: 1 }, { c: 3 }]);
});

test("a file that has grown is written again from the snapshot, which stands for all that was appended", async () => {
  using directory = temporaryDirectory();
  const { journal } = open(directory.path);
  let count = 0;
  journal.onCompact(() => [{ count }]);
  for (let at = 0; at < 200; at++) {
    count += 1;
    journal.append({ one: "x".repeat(10_000) });
    await turn();
  }
  expect(statSync(join(directory.path, "state/p.jsonl")).size).toBeLessThan(1_100_000);
  const entries = open(directory.path).journal.read() as { count?: number; one?: string }[];
  expect(entries[0]!.count! + entries.length - 1).toBe(200);
});

test("while the file cannot be written nothing is kept in memory; once it can, the snapshot makes up for it", async () => {
  using directory = temporaryDirectory();
  const state = join(directory.path, "state");
  const { journal, lines } = open(directory.path);
  journal.onCompact(() => ["all"]);
  // A folder in the file's place cannot be opened for writing, not even by root.
  mkdirSync(join(state, "p.jsonl"), { recursive: true });
  journal.append(1);
  await turn();
  expect(lines.join("")).toContain("journal cannot be written");
  rmdirSync(join(state, "p.jsonl"));
  journal.append(2);
  await turn();
  expect(readFileSync(join(state, "p.jsonl"), "utf8")).toBe('"all"\n');
});

test("a file that is deleted, replaced or cut while it is written to is written again from the snapshot", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "state", "p.jsonl");
  const { journal, lines } = open(directory.path);
  journal.onCompact(() => ["all"]);
  for (const spoil of [
    () => rmSync(path),
    () => truncateSync(path, 3),
    () => {
      rmSync(path);
      writeFileSync(path, "another\n");
    },
  ]) {
    journal.append("a longer line");
    await turn();
    spoil();
    // It is looked at once a second.
    await until(async () => {
      journal.append(1);
      await turn();
      return readFileSync(path, { encoding: "utf8", flag: "a+" }).startsWith('"all"\n');
    });
  }
  expect(lines.join("")).toContain("was changed by another program; it is rewritten");
});

test("how many lines cannot be read is in the log", () => {
  using directory = temporaryDirectory();
  const { journal, lines } = open(directory.path);
  mkdirSync(join(directory.path, "state"));
  writeFileSync(join(directory.path, "state", "p.jsonl"), '{"a":1}\n{"a"\nnot json\n{"b":2}\n');
  expect(journal.read()).toEqual([{ a: 1 }, { b: 2 }]);
  expect(lines.join("")).toContain('"lines":2');
});
