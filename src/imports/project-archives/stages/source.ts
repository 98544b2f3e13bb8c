import type { ImportSource, ImportStage } from '../../project-imports/public.ts';
import { fetchArchive } from '../archive.ts';
import { importBoards, importIssueLinks } from './boards.ts';
import {
  importApprovalRules,
  importBadges,
  importProtectedEnvironments,
  importPushRule,
  importSchedules,
} from './configuration.ts';
import { importSnippets } from './extras.ts';
import { importCommitNotes } from './notes.ts';
import { replaceProject } from './overwrite.ts';
import { importPipelines } from './pipelines.ts';
import { importAttributes, importProtectedRefs, importReleases } from './places.ts';
import { importIssues, importLabels, importMilestones } from './planning.ts';
import { importBundle, importLargeFiles, importUploads, importWiki } from './repository.ts';
import { importRequests } from './requests.ts';

/** Stages shared by archives and relations fetched from a server. */
export const archiveStages: readonly ImportStage[] = [
  { name: 'repository', run: importBundle },
  { name: 'lfs_objects', run: importLargeFiles },
  { name: 'uploads', run: importUploads },
  { name: 'wiki', run: importWiki },
  { name: 'labels', run: importLabels },
  { name: 'milestones', run: importMilestones },
  { name: 'issues', run: importIssues },
  { name: 'issue_links', run: importIssueLinks },
  { name: 'boards', run: importBoards },
  { name: 'merge_requests', run: importRequests },
  { name: 'releases', run: importReleases },
  { name: 'snippets', run: importSnippets },
  { name: 'commit_notes', run: importCommitNotes },
  { name: 'pipelines', run: importPipelines },
  { name: 'schedules', run: importSchedules },
  { name: 'protected_refs', run: importProtectedRefs },
  { name: 'protected_environments', run: importProtectedEnvironments },
  { name: 'approval_rules', run: importApprovalRules },
  { name: 'push_rule', run: importPushRule },
  { name: 'badges', run: importBadges },
  { name: 'project', run: importAttributes },
];

/** Imports projects from archives of this software or GitLab. */
export const archiveSource: ImportSource = {
  type: 'gitlab_project',
  stages: [{ name: 'file', run: fetchArchive }, ...archiveStages, { name: 'overwrite', run: replaceProject }],
};
