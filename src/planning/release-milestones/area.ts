import type { Area } from '../../access/area.ts';
import { findMilestones, renderNotes, showMilestones } from './service.ts';
import { mergeMilestonesOfReleases, replaceMilestonesOfRelease } from './store.ts';

/**
 * Connects releases, which belong to the lower code layer, with planning: their milestones and their Markdown notes.
 */
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
