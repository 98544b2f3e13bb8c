import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { importRoughly, large } from '../../support/flaky-import-host.ts';
import { sentFor, startHostbServer } from './world.ts';

const size = large ? { plainPulls: 500, perPage: 100 } : { plainPulls: 40, perPage: 5 };

forEachEngine((engine) => {
  it('an import from an unreliable host ends like one from a reliable host', async () => {
    const world = await startHostbServer(size);
    await importRoughly({
      engine,
      world,
      flags: [],
      within: '/ctx/rest/api/1.0/projects/~KEY/repos/repo/',
      apart: large ? 40 : 5,
      wanted: (new_name) => ({
        path: '/import/hostb_server',
        json: sentFor(world, { new_name, target_namespace: 'team' }),
      }),
      expected: { merge_requests: size.plainPulls + 3 },
    });
  });
});
