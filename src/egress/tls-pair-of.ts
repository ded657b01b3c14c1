import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import { type Log, messageOf } from "../log.ts";
import { readPair, TlsPair } from "../runtime/http/tls-pair.ts";

type Files = Pick<Config, "tls_cert_file" | "tls_key_file">;

/**
 * The listeners' TLS certificate and key, reloaded when the files change; undefined without TLS.
 *
 * @param onReloaded - called when a new pair is in use.
 * @throws GatewayError `config_invalid`.
 */
export function tlsPairOf(config: Files, log: Log, onReloaded = () => {}): TlsPair | undefined {
  if (config.tls_cert_file === "") return undefined;
  return checked(
    () =>
      new TlsPair({
        ...filesOf(config),
        onReloaded: () => {
          log.info("the certificate was reloaded; new connections use it");
          onReloaded();
        },
        onRefused: (why) => log.warn("the certificate cannot be reloaded; the previous one stays in use", { why }),
      }),
  );
}

/** @returns the certificate; undefined if none is configured. @throws GatewayError `config_invalid` if the two files do not match. */
export function checkTlsPair(config: Files) {
  return config.tls_cert_file === "" ? undefined : checked(() => readPair(filesOf(config)).certificate);
}

const filesOf = ({ tls_cert_file, tls_key_file }: Files) => ({ certFile: tls_cert_file, keyFile: tls_key_file });

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new GatewayError("config_invalid", `tls_cert_file and tls_key_file: ${messageOf(error)}`, { cause: error });
  }
}
