import { expect, test } from "bun:test";
import { insertRecord, openApi } from "../open.ts";

test("while many records have no block, probes and metrics report it", async () => {
  await using api = await openApi();
  // The jobs that run beside it must not make them meanwhile.
  const sql = "create trigger no_blocks before insert on blocks begin select raise(abort, 'not now'); end";
  await api.store.records.batch([{ sql, args: [] }]);
  const look = async () => {
    const { headers, json } = await api.call("POST", "/v1/metrics/query", { body: { filter: "all" } });
    const ready = (await (await fetch(`${api.origin}/readyz`)).json()) as { degraded: string[] };
    return [headers.get("gateway-warning"), ready.degraded.find((each) => each.startsWith("metrics:")), json.error];
  };
  await insertRecord(api.store, api.organization, { seq: 1 });
  await insertRecord(api.store, api.organization, { seq: 250_000 });
  expect(await look()).toEqual([null, undefined, null]);
  await insertRecord(api.store, api.organization, { seq: 250_001 });
  expect(await look()).toEqual([
    "250001 records have no block yet, and metrics over them are right and slow",
    "metrics: 250001 records have no block yet, and metrics over them are right and slow",
    null,
  ]);
});
