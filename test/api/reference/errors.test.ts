import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { API_ERRORS } from "../../../src/api/reference/api-errors.ts";
import { describeApi } from "../../../src/api/reference/openapi.ts";
import { ERRORS } from "../../../src/errors.ts";

const ROOT = join(import.meta.dir, "../../..");

test("docs/api.md lists every error code of the API, with its status", () => {
  const page = readFileSync(join(ROOT, "docs/api.md"), "utf8");
  const rows = [...page.matchAll(/^\| (\d{3}) +\| `(\w+)` +\|/gm)].map(([, status, code]) => [code, Number(status)]);
  expect(rows).toEqual(API_ERRORS.map((code) => [code, ERRORS[code].status]));
});

test("the API's description requires a code and names them all", () => {
  const { schemas } = describeApi([]).components as {
    schemas: { Failure: { required: string[]; properties: { code: { description: string; examples: string[] } } } };
  };
  expect(schemas.Failure.required).toContain("code");
  expect(schemas.Failure.properties.code.examples).toEqual([...API_ERRORS]);
  for (const code of API_ERRORS) expect(schemas.Failure.properties.code.description).toContain(`\`${code}\``);
});

test("what the API's own files throw is in the list", () => {
  const folder = join(ROOT, "src/api");
  const thrown = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && name !== "start.ts") // that speaks to who starts the program
    .flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(/GatewayError\(\s*"(\w+)"/g)])
    .map(([, code]) => code!);
  expect([...new Set(thrown)].filter((code) => !(API_ERRORS as readonly string[]).includes(code))).toEqual([]);
});
