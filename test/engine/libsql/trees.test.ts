import { setDefaultTimeout } from "bun:test";
import { suiteOfTrees } from "../suite/trees.ts";
import { LIBSQL } from "./engine.ts";

// Long chains take SQLite's parser seconds on a busy machine.
setDefaultTimeout(300_000);

suiteOfTrees(LIBSQL);
