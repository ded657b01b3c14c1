import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificatesIn, trustedAuthorities } from "../../src/egress/authorities.ts";

const GOOD = join(import.meta.dir, "../runtime/fixtures/ca.pem");
const folder = mkdtempSync(join(tmpdir(), "weir-authorities-"));
const written = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test("certificate authorities of a file are trusted in addition to the system's", () => {
  expect(trustedAuthorities("")).toBeUndefined();
  expect(trustedAuthorities(GOOD)).toContain(certificatesIn(GOOD)[0]!.toString());
});

test.each([
  ["is not there", join(folder, "nowhere.pem")],
  ["is a folder", folder],
  ["holds no certificate", written("none.pem", "hello")],
  ["holds a broken one", written("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")],
])("a file that %s is refused in one line with its key", (_name, file) => {
  const place = `extra_ca_file = ${JSON.stringify(file)}: must be a PEM file of certificates: `;
  expect(() => trustedAuthorities(file)).toThrow(place);
});
