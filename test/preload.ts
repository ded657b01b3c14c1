import { setDefaultTimeout } from "bun:test";

// A limit for what hangs, and no claim: machines that run tests have other work.
setDefaultTimeout(60_000);
