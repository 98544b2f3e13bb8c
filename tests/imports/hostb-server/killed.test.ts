import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { killImport } from '../../support/interrupted-import.ts';
import { sentFor, startHostbServer } from './world.ts';

const large = process.env.HEARTH_SOAK === '1';
const size = large ? { plainPulls: 500, perPage: 100 } : { plainPulls: 4 };
/** At least one point in each stage: after the repository, within pull requests and comments, and near the end. */
const deaths = large
  ? ['import.stage.repository', 'import.written:250', 'import.advanced:300', 'import.written:300']
  : ['import.stage.repository', 'import.written:3', 'import.advanced:3'];
const last = 'import.stage.lfs_objects';

forEachEngine((engine) => {
  it('an import with a server killed in every stage ends like an undisturbed one', async () => {
    const world = await startHostbServer(size);
    await killImport({
      engine,
      flags: [],
      deaths: engine === 'sqlite' || large ? [...deaths, last] : deaths.slice(1, 2),
      wanted: (new_name) => ({
        path: '/import/hostb_server',
        json: sentFor(world, { new_name, target_namespace: 'team' }),
      }),
      filled: ['merge_requests', 'notes', 'merge_request_approvals', 'merge_request_reviewers'],
    });
  });
});
