/**
 * Runs the library as the server that it is: `bun run-server.ts LIBRARY DIRECTORY HTTP_PORT TCP_PORT [CONFIG_FILE]`.
 *
 * `query_stable_v2` is the main function of `clickhouse-local`, which listens if a query says so. It returns when its last
 * query ends, so the last one sleeps for good. The kernel kills this process when the one that started it is gone.
 */
import { CString, dlopen, FFIType, ptr, read } from "bun:ffi";

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
/** Offset of the message in the struct that is returned: after a buffer, its length, a vector, and three numbers. */
const ERROR_AT = 48;

const [library, directory, http, tcp, config] = process.argv.slice(2) as [string, string, string, string, string?];
const libc = dlopen("libc.so.6", { prctl: { args: [FFIType.i32, FFIType.u64], returns: FFIType.i32 } });
libc.symbols.prctl(PR_SET_PDEATHSIG, SIGKILL);

const { symbols } = dlopen(library, { query_stable_v2: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.ptr } });
const words = [
  ...["clickhouse-local", "--path", directory, "--listen_host", "127.0.0.1", "--http_port", http, "--tcp_port", tcp],
  ...(config === undefined ? [] : ["--config-file", config]),
  "--query",
  `SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; SELECT sleepEachRow(1) FROM numbers(100000000)
    SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1 FORMAT Null`,
];
// Kept until the call returns: the library reads them where they are.
const texts = words.map((word) => Buffer.from(`${word}\0`));
const argv = BigUint64Array.from(texts, (text) => BigInt(ptr(text)));
const result = symbols.query_stable_v2(words.length, ptr(argv));
const error = result === null ? 0 : read.ptr(result, ERROR_AT);
console.error(error === 0 ? "the server ended" : String(new CString(error as Parameters<typeof read.ptr>[0])));
process.exit(1);
