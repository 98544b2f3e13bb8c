export { readableRunner } from './access.ts';
export { jobsAvailableSignal } from './domain-events.ts';
export { presentManagers, presentRunners } from './present.ts';
export { recordContact, recordJobContact, runnerByToken } from './protocol.ts';
export {
  contactOfRunner,
  Runner,
  type RunnerContact,
  type RunnerEntity,
  RunnerManager,
  type RunnerManagerEntity,
} from './schema.ts';
export { createRunner } from './service.ts';
export type { RunnerManagerRow, RunnerRow } from './tables.ts';
