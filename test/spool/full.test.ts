import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory } from "../directory.ts";

test("a full disk costs whole exchanges or marked parts, each counted once, and is over when there is room", async () => {
  using directory = temporaryDirectory();
  // The shell's limit is in blocks of 512 or 1,024 bytes; a write over it fails instead of ending the program.
  const script = `trap '' XFSZ; ulimit -f 500; exec "$0" "$1" "$2"`;
  const child = Bun.spawn(["sh", "-c", script, process.execPath, join(import.meta.dir, "full.ts"), directory.path], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(errors).toBe("");
  const seen = JSON.parse(output);
  expect(seen.stats).toMatchObject({ healthy: false });
  expect(seen.begun).toBeGreaterThan(50);
  expect(seen.begun).toBeLessThan(300);
  expect(seen).toMatchObject({ laterBegan: true, laterSeen: true, endsWithoutBegin: 0, begunWithoutEnd: 0, holes: 0 });
  expect(seen.heads).toBe(seen.begun - 1);
  // What was not begun was lost whole; of those begun, the first lost a part, and perhaps the last.
  expect([1, 2]).toContain(seen.truncated);
  expect(seen.stats.exchangesDropped).toBe(300 - (seen.begun - 1) + seen.truncated);
});
