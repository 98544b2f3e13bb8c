import type { TestServer } from '../../support/server.ts';

/** Adds imported data with hostile texts from other hosts. Returns the pages that show it. */
export async function addHostileImports(
  server: TestServer,
  { projectId, groupId, use }: { projectId: number; groupId: number; use: (name: string) => string },
): Promise<string[]> {
  const now = Date.now();
  const times = { created_at: now, updated_at: now };
  return server.db.write(async (trx) => {
    await trx
      .updateTable('projects')
      .set({ import_status: 'failed', import_type: 'github', import_error: use('import-error') })
      .where('id', '=', projectId)
      .execute();
    await trx
      .insertInto('project_imports')
      .values({
        project_id: projectId,
        import_type: 'github',
        import_source: 'o/r',
        user_id: 1,
        encrypted_data: null,
        stats: JSON.stringify({ fetched: { [use('import-kind')]: 2 }, imported: {} }),
        correlation_id: 'x',
        created_at: now,
        progress_at: now,
      })
      .execute();
    await trx
      .insertInto('import_failures')
      .values({
        project_id: projectId,
        relation_name: use('import-relation'),
        source: use('import-source'),
        exception_class: 'Error',
        exception_message: use('import-message'),
        created_at: now,
      })
      .execute();
    await trx
      .insertInto('import_source_users')
      .values({
        namespace_id: groupId,
        import_type: 'github',
        source_hostname: use('source-host'),
        source_user_id: '1',
        source_username: use('source-username'),
        source_name: use('source-name'),
        user_id: 1,
        created_at: now,
        status: 'awaiting_approval',
        reassign_to_id: 1,
      })
      .execute();
    const { id } = await trx
      .insertInto('bulk_imports')
      .values({ user_id: 1, status: 'finished', source_url: use('transfer-source'), encrypted_data: null, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    const entity = await trx
      .insertInto('bulk_import_entities')
      .values({
        bulk_import_id: id,
        user_id: 1,
        parent_id: null,
        entity_type: 'group',
        source_full_path: use('transfer-path'),
        destination_namespace: '',
        destination_slug: use('transfer-slug'),
        migrate_projects: 1,
        migrate_memberships: 1,
        status: 'failed',
        has_failures: 1,
        stats: JSON.stringify({ [use('transfer-relation')]: { source: 1, fetched: 1, imported: 0 } }),
        ...times,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await trx
      .insertInto('bulk_import_failures')
      .values({
        entity_id: entity.id,
        relation: use('failed-relation'),
        source_title: use('failed-title'),
        exception_class: 'Error',
        exception_message: use('failed-message'),
        created_at: now,
      })
      .execute();
    return [
      ...['git', 'gitlab_project', 'gitlab_group', 'github', 'bitbucket', 'bitbucket_server', 'bulk_imports'].map(
        (way) => `/import/${way}/new`,
      ),
      ...['github', 'bitbucket', 'bitbucket_server'].map((host) => `/import/${host}/status`),
      `/import/status?id=${projectId}`,
      '/import/bulk_imports',
      `/import/bulk_imports/${id}`,
      '/-/user_settings/reassignments',
    ];
  });
}
