import { expect, test } from "bun:test";
import { HostTable } from "../../src/plugin-host/hosts.ts";

const HOSTS = ["api.acme.test", "eu.api.acme.test", "gpu-1.acme.test", "acme.test", "other.test", "api.acme.test."];

test("a host is found the same at every look-up, and by patterns that are added later", () => {
  const table = new HostTable<string>();
  const found = () => HOSTS.map((host) => table.find(host));
  expect(found()).toEqual(HOSTS.map(() => undefined));
  table.add("*.acme.test", "below");
  const below = ["below", "below", "below", undefined, undefined, "below"];
  for (let time = 0; time < 3; time++) expect(found()).toEqual(below);
  table.add("gpu-*.acme.test", "within");
  table.add("api.acme.test", "exact");
  for (let time = 0; time < 3; time++)
    expect(found()).toEqual(["exact", "below", "within", undefined, undefined, "exact"]);
});

test("more hosts than are remembered are all found", () => {
  const table = new HostTable<string>();
  table.add("*.acme.test", "below");
  for (let round = 0; round < 2; round++)
    for (let at = 0; at < 2_500; at++)
      expect(table.find(`h${at}.${at % 2 ? "acme" : "other"}.test`)).toBe(at % 2 ? "below" : undefined);
});
