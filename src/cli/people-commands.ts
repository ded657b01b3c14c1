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
    name: "users disable",
    summary: "log a user out and keep them, and their keys, out",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).changeUserCommand("disable"),
  },
  {
    name: "users enable",
    summary: "let a disabled user in again",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).changeUserCommand("enable"),
  },
  {
    name: "users remove",
    summary: "remove a user with their memberships; their keys stop",
    args: ["<email>"],
    load: async () => (await import("./users.ts")).changeUserCommand("remove"),
  },
  {
    name: "members set",
    summary: "make a user a member, or change their role",
    args: ["<email>"],
    options: {
      role: { type: "string", value: "ROLE", description: "viewer, analyst, developer or admin" },
      org: { type: "string", value: "ORG", description: "organization (default: default)" },
    },
    load: async () => (await import("./users.ts")).setMemberCommand,
  },
  {
    name: "members remove",
    summary: "remove a member; their keys of the organization stop",
    args: ["<email>"],
    options: { org: { type: "string", value: "ORG", description: "organization (default: default)" } },
    load: async () => (await import("./users.ts")).removeMemberCommand,
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
    name: "organizations create",
    summary: "make an organization and print its id on stdout",
    args: ["<name>"],
    load: async () => (await import("./users.ts")).createOrganizationCommand,
  },
  {
    name: "organizations set",
    summary: "rename an organization, or bound how long its new keys work",
    args: ["<name>"],
    options: {
      name: { type: "string", value: "NAME", description: "the new name" },
      "max-key-days": {
        type: "string",
        value: "DAYS",
        description: "days that a new key works at most; 0 for no limit, default for what the configuration says",
      },
    },
    load: async () => (await import("./users.ts")).setOrganizationCommand,
  },
  {
    name: "organizations delete",
    summary: "delete an organization with all its records, keys and settings, through the running service",
    args: ["<name>"],
    options: {
      confirm: { type: "string", value: "NAME", description: "the name once more" },
      export: {
        type: "boolean",
        description: "writes each record to exports/<id>.jsonl in the service's data directory first",
      },
      "api-url": {
        type: "string",
        value: "URL",
        description: "the API's address (default: WEIR_API_URL, or this machine's)",
      },
    },
    notes: [
      "WEIR_API_KEY is a key of the first organization with the scope admin. Stopped, it goes on when it is run again.",
    ],
    load: async () => (await import("./delete-organization.ts")).deleteOrganizationCommand,
  },
  {
    name: "organizations list",
    summary: "list the organizations",
    options: { json: JSON_OPTION },
    load: async () => (await import("./users.ts")).listOrganizationsCommand,
  },
];
