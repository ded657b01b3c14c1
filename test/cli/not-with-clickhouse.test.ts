import { expect, test } from "bun:test";
import { commandLine } from "./terminal.ts";

/** No server is needed: the commands say no before they look anywhere. */
const ENVIRONMENT = { WEIR_RECORDS_ENGINE: "clickhouse", WEIR_RECORDS_URL: "http://127.0.0.1:9" };

test.each([
  ["costs recompute", []],
  ["costs explain", [crypto.randomUUID()]],
  ["models reread", []],
  ["models expedite", ["m-1"]],
])("weir %s refuses while records are in ClickHouse", async (command, args) => {
  const { status, out, err } = await commandLine(ENVIRONMENT).run(...command.split(" "), ...args);
  expect([status, out, err]).toEqual([
    1,
    "",
    expect.stringContaining("while records are in ClickHouse: see docs/scale.md"),
  ]);
});
