import type { Area } from '../../access/area.ts';
import { findMilestones, renderNotes, showMilestones } from './service.ts';
import { mergeMilestonesOfReleases, replaceMilestonesOfRelease } from './store.ts';

/** What releases, which are about code, have to do with planning: their milestones, and the Markdown of their notes. */
export const releaseMilestones: Area = {
  name: 'release-milestones',
  contributes: {
    'releases.milestones': { find: findMilestones, replace: replaceMilestonesOfRelease, show: showMilestones },
    'releases.html': renderNotes,
  },
  on: {
    'milestone.merged': (_services, trx, { milestoneIds, into }) =>
      mergeMilestonesOfReleases(trx, milestoneIds, into.id),
  },
};
