import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { PipelineRow } from '../pipelines/public.ts';

/** The part of a pipeline that identifies its merge request, if any. */
export type RequestRun = Pick<PipelineRow, 'merge_request_id' | 'ref' | 'source_sha' | 'target_sha'>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Adds variables of the merge request a pipeline runs for. They are available to rules and to jobs. */
    'variables.of-merge-request': (
      services: Services,
      db: Reader,
      run: RequestRun,
    ) => Promise<Readonly<Record<string, string>>>;
  }
}

/** Returns the variables of the merge request a pipeline runs for, or none for other pipelines. */
export async function mergeRequestVariables(
  services: Services,
  db: Reader,
  run: RequestRun,
): Promise<Readonly<Record<string, string>>> {
  if (run.merge_request_id === null) return {};
  const contributions = services
    .contributions('variables.of-merge-request')
    .map((contribute) => contribute(services, db, run));
  return Object.assign({}, ...(await Promise.all(contributions))) as Record<string, string>;
}
