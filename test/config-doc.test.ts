import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configurationPage } from "../build/config-doc.ts";

test("docs/configuration.md is what build/config-doc.ts writes", () => {
  expect(readFileSync(join(import.meta.dir, "../docs/configuration.md"), "utf8")).toBe(configurationPage());
});
