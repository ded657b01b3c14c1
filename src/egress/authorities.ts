import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { GatewayError } from "../errors.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Certificates of all trusted authorities, as PEM: the system's and those of `extra_ca_file`.
 *
 * @returns undefined if no file is configured: then only the system's are trusted.
 * @throws GatewayError `config_invalid`.
 */
export function trustedAuthorities(file: string): string[] | undefined {
  return file === "" ? undefined : [...getCACertificates("default"), ...certificatesIn(file).map(String)];
}

/** @throws GatewayError `config_invalid` if `extra_ca_file` cannot be read or contains none. */
export function certificatesIn(file: string): X509Certificate[] {
  let why = "it contains none";
  try {
    const blocks = readFileSync(file, "utf8").match(CERTIFICATE);
    if (blocks !== null) return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    why = (error as Error).message;
  }
  throw new GatewayError(
    "config_invalid",
    `extra_ca_file = ${JSON.stringify(file)}: must be a PEM file of certificates: ${why}`,
  );
}
