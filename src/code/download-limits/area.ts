import type { Area } from '../../access/area.ts';
import { deleteExpiredDownloads } from './service.ts';

/** Limits how many projects a user may download, and bans users who exceed the limit. */
export const downloadLimits: Area = {
  name: 'download limits',
  jobs: (services) => {
    services.queue.recurring('downloads.forget', { everyMs: 86_400_000 }, () => deleteExpiredDownloads(services));
  },
};
