import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** The last file of a backup: without it the backup is incomplete. */
export const MANIFEST = "backup.json";

const count = Type.Integer({ minimum: 0 });

const MANIFEST_SCHEMA = Type.Object({
  format: Type.Literal(1),
  /** Version of the program that made it. */
  weir: Type.String(),
  created_at: Type.String(),
  region: Type.String(),
  /** Whether the records are in the backup: those on a libSQL server are not. */
  database: Type.Union([Type.Literal("files"), Type.Literal("server")]),
  /** By the path of the database inside the backup: its version and its rows. */
  databases: Type.Record(
    Type.String(),
    Type.Object({
      kind: Type.Union([Type.Literal("records"), Type.Literal("bodies")]),
      version: count,
      rows: Type.Record(Type.String(), count),
    }),
  ),
  files: Type.Record(Type.String(), Type.Object({ bytes: count, sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }) })),
});

export type Manifest = Readonly<Static<typeof MANIFEST_SCHEMA>>;

/** @throws if the text is not a supported manifest; the message explains it. */
export function readManifest(text: string): Manifest {
  const value: unknown = JSON.parse(text);
  const problem = Value.Errors(MANIFEST_SCHEMA, value).First();
  if (problem !== undefined) throw new Error(`${problem.path || "the manifest"}: ${problem.message.toLowerCase()}`);
  return value as Manifest;
}

/** Whether a name from a backup stays inside the directory that it is written to. */
export function isInnerPath(name: string): boolean {
  if (name === "" || name.length > 1_000 || /[\\\0]|^\/|^[a-z]:/i.test(name)) return false;
  return name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
