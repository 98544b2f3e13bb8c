import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { importRoughly, large } from '../../support/flaky-import-host.ts';
import { secret, startHostb } from './world.ts';

const size = large
  ? { plainIssues: 2000, plainPulls: 500, perPage: 50 }
  : { plainIssues: 24, plainPulls: 12, perPage: 5 };

forEachEngine((engine) => {
  it('an import from an unreliable host ends like one from a reliable host', async () => {
    const world = await startHostb(size);
    const access = { hostb_email: 'pat@example.com', hostb_api_token: secret };
    await importRoughly({
      engine,
      world,
      flags: ['--hostb-url', world.url],
      within: '/repositories/ws/slug/',
      apart: large ? 100 : 5,
      wanted: (new_name) => ({
        path: '/import/bitbucket',
        json: { ...access, repo_path: 'ws/slug', target_namespace: 'team', new_name },
      }),
      expected: { issues: size.plainIssues + 3, merge_requests: size.plainPulls + 3 },
    });
  });
});
