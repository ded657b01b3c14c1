import { setDefaultTimeout } from "bun:test";
import { suiteOfAggregates } from "../suite/aggregates.ts";
import { LIBSQL } from "./engine.ts";
import { LIBSQL_SERVER } from "./server.ts";

// Some hundred questions go to a server, which takes its time on a busy machine.
setDefaultTimeout(600_000);

suiteOfAggregates(LIBSQL_SERVER, LIBSQL, 1);
