import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dir, "../../docs/losses.md");
const TABLE = /(?<=<!-- faults -->\n)[\s\S]*?(?=<!-- \/faults -->)/;

// `WEIR_WRITE_DOCS=yes` writes the tables into the page. They need Linux: another user, and a limit on files' sizes.
test("the tables of faults in docs/losses.md name the effect of each, and none is silent", async () => {
  const script = `trap '' XFSZ; exec "$0" "$1"`;
  const child = Bun.spawn(["sh", "-c", script, process.execPath, join(import.meta.dir, "table.ts")], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [tables, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(errors).toBe("");
  const page = readFileSync(PAGE, "utf8");
  if (process.env["WEIR_WRITE_DOCS"] === "yes")
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => `\n${tables}\n\n`),
    );
  expect(readFileSync(PAGE, "utf8").match(TABLE)?.[0]).toBe(`\n${tables}\n\n`);
  expect(tables).not.toContain("NOT ");
}, 300_000);
