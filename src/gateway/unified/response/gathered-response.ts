import { decodeBody } from "../../../runtime/content-coding.ts";
import type { Soon } from "../../../runtime/pending.ts";
import { joinedBytes } from "../../../runtime/shared-bytes.ts";
import { withoutSecrets } from "./echoed-secrets.ts";
import { headerValue, type ProviderHead } from "./provider-head.ts";

const ERROR_BYTES_MAX = 1_024 * 1_024;
export const WHOLE_BYTES_MAX = 128 * 1_024 * 1_024;

/** What has arrived of a provider's response while none of it has gone to the client. */
export class GatheredResponse {
  head: ProviderHead = { status: 0, reason: "", headers: [] };
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  get isError(): boolean {
    return this.head.status >= 400;
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /**
   * Keeps bytes of a response that is read as a unit. Of a larger error only the beginning is kept.
   *
   * @returns false if a success is too large.
   */
  gather(bytes: Uint8Array): boolean {
    this.#bytes += bytes.byteLength;
    const fits = this.#bytes <= (this.isError ? ERROR_BYTES_MAX : WHOLE_BYTES_MAX);
    if (fits) this.#chunks.push(bytes);
    return fits || this.isError;
  }

  /** Keeps bytes of a held-back body for the record of a failure. */
  hold(bytes: Uint8Array): void {
    if (this.#bytes > ERROR_BYTES_MAX) return;
    this.#bytes += bytes.byteLength;
    this.#chunks.push(bytes);
  }

  /** The response goes to the client: its bytes are no longer needed. */
  drop(): void {
    this.#chunks = [];
  }

  joined(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** The bytes, decompressed; undefined if they cannot be. */
  decoded(): Soon<Uint8Array | undefined> {
    const all = joinedBytes(this.#chunks);
    const coding = headerValue(this.head.headers, "content-encoding");
    if (coding === "") return all;
    return decodeBody(all, coding, WHOLE_BYTES_MAX).then((read) => (read.incomplete ? undefined : read.bytes));
  }

  /** Masks the keys that the gateway sent. @param bytes - the response, decompressed. @returns these bytes, masked. */
  mask(secrets: readonly string[], bytes: Uint8Array = this.joined()): Uint8Array {
    const masked = withoutSecrets({ head: this.head, chunks: this.#chunks, bytes }, secrets);
    this.head = masked.head;
    this.#chunks = [...masked.chunks];
    return masked.bytes;
  }
}
