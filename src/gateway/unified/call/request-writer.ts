import type { FetchedFiles } from "../../../mapping/translate/addresses.ts";
import type { Candidate } from "../../../routing/walk.ts";
import { after, type Soon } from "../../../runtime/pending.ts";
import type { FileFetcher } from "../../../unified/fetch-files.ts";
import type { AttemptParts } from "./attempt.ts";
import type { WrittenWhole } from "./step.ts";
import { writeFor } from "./write-for.ts";

/** Writes the requests of one call. Files that one candidate accepts only as bytes are fetched once for all candidates. */
export class RequestWriter {
  readonly #fetcher: FileFetcher | undefined;
  /** Undefined if file fetching is off. */
  #files: FetchedFiles | undefined;
  #leaving: AbortController | undefined;
  #aborted = false;

  constructor(fetcher: FileFetcher | undefined) {
    this.#fetcher = fetcher;
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
    this.#files = { ...this.#files, ...(await this.#fetcher!.fetch(addresses, this.#leaving.signal)) };
    return this.written(candidate, given);
  }
}
