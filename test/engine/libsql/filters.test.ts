import { suiteOfFilters } from "../suite/filters.ts";
import { LIBSQL } from "./engine.ts";

suiteOfFilters(LIBSQL, { leaves: 1500, trees: 300 });
