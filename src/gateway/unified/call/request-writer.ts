import { GatewayError } from "../../../errors.ts";
import type { FetchedFiles } from "../../../mapping/translate/addresses.ts";
import type { Candidate } from "../../../routing/walk.ts";
import { after, type Soon } from "../../../runtime/pending.ts";
import type { FileFetcher } from "../../../unified/fetch-files.ts";
import type { BodyShare } from "../../body/budget.ts";
import type { AttemptParts } from "./attempt.ts";
import type { WrittenWhole } from "./step.ts";
import { writeFor } from "./write-for.ts";

/** Writes the requests of one call. Files that one candidate accepts only as bytes are fetched once for all candidates. */
export class RequestWriter {
  readonly #fetcher: FileFetcher | undefined;
  readonly #openShare: () => BodyShare | undefined;
  /** The memory of fetched files. */
  #share: BodyShare | undefined;
  /** Undefined if file fetching is off. */
  #files: FetchedFiles | undefined;
  #leaving: AbortController | undefined;
  #aborted = false;

  /** @param openShare - of the memory for complete bodies, to which files belong; undefined if there is none. */
  constructor(fetcher: FileFetcher | undefined, openShare: () => BodyShare | undefined) {
    this.#fetcher = fetcher;
    this.#openShare = openShare;
    this.#files = fetcher && {};
  }

  get files(): FetchedFiles | undefined {
    return this.#files;
  }

  /** The request for a candidate, after fetching the files that it needs. */
  written(candidate: Candidate, given: AttemptParts): Soon<WrittenWhole> {
    const current = given.files === this.#files ? given : { ...given, files: this.#files };
    return after(writeFor(candidate, current), (written) =>
      written.kind === "fetch" ? this.#fetchAndWrite(candidate, given, written.addresses) : written,
    );
  }

  /** Aborts the fetching of files. */
  abort(): void {
    this.#aborted = true;
    this.#leaving?.abort();
  }

  async #fetchAndWrite(candidate: Candidate, given: AttemptParts, addresses: readonly string[]) {
    this.#leaving ??= new AbortController();
    if (this.#aborted) this.#leaving.abort();
    this.#share ??= this.#openShare();
    const share = this.#share;
    let isFull = share === undefined;
    const room = (bytes: number) => {
      isFull ||= !share!.grow(share!.bytes + bytes);
      return !isFull;
    };
    const fetched = isFull ? {} : await this.#fetcher!.fetch(addresses, this.#leaving.signal, room);
    if (isFull) throw new GatewayError("bodies_full");
    share!.arrived();
    this.#files = { ...this.#files, ...fetched };
    return this.written(candidate, given);
  }
}
