/** Why the bodies of a record could not be parsed; they are stored as received. */
export const UNREAD = [
  "alter table requests add column unread text",
  "create index requests_unread on requests (organization_id, seq) where unread is not null",
];
