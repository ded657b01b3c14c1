import { randomBytes, randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import { fileProblem } from "../file-problem.ts";
import { type EncryptionKey, encryptionKey, KEY_BYTES } from "./encryption.ts";

/** The keys that secrets are encrypted with: the first encrypts, all decrypt. */
export type Keyring = readonly EncryptionKey[];

/** The sources of the keys, in order of precedence. */
type KeyringConfig = Pick<Config, "credentials_key" | "credentials_key_file" | "data_dir">;

const MADE_FILE = "credentials.key";

/** The file that holds the key that Weir created. */
export function madeKeyPath({ data_dir }: Pick<Config, "data_dir">): string {
  return join(data_dir, MADE_FILE);
}

/**
 * Reads the keys: `credentials_key`, else the file of `credentials_key_file`, else `credentials.key` of the data directory.
 *
 * @returns an empty ring if there is no key yet.
 * @throws GatewayError `config_invalid` if a key is not 32 bytes in base64, or its file cannot be read.
 */
export function readKeyring(config: KeyringConfig): Keyring {
  if (config.credentials_key !== "") return parseKeys(config.credentials_key, "credentials_key");
  if (config.credentials_key_file !== "")
    return parseKeys(readKeyFile(config.credentials_key_file), "credentials_key_file");
  const made = madeKeyPath(config);
  return fs.existsSync(made) ? parseKeys(readKeyFile(made), made) : [];
}

/**
 * The keys, for encrypting: creates `credentials.key` if there is none.
 *
 * @param isShared - whether other nodes use the database: they could not decrypt with a key that only this node has.
 * @throws GatewayError `credentials_key_missing`, `config_invalid`.
 */
export function ensureKeyring(config: KeyringConfig, isShared: boolean): readonly [EncryptionKey, ...EncryptionKey[]] {
  let keys = readKeyring(config);
  if (keys.length === 0) {
    if (isShared) throw new GatewayError("credentials_key_missing");
    makeKeyFile(madeKeyPath(config));
    keys = readKeyring(config);
  }
  return keys as [EncryptionKey, ...EncryptionKey[]];
}

/** @throws GatewayError `config_invalid`; its message contains no part of a key. */
function parseKeys(text: string, from: string): Keyring {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  const keys = parts.map((part, at) => {
    const bytes = Buffer.from(part, "base64");
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(part) || bytes.length !== KEY_BYTES) {
      throw new GatewayError(
        "config_invalid",
        `${from}: key ${at + 1} of ${parts.length} is not ${KEY_BYTES} bytes in base64; make one with: openssl rand -base64 ${KEY_BYTES}`,
      );
    }
    return encryptionKey(bytes);
  });
  if (keys.length === 0) throw new GatewayError("config_invalid", `${from} holds no key`);
  return keys;
}

function readKeyFile(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (cause) {
    throw new GatewayError(
      "config_invalid",
      `the key file of credentials, ${path}, cannot be read: ${fileProblem(cause)}`,
      {
        cause,
      },
    );
  }
}

/** Creates the file atomically, and never replaces an existing one: two programs may create it at the same time. */
function makeKeyFile(path: string): void {
  const own = `${path}.${randomUUID()}`;
  const file = fs.openSync(own, "wx", 0o600);
  try {
    fs.writeSync(file, `${randomBytes(KEY_BYTES).toString("base64")}\n`);
    fs.fsyncSync(file);
    fs.closeSync(file);
    fs.linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(own, { force: true });
  }
}
