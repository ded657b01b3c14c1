import { Elysia, t } from "elysia";
import { counted } from "../../counted.ts";
import { messageOf } from "../../log.ts";
import { gaugeText } from "../../runtime/metrics.ts";
import { within } from "../../runtime/within.ts";
import type { ApiContext } from "../context.ts";
import { endpoint } from "../endpoint.ts";
import { plainJson, success } from "../envelope.ts";
import { RecentLoss } from "./recent-loss.ts";

/** How long another thread may take to respond to a probe. */
const RESPONSE_MS = 1_000;
/** A spool that is this far ahead of the database is reported as degraded. */
const LAG_BYTES_MAX = 256 << 20;

const PROBE = { "application/json": t.Object({ status: t.String(), degraded: t.Optional(t.Array(t.String())) }) };

/** Probes and metrics: open to anyone who reaches the listener, and without any organization's data. */
export function healthEndpoints(context: ApiContext) {
  const recent = { loss: new RecentLoss(), unread: new RecentLoss() };
  return new Elysia()
    .get(
      "/healthz",
      () => plainJson({ status: "ok" }),
      endpoint("Operation", "Whether the process is alive", "", { responses: PROBE }),
    )
    .get(
      "/readyz",
      async () => {
        const { ready, degraded } = await readiness(context, recent);
        return plainJson({ status: ready ? "ready" : "not ready", degraded }, ready ? 200 : 503);
      },
      endpoint("Operation", "Whether traffic is served", "503 only where it is not; `degraded` says what is wrong.", {
        responses: PROBE,
      }),
    )
    .get(
      "/v1/health",
      async () => {
        const { ready, degraded, bodies } = await readiness(context, recent);
        return success({ status: ready ? "ready" : "not ready", degraded, bodies });
      },
      endpoint(
        "Operation",
        "State of all components",
        "As `/readyz`, but always 200; `bodies.behind` is the number of bytes that wait in the spool for the object store.",
      ),
    )
    .get(
      "/metrics",
      async () => {
        const texts = await Promise.all([
          resultOf(context.gateway.metrics()),
          resultOf(context.recorder.metrics()),
          resultOf(context.jobs.metrics()),
          context.metrics.text(),
          readiness(context, recent).then(readinessText),
        ]);
        const text = texts.filter((part) => typeof part === "string").map((part) => `${part.trimEnd()}\n`);
        return new Response(text.join(""), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
      },
      endpoint("Operation", "Metrics for Prometheus", "", { responses: { "text/plain": t.String() } }),
    );
}

function readinessText({ ready, degraded, databaseUsable }: Readiness): string {
  return [
    gaugeText("weir_ready", "1 while Weir serves traffic.", ready ? 1 : 0),
    gaugeText("weir_degraded", "Problems that need attention; /readyz lists them.", degraded.length),
    gaugeText(
      "weir_database_usable",
      "1 while records can be written and read; while it is 0 they wait in the spool.",
      databaseUsable ? 1 : 0,
    ),
  ].join("");
}

interface Readiness {
  readonly ready: boolean;
  /** Problems, one sentence each. */
  readonly degraded: readonly string[];
  readonly databaseUsable: boolean;
  readonly bodies: {
    /** Where new bodies are stored. */
    readonly engine: "records" | "s3";
    /** Bytes of the spool that wait for the object store. */
    readonly behind: number;
    readonly error: string | null;
  };
}

interface Recent {
  readonly loss: RecentLoss;
  readonly unread: RecentLoss;
}

async function readiness(context: ApiContext, { loss, unread }: Recent): Promise<Readiness> {
  const [gateway, recorder, database, waiting] = await Promise.all([
    resultOf(context.gateway.status()),
    resultOf(context.recorder.status()),
    databaseError(context),
    resultOf(context.engine.aggregates.saysSlow()),
  ]);
  const degraded: string[] = [];
  if (gateway === undefined) degraded.push("gateway: it does not respond");
  else {
    degraded.push(...gateway.degraded);
    if (!gateway.spoolHealthy) degraded.push(`spool: ${gateway.spoolError ?? "it cannot be written"}`);
    if (loss.isRecent(gateway.exchangesDropped, performance.now()))
      degraded.push(`spool: ${counted(gateway.exchangesDropped, "exchange")} not recorded completely`);
    if (gateway.draining) degraded.push("gateway: it is stopping");
  }
  if (recorder === undefined) degraded.push("recorder: it does not respond");
  else {
    if (recorder.databaseError !== null) degraded.push(`recorder: ${recorder.databaseError}`);
    if (recorder.bodiesError !== null)
      degraded.push(`[bodies] behind: ${recorder.bodiesBehindBytes} bytes wait in the spool: ${recorder.bodiesError}`);
    if (unread.isRecent(recorder.unread, performance.now()))
      degraded.push(
        `recorder: the bodies of ${counted(recorder.unread, "record")} are not read; try again: weir models reread`,
      );
    degraded.push(...recorder.losses);
    if (recorder.lagBytes > LAG_BYTES_MAX) degraded.push(`recorder: ${recorder.lagBytes} bytes behind`);
  }
  if (waiting !== undefined) degraded.push(`metrics: ${waiting}`);
  if (database !== undefined) degraded.push(`database: ${database}`);
  for (const what of ["keys", "credentials", "routes"] as const) {
    const { error } = context[what];
    if (error !== undefined) degraded.push(`${what}: ${error}`);
  }
  return {
    ready: gateway !== undefined && !gateway.draining,
    degraded,
    // A recorder too busy to respond says nothing about the database.
    databaseUsable: database === undefined && (recorder?.databaseError ?? null) === null,
    bodies: {
      engine: context.config.bodies_engine,
      behind: recorder?.bodiesBehindBytes ?? 0,
      error: recorder?.bodiesError ?? null,
    },
  };
}

async function databaseError(context: ApiContext): Promise<string | undefined> {
  try {
    await context.reader.records.query({ sql: "select 1 from keys limit 1", args: [] });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The result of a call to another thread, or undefined if it fails or takes too long: a probe has to respond in time. */
async function resultOf<T>(call: Promise<T>): Promise<T | undefined> {
  // The caller names the thread that did not respond.
  return within(call, RESPONSE_MS, () => undefined).catch(() => undefined);
}
