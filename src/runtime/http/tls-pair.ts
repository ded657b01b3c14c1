import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";

/** How often the files are read: they are small, and links to them may be moved. */
const LOOK_MS = 5_000;

interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

interface TlsPairOptions extends TlsFiles {
  /** A new pair is used for connections from now on. */
  readonly onReloaded: () => void;
  /** The files no longer hold a valid pair; the last valid one stays in use. Called once for each content. */
  readonly onRefused: (why: string) => void;
  readonly lookMs?: number;
}

/** A certificate and its key, reloaded when their files change. */
export class TlsPair {
  readonly #options: TlsPairOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #context: SecureContext;
  /** Contents of the files at the last read. */
  #seen: string;

  /** @throws Error that says which file is wrong, and why. */
  constructor(options: TlsPairOptions) {
    this.#options = options;
    const { context, fingerprint } = readPair(options);
    this.#context = context;
    this.#seen = fingerprint;
    this.#timer = setInterval(() => this.#look(), options.lookMs ?? LOOK_MS);
    this.#timer.unref();
  }

  /** For new connections. */
  get context(): SecureContext {
    return this.#context;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    let fingerprint: string;
    try {
      fingerprint = fingerprintOf(this.#options);
    } catch (error) {
      fingerprint = `unreadable: ${(error as Error).message}`;
    }
    if (fingerprint === this.#seen) return;
    this.#seen = fingerprint;
    try {
      this.#context = readPair(this.#options).context;
    } catch (error) {
      this.#options.onRefused((error as Error).message);
      return;
    }
    this.#options.onReloaded();
  }
}

/** Reads and checks a pair. @throws Error that says which file is wrong, and why. */
export function readPair(files: TlsFiles): {
  readonly context: SecureContext;
  readonly certificate: X509Certificate;
  readonly fingerprint: string;
} {
  const { certFile, keyFile } = files;
  const [cert, key] = [readText(certFile), readText(keyFile)];
  const certificate = inFile(certFile, "holds no certificate in PEM form", () => new X509Certificate(cert));
  if (/ENCRYPTED/.test(key)) throw new Error(`${keyFile}: the key is encrypted; give one without a passphrase`);
  const privateKey = inFile(keyFile, "holds no private key in PEM form", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`${keyFile}: the key is not that of the certificate in ${certFile}`);
  const context = inFile(certFile, "cannot be used", () => createSecureContext({ cert, key, minVersion: "TLSv1.2" }));
  return { context, certificate, fingerprint: fingerprintOf(files) };
}

function fingerprintOf({ certFile, keyFile }: TlsFiles): string {
  const hash = createHash("sha256");
  for (const file of [certFile, keyFile]) hash.update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function readText(file: string): string {
  return inFile(file, "cannot be read", () => readFileSync(file, "utf8"));
}

function inFile<T>(file: string, what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(`${file}: ${what}: ${(cause as Error).message}`, { cause });
  }
}
