import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { and, leaf, ofSession } from "../../filter/tree.ts";
import { ERRORS } from "../../metrics/filter.ts";
import { formatPercent } from "../../metrics/format.ts";
import { RequestsLink } from "../../metrics/links.tsx";
import { FEEDBACK, scoreTitle } from "../../parts/score-name.ts";
import { sentBytes } from "../../parts/sent-bytes.ts";
import { Tile } from "../../parts/tile.tsx";
import { Bytes, Count, Duration, Money, Time } from "../../parts/values.tsx";
import { meanScores, type RecordRow, usersOf } from "./steps.ts";
import type { Totals } from "./tree.ts";

/** A session's metrics over all of its requests, from the API. */
export interface WholeSession {
  readonly requests: number;
  readonly errors: number;
  readonly users: readonly string[];
  readonly cost: number | null;
  readonly total_tokens: number | null;
  readonly size_bytes: number | null;
  readonly stored_bytes: number | null;
  readonly created_at: string;
  readonly latest_request_created_at: string;
}

interface TilesProps {
  readonly id: string;
  /** The requests that are shown, and their totals. */
  readonly rows: readonly RecordRow[];
  readonly totals: Totals;
  /** All of the session, if it may have more requests. */
  readonly whole: WholeSession | undefined;
}

/** Users that are named, at most. */
const USERS_MAX = 3;

/** A session's metrics. */
export function Tiles({ id, rows, totals: shown, whole }: TilesProps) {
  const users = whole?.users ?? usersOf(rows);
  const totals = whole === undefined ? shown : totalsOf(whole);
  const sizes = whole ?? {
    size_bytes: rows.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    stored_bytes: rows.reduce((sum, { stored_bytes }) => sum + (stored_bytes ?? 0), 0),
    total_tokens: shown.tokens,
  };
  const ofThis = ofSession("session_session_id", { equals: id });
  const failed = and(ofThis, ERRORS);
  return (
    <dl className="tiles">
      <Tile label="Requests" value={<Count of={totals.requests} />} />
      <Tile label="Cost" value={<Money of={totals.cost} />} />
      <Tile label="Tokens" value={<Count of={totals.tokens} short />} />
      <Tile
        label="Errors"
        value={<Count of={totals.errors} />}
        note={totals.errors === 0 ? null : <RequestsLink filter={failed}>Show them</RequestsLink>}
      />
      {users.length === 0 ? null : (
        <Tile
          label={users.length === 1 ? "User" : "Users"}
          value={<Count of={users.length} />}
          note={users.slice(0, USERS_MAX).map((user, at) => (
            <Fragment key={user}>
              {at === 0 ? null : ", "}
              <Link to="/requests" search={{ filter: leaf("user_id", { equals: user }) }}>
                {user}
              </Link>
            </Fragment>
          ))}
        />
      )}
      {meanScores(rows).map(([name, mean]) => (
        <Tile
          key={name}
          label={scoreTitle(name)}
          value={name === FEEDBACK ? formatPercent(mean) : Number(mean.toPrecision(4))}
          note={name === FEEDBACK ? "positive" : "mean"}
        />
      ))}
      <Tile
        label="Sent"
        value={<Bytes of={sentBytes(sizes)} />}
        note={
          <>
            <Bytes of={sizes.stored_bytes} /> stored
          </>
        }
      />
      <Tile
        label="Duration"
        value={<Duration of={totals.to - totals.from} />}
        note={
          <>
            from <Time of={new Date(totals.from).toISOString()} />
          </>
        }
      />
    </dl>
  );
}

const totalsOf = (whole: WholeSession): Totals => ({
  ...whole,
  tokens: whole.total_tokens,
  from: Date.parse(whole.created_at),
  to: Date.parse(whole.latest_request_created_at),
});
