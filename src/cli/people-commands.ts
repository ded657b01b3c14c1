import type { Command } from "./command.ts";
import { JSON_OPTION } from "./options.ts";

/** Users, members and organizations. */
export const PEOPLE_COMMANDS: readonly Command[] = [
  {
    name: "users create",
    summary: "make a user and print a password for them, once, on stdout",
    args: ["<email>"],
    options: {
      name: { type: "string", value: "NAME", description: "the person's name (default: the address)" },
      operator: { type: "boolean", description: "may do everything, in every organization" },
    },
    load: async () => (await import("./users.ts")).createUserCommand,
  },
  {
    name: "users invite",
    summary: "invite somebody and print a link that works once, for 72 hours",
    args: ["<email>"],
    options: {
      organization: { type: "string", value: "ORG", description: "organization (default: default)" },
      role: { type: "string", value: "ROLE", description: "viewer, analyst, developer or admin (default: viewer)" },
    },
    load: async () => (await import("./users.ts")).inviteCommand,
  },
  {
    name: "users unlink",
    summary: "forget a user's accounts at identity providers: the next one with their address is linked",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).unlinkUserCommand,
  },
  {
    name: "users list",
    summary: "list the users",
    options: { json: JSON_OPTION },
    load: async () => (await import("./users.ts")).listUsersCommand,
  },
  {
    name: "members list",
    summary: "list the members of an organization",
    options: {
      org: { type: "string", value: "ORG", description: "organization (default: default)" },
      json: JSON_OPTION,
    },
    load: async () => (await import("./users.ts")).listMembersCommand,
  },
  {
    name: "organizations list",
    summary: "list the organizations",
    options: { json: JSON_OPTION },
    load: async () => (await import("./users.ts")).listOrganizationsCommand,
  },
];
