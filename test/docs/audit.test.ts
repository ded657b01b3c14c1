import { expect, test } from "bun:test";
import { ACTIONS } from "../../src/people/actions.ts";

test("docs/audit.md lists every action of the audit log", async () => {
  const page = await Bun.file(new URL("../../docs/audit.md", import.meta.url)).text();
  const listed = page.slice(page.indexOf("| Action | When |")).matchAll(/^\| `([^`]+)` \| (.+) \|$/gm);
  expect(Object.fromEntries([...listed].map(([, name, text]) => [name, text]))).toEqual(ACTIONS);
});
