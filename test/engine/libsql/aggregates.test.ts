import { suiteOfAggregates } from "../suite/aggregates.ts";
import { LIBSQL } from "./engine.ts";
import { LIBSQL_SERVER } from "./server.ts";

suiteOfAggregates(LIBSQL_SERVER, LIBSQL, 1);
