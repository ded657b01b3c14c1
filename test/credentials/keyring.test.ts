import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureKeyring, madeKeyPath, readKeyring } from "../../src/credentials/keyring.ts";
import { chance } from "../chance.ts";
import { ownDirectory } from "../store/open.ts";

const KEYS = chance("keys");
const [one, two] = [KEYS.bytes(32), KEYS.bytes(32)];
const id = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex").slice(0, 8);
const ids = (keys: readonly { readonly id: string }[]) => keys.map((key) => key.id);

describe("the keys of credentials", () => {
  test("come from the variable, in its order", () => {
    using directory = ownDirectory({ credentials_key: `${one.toString("base64")}, ${two.toString("base64url")}\n` });
    expect(ids(readKeyring(directory.config))).toEqual([id(one), id(two)]);
    expect(ids(ensureKeyring(directory.config, true))).toEqual([id(one), id(two)]);
  });

  test("come from the file, one a line, and the file is read again each time", () => {
    using directory = ownDirectory();
    const path = join(directory.path, "keys");
    const config = { ...directory.config, credentials_key_file: path };
    writeFileSync(path, `${one.toString("base64")}\n`);
    expect(ids(readKeyring(config))).toEqual([id(one)]);
    writeFileSync(path, `${two.toString("base64")}\r\n${one.toString("base64")}\n\n`);
    expect(ids(readKeyring(config))).toEqual([id(two), id(one)]);
  });

  test("are made when they are needed, readable by their owner alone, and stay", () => {
    using directory = ownDirectory();
    expect(readKeyring(directory.config)).toEqual([]);
    const [made] = ensureKeyring(directory.config, false);
    const path = madeKeyPath(directory.config);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(path, "utf8"), "base64")).toHaveLength(32);
    expect(ids(ensureKeyring(directory.config, false))).toEqual([made.id]);
    expect(readdirSync(directory.path)).toEqual(["credentials.key"]);
  });

  test("are not made where other nodes would lack them", () => {
    using directory = ownDirectory();
    expect(() => ensureKeyring(directory.config, true)).toThrow(
      expect.objectContaining({ code: "credentials_key_missing", status: 409 }),
    );
    expect(readdirSync(directory.path)).toEqual([]);
  });

  test.each([
    ["too short", KEYS.bytes(16).toString("base64"), "key 1 of 1"],
    ["one of several", `${one.toString("base64")},${"x".repeat(43)}!`, "key 2 of 2"],
    ["hexadecimal", one.toString("hex"), "not 32 bytes"],
    ["nothing", " \n", "holds no key"],
  ])("are refused when they are %s, without being shown", (_name, text, says) => {
    using directory = ownDirectory();
    const path = join(directory.path, "keys");
    writeFileSync(path, text);
    const read = () => readKeyring({ ...directory.config, credentials_key_file: path });
    expect(read).toThrow(expect.objectContaining({ code: "config_invalid", message: expect.stringContaining(says) }));
    if (text.trim() !== "") expect(read).not.toThrow(text.trim());
  });

  test("that cannot be read are an error, not none", () => {
    using directory = ownDirectory({ credentials_key_file: "/nowhere/keys" });
    expect(() => readKeyring(directory.config)).toThrow(
      "/nowhere/keys, cannot be read: there is no such file or folder",
    );
  });
});
