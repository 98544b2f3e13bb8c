import { imagePrefix } from '../../../access/registry-address.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import type { RepositoryRow } from '../tables.ts';
import type { RegistryRepositoryEntity, RegistryTagDetailEntity, RegistryTagEntity, Shown } from './schema.ts';
import * as store from './store.ts';

/** Maximum number of tags included per repository in lists. The tag list returns all of them. */
const maxTags = 1000;

interface RepositoryAddress {
  readonly path: string;
  readonly location: string;
}

/** Path of a repository in the web interface and its location for container clients. */
export function addressOf(
  services: Services,
  { fullPath }: ProjectSubject,
  { name }: RepositoryRow,
): RepositoryAddress {
  const inner = name === '' ? '' : `/${name}`;
  return {
    path: `${fullPath.toLowerCase()}${inner}`,
    location: `${imagePrefix(services, fullPath) ?? fullPath.toLowerCase()}${inner}`,
  };
}

export function presentTag({ path, location }: RepositoryAddress, name: string): RegistryTagEntity {
  return { name, path: `${path}:${name}`, location: `${location}:${name}` };
}

type TagRow = NonNullable<Awaited<ReturnType<typeof store.tagDetail>>>;

const hex = (digest: string) => digest.slice(digest.indexOf(':') + 1);

export function presentTagDetail(address: RepositoryAddress, row: TagRow): RegistryTagDetailEntity {
  const revision = row.config_digest === null ? null : hex(row.config_digest);
  return {
    ...presentTag(address, row.name),
    revision,
    short_revision: revision?.slice(0, 9) ?? null,
    digest: row.digest,
    created_at: instant(row.updated_at),
    total_size: Number(row.total_size),
  };
}

/** Presents repositories of one or more projects. Repositories whose project is not in `subjects` are left out. */
export async function presentRepositories(
  services: Services,
  subjects: ReadonlyMap<number, ProjectSubject>,
  rows: readonly RepositoryRow[],
  shown: Shown = { tags: false, tags_count: false },
): Promise<RegistryRepositoryEntity[]> {
  const { read } = services.db;
  const ids = rows.map(({ id }) => id);
  const counts = shown.tags_count ? await store.tagCounts(read, ids) : undefined;
  const tags = shown.tags
    ? Map.groupBy(await store.firstTags(read, ids, maxTags), (row) => row.repository_id)
    : undefined;
  return rows.flatMap((row) => {
    const subject = subjects.get(row.project_id);
    if (!subject) return [];
    const address = addressOf(services, subject, row);
    const apiUrl = `${services.externalUrl}/api/v4/projects/${row.project_id}/registry/repositories/${row.id}`;
    return {
      id: row.id,
      name: row.name,
      ...address,
      project_id: row.project_id,
      created_at: instant(row.created_at),
      cleanup_policy_started_at: instantOrNull(row.cleanup_started_at),
      status: row.status,
      ...(counts && { tags_count: counts.get(row.id) ?? 0 }),
      ...(tags && { tags: (tags.get(row.id) ?? []).map(({ name }) => presentTag(address, name)) }),
      ...(subject.can('admin_container_image') && { delete_api_path: apiUrl }),
    };
  });
}
