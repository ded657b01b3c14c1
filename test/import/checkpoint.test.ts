import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { type Checkpoint, checkpointPath, loadCheckpoint, saveCheckpoint } from "../../src/import/checkpoint.ts";
import { makeFolder } from "../export/run-in-test.ts";

const WANTED = { apiUrl: "http://127.0.0.1:8788", brand: null, size: 100, modifiedMs: 7.5 };
const SOUND: Checkpoint = { version: 1, ...WANTED, shape: "lines", number: 3, end: 100, rejected: 0 };

test("a saved checkpoint is loaded for the same import", async () => {
  await using folder = await makeFolder();
  await saveCheckpoint(folder.file("a.jsonl"), SOUND);
  expect(await loadCheckpoint(folder.file("a.jsonl"), WANTED)).toEqual(SOUND);
});

test.each([
  "",
  "null",
  "[]",
  ...[
    { version: 2 },
    { shape: "table" },
    { number: -1 },
    { end: -5 },
    { end: 101 },
    { end: 1.5 },
    { rejected: "0" },
    { size: 99 },
    { modifiedMs: 8 },
    { brand: "acme" },
    { apiUrl: "http://127.0.0.1:8789" },
  ].map((other) => JSON.stringify({ ...SOUND, ...other })),
])("the checkpoint %s is none of this import", async (text) => {
  await using folder = await makeFolder();
  await writeFile(checkpointPath(folder.file("a.jsonl")), text);
  expect(await loadCheckpoint(folder.file("a.jsonl"), WANTED)).toBeUndefined();
});
