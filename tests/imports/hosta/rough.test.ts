import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { importRoughly, large } from '../../support/flaky-import-host.ts';
import { startHosta, token } from './world.ts';

const size = large ? { plainIssues: 2000, plainPulls: 500 } : { plainIssues: 24, plainPulls: 8 };

forEachEngine((engine) => {
  it('an import from an unreliable host ends like one from a reliable host', async () => {
    const world = await startHosta(size);
    const common = { personal_access_token: token, repo_id: 77, target_namespace: 'team' };
    await importRoughly({
      engine,
      world,
      flags: ['--hosta-url', world.url],
      within: '/repos/o/r/',
      apart: large ? 100 : 5,
      wanted: (new_name) => ({
        path: '/import/hosta',
        json: { ...common, new_name, pagination_limit: large ? 100 : 5 },
      }),
      expected: { issues: size.plainIssues + 2, merge_requests: size.plainPulls + 3 },
    });
  });
});
