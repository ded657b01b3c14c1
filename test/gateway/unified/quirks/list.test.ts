import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allTests } from "../../../sets.ts";

/** Places where gateways are known to break when they translate, and what is right. The titles of their tests name the number. */
const QUIRKS: readonly string[] = [
  /* 1 */ "parallel calls in a stream have an index each, from 0",
  /* 2 */ "id, type and name of a call come once, in its first chunk",
  /* 3 */ "a call without arguments has an empty object",
  /* 4 */ "all calls in one chunk are read",
  /* 5 */ "blocks of Messages do not overlap, and have one type",
  /* 6 */ "a call in a response makes it end with calls",
  /* 7 */ "results of parallel calls are one turn, in the order of the calls",
  /* 8 */ "a history with calls and no tools gets a placeholder at Bedrock",
  /* 9 */ "signatures of Gemini's calls are sent back",
  /* 10 */ "ids of calls stay short, state is beside them",
  /* 11 */ "a thought's signature comes before its block stops",
  /* 12 */ "state goes to its issuer only",
  /* 13 */ "an unsigned thought is never sent to Anthropic",
  /* 14 */ "other vendors' state travels in encrypted_content",
  /* 15 */ "encrypted state goes to the credential that issued it",
  /* 16 */ "newer OpenAI models get function tools as Responses",
  /* 17 */ "the token limit has the name that the model takes",
  /* 18 */ "sampling that a model refuses is left out",
  /* 19 */ "Anthropic gets the model's maximum where no limit is set",
  /* 20 */ "a thinking budget fits the limit, tools and sampling",
  /* 21 */ "no effort is not the effort none",
  /* 22 */ "schemas reach Gemini as it takes them",
  /* 23 */ "a tool's result is text, whatever it looks like",
  /* 24 */ "a schema is native where the model supports it, else a tool",
  /* 25 */ "cache marks stay with their part",
  /* 26 */ "no cache mark that the client did not set",
  /* 27 */ "later system messages stay in place",
  /* 28 */ "an attribution line that changes is left out",
  /* 29 */ "cached tokens are counted once",
  /* 30 */ "later counts of a stream replace earlier ones",
  /* 31 */ "a usage chunk comes exactly when requested",
  /* 32 */ "an error inside a 200 is an error",
  /* 33 */ "a stream that is cut has no clean end",
  /* 34 */ "no retry after content",
  /* 35 */ "a Responses stream has the whole grammar",
  /* 36 */ "keep-alives have the form that the client counts",
  /* 37 */ "custom tools come back with raw text",
  /* 38 */ "namespaces are flattened and restored",
  /* 39 */ "long tool names are shortened and restored",
  /* 40 */ "pictures in results are not lost",
  /* 41 */ "files are mapped, or refused by their path",
  /* 42 */ "empty text is left out",
  /* 43 */ "Gemini's results have their call's name",
  /* 44 */ "a malformed call is a failed attempt",
  /* 45 */ "counts are never too low",
  /* 46 */ "one list of models serves every client",
  /* 47 */ "coding tools recognize a prompt that is too long",
  /* 48 */ "a 429 pauses one model of a credential",
  /* 49 */ "a pause never ends earlier, and never blocks the only target",
  /* 50 */ "a session stays with its target",
  /* 51 */ "a changed key locks no credential silently",
  /* 52 */ "a stored key's 401 names the credential",
];

test("each known place has a test whose title names its number", () => {
  const tested = new Set<number>();
  for (const file of allTests())
    for (const [, numbers] of readFileSync(join(import.meta.dir, "../../../..", file), "utf8").matchAll(
      /"quirks? (\d+(?:(?:,| and) \d+)*):/g,
    ))
      for (const number of numbers!.match(/\d+/g)!) tested.add(Number(number));
  expect(QUIRKS.filter((_, at) => !tested.has(at + 1))).toEqual([]);
});
