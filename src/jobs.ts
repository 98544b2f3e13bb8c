import { archiveJobs } from './areas/archives/service.ts';
import { backgroundJobs } from './areas/background/service.ts';
import { branchJobs } from './areas/branches/service.ts';
import { groupJobs } from './areas/groups/service.ts';
import { healthJobs } from './areas/health/service.ts';
import { lfsJobs } from './areas/lfs/service.ts';
import { memberJobs } from './areas/members/service.ts';
import { projectJobs } from './areas/projects/jobs.ts';
import { pushJobs } from './areas/pushes/service.ts';
import { releaseJobs } from './areas/releases/service.ts';
import { signatureJobs } from './areas/signatures/service.ts';
import { userJobs } from './areas/users/jobs.ts';
import type { Services } from './platform/services.ts';

/** Each area's background work: what its jobs do, and what comes round. */
const areas: readonly ((services: Services) => void)[] = [
  archiveJobs,
  backgroundJobs,
  branchJobs,
  releaseJobs,
  groupJobs,
  healthJobs,
  memberJobs,
  projectJobs,
  lfsJobs,
  pushJobs,
  signatureJobs,
  userJobs,
];

/** Tells the queue how every kind of job is run; before it starts. */
export function defineJobs(services: Services): void {
  for (const area of areas) area(services);
}
