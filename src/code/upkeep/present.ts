import { createHash } from 'node:crypto';
import type { Project } from '../../access/tables.ts';
import { instant } from '../../platform/http/schema.ts';
import type { RepositoryStorageEntity } from './schema.ts';

/** The storage location of a repository, for administrators. */
export function presentStorage(project: Project): RepositoryStorageEntity {
  const hash = createHash('sha256').update(String(project.id)).digest('hex');
  return {
    disk_path: `@hashed/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`,
    project_id: project.id,
    repository_storage: project.repository_storage,
    created_at: instant(project.created_at),
  };
}
