import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import { GatewayError } from "../errors.ts";
import { fileProblem } from "../file-problem.ts";
import type { Credential } from "../routing/credential.ts";
import { type CredentialRules, readCredential, readSecret } from "./read-credential.ts";
import type { CredentialTerms } from "./stored.ts";
import { usableTerms } from "./terms.ts";

/** A credential of `weir.toml`. It belongs to the deployment: every organization may use it. */
export interface ConfiguredCredential {
  readonly name: string;
  readonly provider: string;
  readonly terms: CredentialTerms;
  /** The location of each secret: `env:NAME` or `file:/path`. */
  readonly references: Readonly<Record<string, string>>;
}

const REFERENCE = /^(env:[A-Za-z_][A-Za-z0-9_]*|file:\/.*)$/;

/**
 * Reads the tables `[credentials.<name>]`, without the secrets that they refer to.
 *
 * @throws GatewayError `config_invalid` that names the table and the member; it never holds a secret.
 */
export function configuredCredentials(
  { credentials }: Pick<Config, "credentials">,
  rules: Omit<CredentialRules, "operator" | "readSecret">,
): readonly ConfiguredCredential[] {
  return Object.entries(credentials).map(([name, table]) =>
    inTable(name, () => {
      if ("shared" in table)
        throw wrong("shared", "every organization may use a credential of the configuration file: leave it out");
      const order = readCredential({ ...table, name }, { ...rules, operator: true, readSecret: readReference });
      return {
        name,
        provider: order.provider,
        terms: order.terms,
        references: order.secrets as Record<string, string>,
      };
    }),
  );
}

/** @throws GatewayError `config_invalid` if a variable is not set, or a file cannot be read. */
export function resolveConfigured(
  { name, provider, terms, references }: ConfiguredCredential,
  env: Readonly<Record<string, string | undefined>>,
): Credential {
  const secrets = Object.entries(references).map(([member, reference]) => {
    return [member, inTable(name, () => readSecret(member, lookUp(member, reference, env)))] as const;
  });
  return {
    name,
    organizationId: "",
    provider,
    secrets: Object.fromEntries(secrets),
    ...usableTerms(terms),
    shared: true,
    createdAt: 0,
  };
}

/** The files with secrets. */
export function filesOf(configured: readonly ConfiguredCredential[]): readonly string[] {
  const all = configured.flatMap(({ references }) => Object.values(references));
  return all.filter((reference) => reference.startsWith("file:")).map((reference) => reference.slice("file:".length));
}

function readReference(member: string, value: unknown): string {
  if (typeof value === "string" && REFERENCE.test(value)) return value;
  throw wrong(member, "a secret must not be in the configuration file: write env:NAME or file:/path instead");
}

function lookUp(member: string, reference: string, env: Readonly<Record<string, string | undefined>>): string {
  const place = reference.slice(reference.indexOf(":") + 1);
  if (reference.startsWith("env:")) {
    const value = env[place];
    if (value === undefined || value === "") throw wrong(member, `the variable ${place} is not set`);
    return value;
  }
  try {
    return readFileSync(place, "utf8");
  } catch (error) {
    throw wrong(member, `${place}: ${fileProblem(error)}`);
  }
}

function inTable<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new GatewayError("config_invalid", `[credentials.${name}] ${error.message}`);
  }
}

function wrong(path: string, message: string): GatewayError {
  return new GatewayError("invalid_body", `${path}: ${message}`, { path });
}
