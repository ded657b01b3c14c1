/** Alerts over a day, a week or a month of the calendar of a time zone, in place of a sliding window. */
export const ALERT_CALENDARS = [
  "alter table alerts add column calendar text",
  "alter table alerts add column time_zone text",
];
