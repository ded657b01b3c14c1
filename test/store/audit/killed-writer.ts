/** Writes changes with their entries until it is killed: a row of `settings` each. */
import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA } from "../../../src/config.ts";
import { SYSTEM } from "../../../src/people/actor.ts";
import { recorded } from "../../../src/store/audit/recorded.ts";
import { openStore } from "../../../src/store/store.ts";

const [directory, who] = process.argv.slice(2) as [string, string];
const { records } = await openStore({ ...Value.Create(CONFIG_SCHEMA), data_dir: directory }, "change");
for (let n = 0; ; n++) {
  const name = `${who}-${n}`;
  const change = { sql: "insert into settings (name, value) values (?, 'killed')", args: [name] };
  const object = { kind: "setting", id: name, name };
  await recorded(records, [change], SYSTEM, { action: "config.reloaded", organizationId: null, object });
  if (n === 0) process.stdout.write("writing\n");
}
