import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { matrix } from "./matrix.ts";

const PAGE = join(import.meta.dir, "../../docs/losses.md");
const TABLE = /(?<=<!-- faults -->\n)[\s\S]*?(?=<!-- \/faults -->)/;

// `WEIR_WRITE_DOCS=yes` writes the table into the page.
test("the table of faults in docs/losses.md says what a start makes of each, and none is silent", async () => {
  const table = `\n${await matrix()}\n\n`;
  const page = readFileSync(PAGE, "utf8");
  if (process.env["WEIR_WRITE_DOCS"] === "yes")
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => table),
    );
  expect(readFileSync(PAGE, "utf8").match(TABLE)?.[0]).toBe(table);
  expect(table).not.toContain("NOT reported");
});
