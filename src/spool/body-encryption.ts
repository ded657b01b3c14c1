import type { Cipheriv } from "node:crypto";
import { type BodyKey, type EncryptedSide, newSalt } from "./body-key.ts";
import type { BeginMeta } from "./frame.ts";

/** Encrypts omitted bodies in flight on their way into the spool: few, and none in most deployments. */
export class BodyEncryption {
  readonly key: BodyKey;
  readonly #open = new Map<string, Readonly<Partial<Record<EncryptedSide, Cipheriv>>>>();

  constructor(key: BodyKey) {
    this.key = key;
  }

  /** Starts encrypting the bodies that `meta` omits. @returns `meta` with the key's name and this exchange's salt. */
  begin(id: string, meta: BeginMeta): BeginMeta {
    const salt = newSalt();
    this.#open.set(id, {
      ...(meta.omitRequest && { request: this.key.cipher(salt, id, "request") }),
      ...(meta.omitResponse && {
        response: this.key.cipher(salt, id, "response"),
        provider_response: this.key.cipher(salt, id, "provider_response"),
      }),
    });
    return { seal: this.key.name, salt, ...meta };
  }

  /** Encrypts the next bytes of a body, if it is omitted. */
  encrypted(id: string, side: EncryptedSide, bytes: Uint8Array): Uint8Array {
    const cipher = this.#open.size > 0 ? this.#open.get(id)?.[side] : undefined;
    return cipher === undefined ? bytes : cipher.update(bytes);
  }

  end(id: string): void {
    if (this.#open.size > 0) this.#open.delete(id);
  }
}
