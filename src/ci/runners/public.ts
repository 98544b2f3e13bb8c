export { presentManagers, presentRunners } from './present.ts';
export { heardOf, runnerOf } from './protocol.ts';
export { Runner, type RunnerEntity, RunnerManager, type RunnerManagerEntity } from './schema.ts';
export type { RunnerManagerRow, RunnerRow } from './tables.ts';
