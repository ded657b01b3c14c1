import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { decrypt, encrypt, encryptionKey, keyIdOf } from "../../src/credentials/encryption.ts";
import { assertProperty, chance } from "../chance.ts";

const KEYS = chance("keys");
const [first, second] = [encryptionKey(KEYS.bytes(32)), encryptionKey(KEYS.bytes(32))];
const PLACE = { organizationId: "o", credentialId: "c", member: "api_key" };

test("a secret is decrypted whole, with any of the keys that opens it", () => {
  assertProperty(
    fc.property(fc.string({ unit: "grapheme", minLength: 0, maxLength: 500 }), (secret) => {
      const sealed = encrypt(secret, first, PLACE);
      expect(decrypt(sealed, [second, first], PLACE)).toBe(secret);
      expect(decrypt(sealed, [second], PLACE)).toBeUndefined();
      expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
    }),
  );
});

test("a key's id is the first 8 digits of its SHA-256, and stands in the ciphertext", () => {
  expect(first.id).toBe(createHash("sha256").update(first.bytes).digest("hex").slice(0, 8));
  expect(keyIdOf(encrypt("sk-1", first, PLACE))).toBe(first.id);
  expect(keyIdOf("sk-1")).toBeUndefined();
});

test.each([
  ["another organization", { ...PLACE, organizationId: "p" }],
  ["another credential", { ...PLACE, credentialId: "d" }],
  ["another member", { ...PLACE, member: "secret_access_key" }],
  ["places whose texts run into one another", { organizationId: 'o","c', credentialId: "", member: "api_key" }],
])("a ciphertext does not open in %s", (_name, place) => {
  expect(decrypt(encrypt("sk-1", first, PLACE), [first], place)).toBeUndefined();
});

test("a ciphertext in which one character is changed does not open", () => {
  const sealed = encrypt("sk-0123456789", first, PLACE);
  assertProperty(
    // The last character of base64 may hold bits that mean nothing.
    fc.property(fc.nat(sealed.length - 2), fc.constantFrom(..."0aZ_-."), (at, character) => {
      if (sealed[at] === character) return;
      const changed = sealed.slice(0, at) + character + sealed.slice(at + 1);
      expect(decrypt(changed, [first], PLACE)).toBeUndefined();
    }),
  );
});

test("no two ciphertexts of one secret are alike", () => {
  expect(new Set(Array.from({ length: 1_000 }, () => encrypt("sk-1", first, PLACE))).size).toBe(1_000);
});
