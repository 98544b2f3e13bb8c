import type { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';
import type { Range } from '../../platform/http/responses/byte-range.ts';
import type { CiJobRow } from './tables.ts';

/** Opens the log of a job or a range of it; undefined when there is none. The log may still be growing. */
export type OpenTrace = (
  services: Services,
  job: CiJobRow,
  part?: Range,
) => Promise<{ readonly size: number; readonly stream: Readable } | undefined>;

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A job is being erased: its log and artifacts must be deleted. */
    'job.erased': { readonly job: CiJobRow };
  }
  interface Contributions {
    /** Opens job logs. */
    'jobs.trace': OpenTrace;
  }
}

/** Opens the log of a job. */
export async function openTrace(services: Services, job: CiJobRow, part?: Range) {
  for (const open of services.contributions('jobs.trace')) {
    const trace = await open(services, job, part);
    if (trace) return trace;
  }
  return undefined;
}
