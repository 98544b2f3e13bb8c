import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { killImport } from '../../support/interrupted-import.ts';
import { startHosta, token } from './world.ts';

/** Points where the server is killed, one after the other: at least one in each stage. */
const deaths = [
  'import.stage.repository',
  'import.stage.wiki',
  // While importing labels and so on. Points without a count are near the end of a stage.
  'import.written:2',
  'import.stage.milestones',
  'import.stage.releases',
  // A page of pull requests.
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
/** The engines differ only in the database: a few points show whether it keeps acknowledged writes. */
const onBoth = new Set(['import.stage.repository', 'import.written:3', 'import.written:5']);

forEachEngine((engine) => {
  it('an import with a server killed in every stage ends like an undisturbed one', async () => {
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
