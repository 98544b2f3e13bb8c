import { importLfsObjects } from '../../content/public.ts';
import type { ImportRun, ImportSource } from '../../project-imports/public.ts';
import { importAttachments } from '../attachments/stage.ts';
import { importLabels, importMilestones, importReleases, importSourceRepository, importSourceWiki } from './base.ts';
import { importCollaborators } from './collaborators.ts';
import { contextOf } from './context.ts';
import { importDiffNotes } from './diff-notes.ts';
import { importIssues } from './issues.ts';
import { importProtectedBranches } from './protected-branches.ts';
import { importPulls } from './pulls.ts';
import { importTimelines } from './timeline.ts';

async function importLargeFiles(run: ImportRun): Promise<void> {
  const { options } = contextOf(run);
  await importLfsObjects(run, options.cloneUrl, { username: options.token, password: '' });
}

/** Stages of a GitHub import, ordered by dependency. */
export const hostaSource: ImportSource = {
  type: 'github',
  stages: [
    { name: 'repository', run: importSourceRepository },
    { name: 'wiki', run: importSourceWiki },
    { name: 'labels', run: importLabels },
    { name: 'milestones', run: importMilestones },
    { name: 'releases', run: importReleases },
    { name: 'pull_requests', run: importPulls },
    { name: 'collaborators', run: importCollaborators },
    { name: 'issues', run: importIssues },
    { name: 'diff_notes', run: importDiffNotes },
    { name: 'timeline', run: importTimelines },
    { name: 'attachments', run: importAttachments },
    { name: 'protected_branches', run: importProtectedBranches },
    { name: 'lfs_objects', run: importLargeFiles },
  ],
};
