/**
 * How long listing takes in an audit log of a million entries: `bun bench/audit.ts [--entries N]`. The entries are made here, in a
 * directory that is removed afterwards; each query runs 40 times, from another place each time.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../src/config.ts";
import { ACTIONS, type Action } from "../src/people/actions.ts";
import { audit } from "../src/record/tables.ts";
import { type AuditRow, hashOf } from "../src/store/audit/entry.ts";
import { type AuditFilter, listAudit } from "../src/store/audit/list.ts";
import { over, statementOf } from "../src/store/database/builder.ts";
import { migrate } from "../src/store/migrate.ts";
import { openStore } from "../src/store/store.ts";

const { values } = parseArgs({ options: { entries: { type: "string", default: "1000000" } } });
const entries = Number(values.entries);
const CALLS = 40;
const BATCH_ROWS = 5_000;
const ACTORS = 200;
const OBJECTS = 5_000;

const directory = mkdtempSync(join(tmpdir(), "weir-audit-"));
const config = { ...Value.Create(CONFIG_SCHEMA), data_dir: directory };
const store = await openStore(config, "write");
await migrate(store);
const names = Object.keys(ACTIONS) as Action[];
const start = Date.now() - entries * 1_000;
let hash = "";
for (let from = 1; from <= entries; from += BATCH_ROWS) {
  const rows: AuditRow[] = [];
  for (let seq = from; seq < from + BATCH_ROWS && seq <= entries; seq++) {
    const row = rowOf(seq);
    hash = hashOf(row, hash);
    rows.push({ ...row, hash });
  }
  await store.records.batch(rows.map((row) => statementOf(over(store.records).insert(audit).values(row))));
}
await store.close();

const reader = await openStore(config, "current");
const time = (at: number) => start + Math.floor(entries * at) * 1_000;
const questions: Readonly<Record<string, (at: number) => AuditFilter>> = {
  "the newest": () => ({}),
  "of an organization": () => ({ organizationId: "org-3" }),
  "by actor": (at) => ({ actor: `user-${Math.floor(at * ACTORS)}` }),
  "by actor's name": (at) => ({ actor: `u${Math.floor(at * ACTORS)}@example.com` }),
  "by action": (at) => ({ action: names[Math.floor(at * names.length)]! }),
  "by a group of actions": () => ({ action: "key.*" }),
  "by object": (at) => ({ object: `object-${Math.floor(at * OBJECTS)}` }),
  "of a day long ago": (at) => ({ since: time(at), until: time(at) + 86_400_000 }),
  "by actor, action, organization and time": (at) => ({
    ...{ actor: `user-${Math.floor(at * ACTORS)}`, action: names[Math.floor(at * names.length)]! },
    ...{ organizationId: "org-3", since: time(at) },
  }),
};
console.log(`${entries} entries, milliseconds for 100 of them`);
for (const [name, filterAt] of Object.entries(questions)) {
  const taken: number[] = [];
  for (let n = 0; n < CALLS; n++) {
    const begun = performance.now();
    await listAudit(reader.records, filterAt(n / CALLS), { limit: 100, deadlineMs: 30_000 });
    taken.push(performance.now() - begun);
  }
  taken.sort((a, b) => a - b);
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))]!.toFixed(1);
  console.log(`${name.padEnd(42)} p50 ${at(0.5).padStart(7)}  p95 ${at(0.95).padStart(7)}`);
}
await reader.close();
rmSync(directory, { recursive: true });

function rowOf(seq: number): Omit<AuditRow, "hash"> {
  const spread = (seq * 2_654_435_761) % 4_294_967_296;
  const actor = spread % ACTORS;
  const object = Math.floor(spread / 7) % OBJECTS;
  return {
    ...{ seq, time: start + seq * 1_000, organization_id: `org-${spread % 10}`, organization: `team ${spread % 10}` },
    ...{ actor_kind: "user", actor_id: `user-${actor}`, actor_name: `u${actor}@example.com`, address: "192.0.2.1" },
    ...{ action: names[Math.floor(spread / 11) % names.length]!, object_kind: "key", object_id: `object-${object}` },
    ...{ object_name: `name of ${object}`, before: null, after: `{"n":${seq}}`, request_id: null, outcome: "done" },
  };
}
