import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { PipelineRow } from '../pipelines/public.ts';

/** What a pipeline runs on, if that is a merge request. */
export type RequestRun = Pick<PipelineRow, 'merge_request_id' | 'ref' | 'source_sha' | 'target_sha'>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** What is known of the merge request that a pipeline runs for: its rules may ask for it, and its jobs find it. */
    'variables.of-merge-request': (
      services: Services,
      db: Reader,
      run: RequestRun,
    ) => Promise<Readonly<Record<string, string>>>;
  }
}

/** The variables of the merge request that a pipeline runs for; none where it runs for none. */
export async function mergeRequestVariables(
  services: Services,
  db: Reader,
  run: RequestRun,
): Promise<Readonly<Record<string, string>>> {
  if (run.merge_request_id === null) return {};
  const asked = services.contributions('variables.of-merge-request').map((ask) => ask(services, db, run));
  return Object.assign({}, ...(await Promise.all(asked))) as Record<string, string>;
}
