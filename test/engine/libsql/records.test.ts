import { suiteOfRecords } from "../suite/records.ts";
import { LIBSQL } from "./engine.ts";

suiteOfRecords(LIBSQL);
