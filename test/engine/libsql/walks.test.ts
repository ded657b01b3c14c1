import { suiteOfWalks } from "../suite/walks.ts";
import { LIBSQL } from "./engine.ts";

suiteOfWalks(LIBSQL);
