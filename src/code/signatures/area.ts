import type { Area } from '../../access/area.ts';
import { signatureJobs } from './jobs.ts';
import { scheduleJudgement } from './pushed.ts';

export const signatures: Area = {
  name: 'signatures',
  jobs: signatureJobs,
  on: { 'repository.pushed': scheduleJudgement },
};
