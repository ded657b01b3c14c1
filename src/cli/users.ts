import { randomBytes } from "node:crypto";
import { schemeOf } from "../config.ts";
import { GatewayError } from "../errors.ts";
import { listKeys, type WhichKeys } from "../store/keys.ts";
import { invite } from "../store/people/invitations.ts";
import { listMembers, MEMBER_ROLES, putMember, readRole, removeMember } from "../store/people/members.ts";
import { FIRST_ORGANIZATION, listOrganizations } from "../store/people/organization-names.ts";
import { changeOrganization, createOrganization } from "../store/people/organizations.ts";
import { unlinkUser } from "../store/people/sso-members.ts";
import {
  changeUser,
  createUser,
  findUser,
  listUsers,
  readEmail,
  removeUser,
  shownUser,
  type User,
} from "../store/people/users.ts";
import type { Database } from "../store/store.ts";
import { atCommandLine } from "./acting.ts";
import type { Run } from "./command.ts";
import { organizationId } from "./organization.ts";
import { printList } from "./print.ts";
import { readAll } from "./read-options.ts";
import { CommandError, UsageError } from "./usage-error.ts";
import { withRecords } from "./with-store.ts";

/** Prints only the password on stdout, if one was created. */
export const createUserCommand: Run = async ({ args, options, terminal, config }) => {
  const { email } = readAll({ email: () => readEmail(args[0]!) });
  const password = randomBytes(18).toString("base64url");
  const order = { email, name: options["name"]?.toString() ?? email, password, operator: options["operator"] === true };
  await withRecords(config, (records) => createUser(records, order, atCommandLine()));
  terminal.err(`user ${email} is created${order.operator ? ", an operator" : ""}; the password is shown this once\n`);
  terminal.out(`${password}\n`);
  return 0;
};

/** Prints only the link on stdout. */
export const inviteCommand: Run = async ({ args, options, terminal, config }) => {
  const organization = options["organization"]?.toString() ?? FIRST_ORGANIZATION;
  const { email, role } = readAll({
    email: () => readEmail(args[0]!),
    role: () => readRole(options["role"]?.toString() ?? "viewer"),
  });
  const id = await organizationId(config, organization);
  const order = { email, role, organizationId: id };
  const { token, expires_at } = await withRecords(config, (records) => invite(records, order, atCommandLine()));
  const origin = (
    config.public_url ||
    config.public_api_url ||
    `${schemeOf(config)}://${config.host}:${config.api_port}`
  ).replace(/\/+$/, "");
  terminal.err(`invited ${email} to "${organization}" as ${role}; the link works once, until ${expires_at}\n`);
  terminal.out(`${origin}/invitation/${token}\n`);
  return 0;
};

export const listUsersCommand: Run = async (invocation) => {
  const users = await withRecords(invocation.config, listUsers);
  printList(invocation, users.map(shownUser), {
    headings: ["id", "email", "name", "state", "last log-in"],
    cells: ({ id, email, name, operator, disabled, last_login_at }) => {
      const state = disabled ? "disabled" : operator ? "operator" : "";
      return [id, email, name, state, last_login_at ?? "never"];
    },
    cuts: ["email", "name"],
    none: "there are no users",
  });
  return 0;
};

/** For a user whose account at the identity provider was recreated. */
export const unlinkUserCommand: Run = async ({ args, terminal, config }) => {
  const { email } = readAll({ email: () => readEmail(args[0]!) });
  const isThere = await withRecords(config, async (records) => {
    const user = await findUser(records, "email", email);
    if (user !== undefined) await unlinkUser(records, user, atCommandLine());
    return user !== undefined;
  });
  if (!isThere) {
    terminal.err(`there is no user ${email}\n`);
    return 1;
  }
  terminal.err(
    `${email} is not linked to an account any more; the next log-in by single sign-on with this address links it\n`,
  );
  return 0;
};

export const listMembersCommand: Run = async (invocation) => {
  const id = await organizationId(invocation.config, invocation.options["org"]?.toString() ?? FIRST_ORGANIZATION);
  printList(invocation, await withRecords(invocation.config, (records) => listMembers(records, id)), {
    headings: ["user id", "email", "name", "role", "source"],
    cells: ({ user_id, email, name, role, source }) => [user_id, email, name, role, source],
    cuts: ["email", "name"],
    none: "there are no members",
  });
  return 0;
};

export const listOrganizationsCommand: Run = async (invocation) => {
  printList(invocation, await withRecords(invocation.config, listOrganizations), {
    headings: ["id", "name"],
    cells: ({ id, name }) => [id, name],
    cuts: ["name"],
    none: "there are no organizations",
  });
  return 0;
};

