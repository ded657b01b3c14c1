import { expect, test } from "bun:test";
import { Deadline } from "../../../src/store/database/deadline.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { type FileSchema, pageOwners } from "../../../src/store/sizes/page-owners.ts";
import { PartSizes } from "../../../src/store/sizes/parts.ts";
import { openStore } from "../../../src/store/store.ts";
import { insertWords } from "../../../src/store/words/shards.ts";
import { insertRecord } from "../../api/open.ts";
import { chance } from "../../chance.ts";
import { ownDirectory } from "../open.ts";

const random = chance("page owners");
const deadline = () => new Deadline(180_000);

/** Records, bodies of some pages, words, and pages that were emptied. */
async function filled() {
  const directory = ownDirectory();
  const store = await openStore(directory.config, "write");
  await migrate(store);
  const ids: string[] = [];
  for (let seq = 1; seq <= 300; seq++) ids.push(await insertRecord(store, "o", { seq, model: `m${seq}` }));
  for (const requestId of ids) {
    const bytes = random.bytes(Math.floor(random.number() * 60_000));
    const part = { part: "request", form: "binary", bytes, contentType: "audio/x" } as const;
    const texts = { prompt: null, completion: null };
    await store.content.put([{ requestId, organizationId: "o", parts: [part], assets: [], texts }]);
  }
  const words = ids.map((_, seq) => ({ seq, organizationId: "o", text: random.bytes(600).toString("hex") }));
  await store.bodies.batch(insertWords(words));
  await store.content.remove(ids.slice(0, 150));
  while ((await store.content.sweep()).swept);
  return { directory, store, reader: await openStore(directory.config, "read") };
}

test("every page of both files belongs to the table or index that SQLite's own walk finds it in", async () => {
  const { directory, store, reader } = await filled();
  using _directory = directory;
  for (const schema of ["main", "bodies_file"] as const) {
    const walked = await reader.records.query<{ name: string; pages: number }>({
      sql: `select name, count(*) as pages from dbstat('${schema}') group by name`,
      args: [],
    });
    const { owned, sampled, pages } = (await pageOwners(reader.records, schema, deadline()))!;
    expect(sampled).toBe(false);
    const expected = new Map(walked.map(({ name, pages }) => [name, pages]));
    // The walk sees neither free pages nor the map itself, which is counted with SQLite's own.
    const known = [...owned].filter(([name]) => name !== "" && name !== "sqlite_schema");
    expect(Object.fromEntries(known)).toEqual(
      Object.fromEntries([...expected].filter(([name]) => name !== "sqlite_schema")),
    );
    expect([...owned.values()].reduce((sum, each) => sum + each, 0)).toBe(pages);
    if (schema === "bodies_file") expect(owned.get("")).toBeGreaterThan(0);
  }
  await reader.close();
  await store.close();
});

test("of a file with more pages than samples each share comes near what it is", async () => {
  const { directory, store, reader } = await filled();
  using _directory = directory;
  const share = async (schema: FileSchema, most?: number) => {
    const { owned, pages } = (await pageOwners(reader.records, schema, deadline(), most))!;
    return (owned.get("packs") ?? 0) / pages;
  };
  const exact = await share("bodies_file");
  // One of each of 500 equal stretches: the error has a deviation below 0.023.
  expect(Math.abs((await share("bodies_file", 500)) - exact)).toBeLessThan(0.15);
  await reader.close();
  await store.close();
});

test("the parts are together what both files take, and are not measured again for each caller", async () => {
  const { directory, store, reader } = await filled();
  using _directory = directory;
  const [size] = await reader.records.query<{ bytes: number }>({
    sql: `select (select page_count from pragma_page_count('main')) * (select page_size from pragma_page_size('main'))
      + (select page_count from pragma_page_count('bodies_file')) * (select page_size from pragma_page_size('bodies_file')) as bytes`,
    args: [],
  });
  const sizes = new PartSizes(reader.records);
  const first = (await sizes.current(deadline()))!;
  expect(Object.values(first.bytes).reduce((sum, each) => sum + each, 0)).toBe(size!.bytes);
  for (const part of ["rows", "indexes", "columns", "packs", "search", "free"] as const) {
    expect([part, first.bytes[part] > 0]).toEqual([part, true]);
  }
  expect(await sizes.current(deadline())).toBe(first);
  await reader.close();
  await store.close();
});
