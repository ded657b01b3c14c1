import { FIRST_BODIES } from "./0001-bodies.ts";
import { FIRST_RECORDS } from "./0001-records.ts";
import { PLUGIN_ENTRIES } from "./0002-plugin-entries.ts";
import { CACHE_INDEX } from "./0003-cache-index.ts";
import { ATTEMPTS } from "./0004-attempts.ts";
import { MAPPINGS } from "./0005-mappings.ts";
import { BLOCKS } from "./0006-blocks.ts";
import { ALERTS } from "./0007-alerts.ts";
import { NODES } from "./0008-nodes.ts";
import { SMALL_BODIES } from "./0009-small-bodies.ts";
import { UNIFIED } from "./0010-unified.ts";
import { OUTCOMES } from "./0011-outcomes.ts";
import { UNREAD } from "./0012-unread.ts";
import { ROUTING } from "./0013-routing.ts";
import { INPUT_OUTPUT } from "./0014-input-output.ts";
import { IN_FLIGHT } from "./0015-in-flight.ts";
import { PACKS } from "./0016-packs.ts";
import { ANSWERS } from "./0017-answers.ts";
import { WORDS } from "./0018-words.ts";
import { PAIRING } from "./0019-pairing.ts";
import { STORAGE_DAYS } from "./0020-storage-days.ts";
import { PACKED_EXCERPTS } from "./0021-packed-excerpts.ts";
import { KINDS } from "./0022-kinds.ts";
import { SAVED_VIEWS } from "./0023-saved-views.ts";
import { SHORT_INDEXES } from "./0024-short-indexes.ts";
import { FINISH_REASONS } from "./0025-finish-reasons.ts";
import { PEOPLE } from "./0026-people.ts";
import { BLOCKS_APART } from "./0027-blocks-apart.ts";
import { NOTES } from "./0028-notes.ts";
import { WORDS_DUE } from "./0029-words-due.ts";
import { AUDIT } from "./0030-audit.ts";
import { ALERT_CALENDARS } from "./0031-alert-calendars.ts";
import { OBJECTS } from "./0032-objects.ts";
import { DATASETS } from "./0033-datasets.ts";
import { SPANS } from "./0034-spans.ts";
import { DASHBOARDS } from "./0035-dashboards.ts";
import { DATASET_RUNS } from "./0036-dataset-runs.ts";
import { RATINGS } from "./0037-ratings.ts";
import { JUDGES } from "./0038-judges.ts";
import { REVIEWS } from "./0039-reviews.ts";
import { NO_PROVIDER } from "./0040-no-provider.ts";
import { WALKS } from "./0041-walks.ts";
import { FULL_LINES } from "./0042-full-lines.ts";
import { TIME_PARTITIONS } from "./0043-time-partitions.ts";
import { LATE_ROWS } from "./0044-late-rows.ts";
import type { Migration } from "./migration.ts";

/** All migrations in order. A released migration is never changed, only followed by another. */
export const MIGRATIONS: readonly Migration[] = [
  { target: "records", version: 1, name: "records", statements: FIRST_RECORDS },
  { target: "bodies", version: 1, name: "bodies", statements: FIRST_BODIES },
  { target: "records", version: 2, name: "plugin entries", statements: PLUGIN_ENTRIES },
  { target: "records", version: 3, name: "cache index", statements: CACHE_INDEX },
  { target: "records", version: 4, name: "attempts", statements: ATTEMPTS },
  { target: "records", version: 5, name: "mappings", statements: MAPPINGS },
  { target: "records", version: 6, name: "blocks", statements: BLOCKS },
  { target: "records", version: 7, name: "alerts", statements: ALERTS },
  { target: "records", version: 8, name: "nodes", statements: NODES },
  { target: "bodies", version: 2, name: "small bodies", statements: SMALL_BODIES },
  { target: "records", version: 9, name: "credentials and routes", statements: UNIFIED },
  { target: "records", version: 10, name: "outcomes", statements: OUTCOMES },
  { target: "records", version: 11, name: "unread", statements: UNREAD },
  { target: "records", version: 12, name: "routing", statements: ROUTING },
  { target: "records", version: 13, name: "input and output", statements: INPUT_OUTPUT },
  { target: "records", version: 14, name: "in flight", statements: IN_FLIGHT },
  { target: "bodies", version: 3, name: "packs", statements: PACKS },
  { target: "records", version: 15, name: "answers", statements: ANSWERS },
  { target: "bodies", version: 4, name: "words", statements: WORDS },
  { target: "bodies", version: 5, name: "pairing", statements: PAIRING },
  { target: "records", version: 16, name: "storage by day", statements: STORAGE_DAYS },
  { target: "records", version: 17, name: "packed excerpts", statements: PACKED_EXCERPTS },
  { target: "records", version: 18, name: "kinds", statements: KINDS },
  { target: "records", version: 19, name: "saved views", statements: SAVED_VIEWS },
  { target: "records", version: 20, name: "short indexes", statements: SHORT_INDEXES },
  { target: "records", version: 21, name: "finish reasons", statements: FINISH_REASONS },
  { target: "records", version: 22, name: "people", statements: PEOPLE },
  { target: "records", version: 23, name: "blocks apart", statements: BLOCKS_APART },
  { target: "records", version: 24, name: "comments and shared links", statements: NOTES },
  { target: "bodies", version: 6, name: "words due", statements: WORDS_DUE },
  { target: "records", version: 25, name: "audit", statements: AUDIT },
  { target: "records", version: 26, name: "alerts by the calendar", statements: ALERT_CALENDARS },
  { target: "bodies", version: 7, name: "objects", statements: OBJECTS },
  { target: "records", version: 27, name: "datasets", statements: DATASETS },
  { target: "records", version: 28, name: "spans", statements: SPANS },
  { target: "records", version: 29, name: "dashboards", statements: DASHBOARDS },
  { target: "records", version: 30, name: "dataset runs", statements: DATASET_RUNS },
  { target: "records", version: 31, name: "ratings", statements: RATINGS },
  { target: "records", version: 32, name: "judges", statements: JUDGES },
  { target: "records", version: 33, name: "reviews", statements: REVIEWS },
  { target: "records", version: 34, name: "no provider", statements: NO_PROVIDER },
  { target: "records", version: 35, name: "walks", statements: WALKS },
  { target: "records", version: 36, name: "full lines", statements: FULL_LINES },
  { target: "records", version: 37, name: "time partitions", statements: TIME_PARTITIONS },
  { target: "records", version: 38, name: "late rows", statements: LATE_ROWS },
];
