import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { killImport } from '../../support/interrupted-import.ts';
import { startHosta, token } from './world.ts';

/** Where the server is killed, one after the other: somewhere in each stage. */
const deaths = [
  'import.stage.repository',
  'import.stage.wiki',
  // Of the labels, and so on: where nothing is said, the end of the stage is near.
  'import.written:2',
  'import.stage.milestones',
  'import.stage.releases',
  // A page of requests.
  'import.advanced:1',
  'import.stage.collaborators',
  // Issues.
  'import.written:3',
  'import.stage.diff_notes',
  // Timelines.
  'import.written:5',
  'import.stage.attachments',
  'import.stage.protected_branches',
  'import.stage.lfs_objects',
];
/** What the engines do not share is the database: a few deaths tell whether it keeps what it acknowledged. */
const onBoth = new Set(['import.stage.repository', 'import.written:3', 'import.written:5']);

forEachEngine((engine) => {
  it('an import whose server is killed in every stage ends like one that nothing happened to', async () => {
    const world = await startHosta({ plainIssues: 5, plainPulls: 3 });
    await killImport({
      engine,
      flags: ['--hosta-url', world.url],
      deaths: deaths.filter((name) => engine === 'sqlite' || onBoth.has(name)),
      wanted: (new_name) => ({
        path: '/import/hosta',
        json: {
          personal_access_token: token,
          repo_id: 77,
          target_namespace: 'team',
          new_name,
          pagination_limit: 2,
          optional_stages: { collaborators_import: true, attachments_import: true },
        },
      }),
      filled: ['issues', 'merge_requests', 'notes', 'labels', 'releases', 'milestones', 'uploads'],
    });
  });
});
