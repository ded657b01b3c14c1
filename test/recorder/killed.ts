import { join } from "node:path";
import { begin, spoolIn } from "../spool/journal.ts";
import { configIn, startRecorder } from "./harness.ts";

/**
 * A program for tests to kill: writes exchanges into the spool of the directory given, and prints the id of each whose
 * begin is in the page cache, as the gateway would before a response leaves it. With a second argument it records too, configured
 * by the third, which is JSON.
 */
const spool = spoolIn(join(process.argv[2]!, "spool"), { segmentBytes: 40_000 });
if (process.argv[3] !== undefined) {
  const config = configIn(process.argv[2]!, JSON.parse(process.argv[4] ?? "{}"));
  await startRecorder(process.argv[2]!, { config }).ready();
}
for (let round = 0; ; round++) {
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  for (const id of ids) {
    spool.begin(id, begin({ time: Date.now(), gateway: ["Gateway-Property-Round", String(round)] }));
    spool.requestChunk(id, Buffer.from('{"model":"m-1"}'));
  }
  spool.flush();
  process.stdout.write(ids.map((id) => `${id}\n`).join(""));
  for (const id of ids) {
    spool.head(id, { time: Date.now(), status: 200, headers: ["Content-Type", "text/plain"] });
    spool.responseChunk(id, Buffer.alloc(1_000, "x"));
    await new Promise((resolve) => setImmediate(resolve));
    if (id !== ids[0]) {
      spool.end(id, { time: Date.now(), outcome: "complete", requestBytes: 15, responseBytes: 1_000 });
    }
  }
}
