import type { Readable } from 'node:stream';
import type { Services } from '../../access/services.ts';
import type { Range } from '../../platform/http/responses/byte-range.ts';
import type { CiJobRow } from './tables.ts';

/** The log of a job as far as it has come, or a part of it; undefined where there is none. */
export type OpenTrace = (
  services: Services,
  job: CiJobRow,
  part?: Range,
) => Promise<{ readonly size: number; readonly stream: Readable } | undefined>;

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** The log and the artifacts of a job are to be removed. */
    'job.erased': { readonly job: CiJobRow };
  }
  interface Contributions {
    /** Whoever takes in the logs opens them. */
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
