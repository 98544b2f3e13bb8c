export { type Cron, parseCron } from './cron/cron.ts';
export { previousRun } from './cron/previous-run.ts';
export { timeZoneOf } from './cron/time-zone.ts';
export { addImportedSchedule } from './imported.ts';
