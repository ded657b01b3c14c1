import { describe } from "bun:test";
import { suiteOfPages } from "../suite/pages.ts";
import { LIBSQL } from "./engine.ts";
import { LIBSQL_SERVER } from "./server.ts";

describe.each([LIBSQL, LIBSQL_SERVER])("on $name", (engine) => suiteOfPages(engine, 40));
