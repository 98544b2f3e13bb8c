import { it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { killImport } from '../../support/interrupted-import.ts';
import { startTestServer } from '../../support/server.ts';
import { fillProject, wanted } from './world.ts';

forEachEngine((engine) => {
  it('a project migration with a killed server ends like an undisturbed one', async () => {
    const source = await startTestServer(engine);
    await source.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
    await killImport({
      engine,
      flags: [],
      deaths: ['transfer.made'],
      prepare: async (server) => {
        await server.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
        const { id } = await source.must('POST /groups', { json: { name: 'Team', path: 'team' } });
        await fillProject(source, 'What we make', id);
      },
      wanted: (slug) => {
        const place = { destination_namespace: 'team', destination_slug: slug };
        const entity = { source_type: 'project_entity', source_full_path: 'team/what-we-make', ...place };
        return { path: '/bulk_imports', ...wanted(source.url, [entity]) };
      },
      filled: ['issues', 'merge_requests', 'notes', 'boards', 'snippets', 'issue_links', 'pipelines', 'uploads'],
    });
  });
});
