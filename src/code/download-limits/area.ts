import type { Area } from '../../access/area.ts';
import { forgetOld } from './service.ts';

/** How many projects people may download, and who is banned for more. */
export const downloadLimits: Area = {
  name: 'download limits',
  jobs: (services) => {
    services.queue.recurring('downloads.forget', { everyMs: 86_400_000 }, () => forgetOld(services));
  },
};