/** `disable`, `enable` or `remove`; takes effect in a running service within a second. */
export const changeUserCommand =
  (done: "disable" | "enable" | "remove"): Run =>
  async ({ args, terminal, config }) => {
    const { email } = readAll({ email: () => readEmail(args[0]!) });
    const stopped = await withRecords(config, async (records) => {
      const user = await knownUser(records, email);
      const by = atCommandLine();
      if (done === "remove") await removeUser(records, user.id, by);
      else await changeUser(records, user.id, { disabled: done === "disable" }, by);
      return done === "enable" ? "" : stoppedKeys(records, { userId: user.id });
    });
    terminal.err(`user ${email} is ${done === "enable" ? "enabled" : `${done}d`}\n${stopped}`);
    return 0;
  };

/** Adds a user to an organization, or changes their role in it. */
export const setMemberCommand: Run = async ({ args, options, terminal, config }) => {
  const { email, role } = readAll({
    email: () => readEmail(args[0]!),
    role: () => {
      if (options["role"] !== undefined) return readRole(options["role"].toString());
      throw new UsageError(`members set needs --role; give one of ${MEMBER_ROLES.join(", ")}`);
    },
  });
  const organization = options["org"]?.toString() ?? FIRST_ORGANIZATION;
  const id = await organizationId(config, organization);
  await withRecords(config, async (records) => {
    const user = await knownUser(records, email);
    await putMember(records, user, { organizationId: id, role, source: "weir" }, atCommandLine());
  });
  terminal.err(`${email} is ${role} in "${organization}"\n`);
  return 0;
};

export const removeMemberCommand: Run = async ({ args, options, terminal, config }) => {
  const { email } = readAll({ email: () => readEmail(args[0]!) });
  const organization = options["org"]?.toString() ?? FIRST_ORGANIZATION;
  const id = await organizationId(config, organization);
  const stopped = await withRecords(config, async (records) => {
    const user = await knownUser(records, email);
    if (!(await removeMember(records, id, user.id, atCommandLine())))
      throw new CommandError(`${email} is not a member of "${organization}"`);
    // An operator is in every organization.
    return user.operator === 1 ? "" : stoppedKeys(records, { userId: user.id, organizationId: id });
  });
  terminal.err(`${email} is not a member of "${organization}" any more\n${stopped}`);
  return 0;
};

/** Names the keys that stop with their user, and the command that keeps one working. */
async function stoppedKeys(records: Database, which: WhichKeys): Promise<string> {
  const stopped = (await listKeys(records, which)).filter(({ revoked_at }) => revoked_at === null);
  if (stopped.length === 0) return "";
  const named = stopped.map(({ name, id }) => `"${name}" (${id})`).join(", ");
  return `their keys stop: ${named}; \`weir keys transfer <id> --no-owner\` keeps one working\n`;
}

/** @throws CommandError if there is no user with this address. */
export async function knownUser(records: Database, email: string): Promise<User> {
  const user = await findUser(records, "email", email);
  if (user === undefined) throw new CommandError(`there is no user ${email}; \`weir users list\` shows them`);
  return user;
}

/** Prints only the id on stdout. */
export const createOrganizationCommand: Run = async ({ args, terminal, config }) => {
  const made = await withRecords(config, (records) =>
    createOrganization(records, nameOf(args[0]!), atCommandLine()).catch(asCommandError),
  );
  terminal.out(`${made.id}\n`);
  return 0;
};

export const setOrganizationCommand: Run = async ({ args, options, terminal, config }) => {
  const name = options["name"]?.toString();
  const days = options["max-key-days"]?.toString();
  if (name === undefined && days === undefined) throw new UsageError("say what to set; see --help");
  if (days !== undefined && days !== "default" && !/^\d{1,5}$/.test(days))
    throw new UsageError("--max-key-days: give a whole number of days, 0 for no limit, or default");
  const change = {
    ...(name !== undefined && { name: nameOf(name) }),
    ...(days !== undefined && { max_key_days: days === "default" ? null : Number(days) }),
  };
  const id = await organizationId(config, args[0]!);
  await withRecords(config, (records) =>
    changeOrganization(records, id, change, atCommandLine()).catch(asCommandError),
  );
  terminal.err(`organization "${change.name ?? args[0]}" is changed\n`);
  return 0;
};

function nameOf(text: string): string {
  const name = text.trim();
  if (name === "" || name.length > 200) throw new UsageError("a name has 1 to 200 characters");
  return name;
}

function asCommandError(error: unknown): never {
  throw error instanceof GatewayError ? new CommandError(error.message) : error;
}
