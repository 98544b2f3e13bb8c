import { importLabel, importLfsObjects, importRepository, importWiki } from '../../content/public.ts';
import type { ImportRun, ImportSource } from '../../project-imports/public.ts';
import type { HostbOptions } from '../api.ts';
import { importIssues } from './issues.ts';
import { importIssueNotes, importPullNotes } from './notes.ts';
import { importPulls } from './pulls.ts';

export const hostbSource: ImportSource = {
  type: 'bitbucket',
  stages: [
    { name: 'repository', run: importCloudRepository },
    { name: 'wiki', run: importCloudWiki },
    { name: 'labels', run: importKinds },
    { name: 'pull_requests', run: importPulls },
    { name: 'pull_request_notes', run: importPullNotes },
    { name: 'issues', run: importIssues },
    { name: 'issue_notes', run: importIssueNotes },
    { name: 'lfs_objects', run: importLargeFiles },
  ],
};

const secretsOf = ({ gitUsername, password }: HostbOptions) => ({ username: gitUsername, password });

async function importCloudRepository(run: ImportRun): Promise<void> {
  const options = run.options<HostbOptions>();
  const { cloneUrl: url, defaultBranch } = options;
  await importRepository(run, { url, secrets: secretsOf(options), defaultBranch });
}

async function importCloudWiki(run: ImportRun): Promise<void> {
  const options = run.options<HostbOptions>();
  if (options.hasWiki) await importWiki(run, options.cloneUrl.replace(/(?:\.git)?$/, '.git/wiki'), secretsOf(options));
}

async function importLargeFiles(run: ImportRun): Promise<void> {
  const options = run.options<HostbOptions>();
  await importLfsObjects(run, options.cloneUrl, secretsOf(options));
}

const kinds = { bug: '#ff0000', enhancement: '#428bca', proposal: '#69d100', task: '#7f8c8d' };

/** Issue kinds become labels. */
async function importKinds(run: ImportRun): Promise<void> {
  if (!run.options<HostbOptions>().hasIssues) return;
  for (const [name, color] of Object.entries(kinds)) await importLabel(run, name, color);
}
