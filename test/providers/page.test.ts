import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { providersPage } from "../../build/providers-doc.ts";

test("docs/providers.md agrees with the provider files", async () => {
  expect(readFileSync(join(import.meta.dirname, "../../docs/providers.md"), "utf8")).toBe(await providersPage());
});
