import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";

/**
 * Certificates of every authority that is trusted, as PEM: the system's and those of `file`.
 *
 * @returns undefined where there is no file: the system's alone.
 * @throws where the file cannot be read.
 */
export function trustedAuthorities(file: string): string[] | undefined {
  return file === "" ? undefined : [...getCACertificates("default"), readFileSync(file, "utf8")];
}
