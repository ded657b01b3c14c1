import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openedCommandLine } from "./terminal.ts";

const URL = "http://127.0.0.1:9/hook";

test("a webhook is added, listed, and removed", async () => {
  const cli = await openedCommandLine();
  const made = await cli.run(
    ...["webhooks", "add", URL, "--name", "night", "--property", "Team=a=b", "--property", "App"],
    ...["--sample-rate", "12.5", "--fields", "model, cost", "--include-body", "--disabled"],
  );
  expect(made.status).toBe(0);
  const id = made.out.trim();
  expect(made.err).toMatch(/signed with whsec_\S{44}, shown this once\.\n$/);
  const listed = await cli.run("webhooks", "list", "--json");
  expect(JSON.parse(listed.out)).toMatchObject([
    {
      id,
      name: "night",
      url: URL,
      property_filters: [{ name: "Team", value: "a=b" }, { name: "App" }],
      sample_rate: 12.5,
      fields: ["model", "cost"],
      include_body: true,
      enabled: false,
    },
  ]);
  expect(listed.out).not.toContain("whsec_");
  expect((await cli.run("webhooks", "list")).out).toMatch(/night +http:\S+ +Team=a=b, App +12.5 % +off/);
  expect((await cli.run("webhooks", "deliveries", id)).err).toBe("there are no deliveries yet\n");
  expect((await cli.run("webhooks", "remove", id)).status).toBe(0);
  expect((await cli.run("webhooks", "remove", id)).status).toBe(1);
  expect((await cli.run("webhooks", "list")).err).toBe("there are no webhooks\n");
});

test("a secret of one's own comes from a file, and is not printed", async () => {
  const cli = await openedCommandLine();
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  writeFileSync(join(cli.directory, "secret"), `${secret}\n`);
  const made = await cli.run("webhooks", "add", URL, "--secret-file", "secret");
  expect([made.status, made.err]).toEqual([0, ""]);
  const shown = await cli.run("webhooks", "add", URL, "--secret-file", "secret", "--json");
  expect(JSON.parse(shown.out)).toMatchObject({ url: URL, sample_rate: 100, enabled: true, secret });
});

test.each([
  [["http://10.1.1.1/"], "10.1.1.1"],
  [["nowhere"], "url"],
  [[URL, "--sample-rate", "101"], "sample_rate"],
  [[URL, "--sample-rate", "some"], "--sample-rate takes a number"],
  [[URL, "--fields", "modle"], 'did you mean "model"'],
  [[URL, "--property", "=x"], "property_filters.0.name"],
  [[URL, "--secret-file", "missing"], "cannot be read"],
  [[], "takes <url>"],
])("weir webhooks add %p is refused in one line", async (words, line) => {
  const { status, out, err } = await (await openedCommandLine()).run("webhooks", "add", ...words);
  expect(err).toContain(line);
  expect(err.trimEnd()).not.toContain("\n");
  expect([status, out]).toEqual([2, ""]);
});
