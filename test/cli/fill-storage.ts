/**
 * Puts two requests into the data directory that is named and removes one, in a process of its own: SQLite's files are open
 * until statements are collected, and `weir compact` wants them alone. The other one's body goes to the file that is named.
 */
import { writeFileSync } from "node:fs";
import { removeRecords } from "../../src/engine/libsql/write/remove.ts";
import { openStore } from "../../src/store/store.ts";
import { insertRecord } from "../api/open.ts";
import { chance } from "../chance.ts";
import { configIn } from "../recorder/harness.ts";

const [directory, keptFile] = process.argv.slice(2) as [string, string];
const random = chance("storage");
const store = await openStore(configIn(directory), "change");
const [kept, gone] = [await insertRecord(store, "o"), await insertRecord(store, "o")];
const body = random.bytes(50_000);
for (const [requestId, bytes] of [
  [kept, body],
  [gone, random.bytes(3_000_000)],
] as const) {
  const parts = [{ part: "request", form: "binary", contentType: null, bytes }] as const;
  const texts = { prompt: null, completion: null };
  await store.content.put([{ requestId, organizationId: "o", parts, assets: [], texts }]);
}
await removeRecords(store, "o", [gone]);
await store.close();
writeFileSync(keptFile, body);
console.log(kept);
