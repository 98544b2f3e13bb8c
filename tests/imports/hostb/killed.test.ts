import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { killImport } from '../../support/interrupted-import.ts';
import { secret, startHostb } from './world.ts';

/** Points in each stage. `npm run soak:imports` uses all of them, the tests only the most relevant. */
const deaths: readonly [point: string, always: boolean][] = [
  ['import.stage.repository', false],
  ['import.stage.wiki', false],
  // While importing labels and so on. Points without a count are near the end of a stage.
  ['import.written:2', true],
  ['import.advanced:1', true],
  ['import.stage.pull_requests', false],
  ['import.written:3', true],
  ['import.stage.pull_request_notes', false],
  ['import.written:4', true],
  ['import.stage.issues', false],
  ['import.stage.issue_notes', false],
  ['import.stage.lfs_objects', false],
];
const large = process.env.HEARTH_SOAK === '1';

forEachEngine((engine) => {
  it('an import with a killed server ends like an undisturbed one', async () => {
    const world = await startHostb({ plainIssues: 5, plainPulls: 4, perPage: 2 });
    const points = deaths.filter(([, always]) => always || large).map(([point]) => point);
    await killImport({
      engine,
      flags: ['--hostb-url', world.url],
      deaths: engine === 'sqlite' || large ? points : points.slice(0, 1),
      wanted: (new_name) => ({
        path: '/import/hostb',
        json: {
          repo_path: 'ws/slug',
          target_namespace: 'team',
          new_name,
          hostb_email: 'pat@example.com',
          hostb_api_token: secret,
        },
      }),
      filled: ['issues', 'merge_requests', 'notes', 'labels', 'milestones'],
    });
  });
});
