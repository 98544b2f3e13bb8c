import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { basicUsers } from '../../people/users/public.ts';
import { instant, instantOrNull } from '../../platform/http/schema.ts';
import { mayReadPipelines, pipelinesById, presentBasic } from '../pipelines/public.ts';
import { tagsOfPackages } from './npm/store.ts';
import type { PackageEntity, PackageFileEntity, PackagePipelineEntity } from './schema.ts';
import { buildsOf, buildsOfFiles } from './store.ts';
import type { PackageFileRow, PackageRow } from './tables.ts';

interface PipelineRef {
  readonly id: number;
  readonly subject: ProjectSubject;
}

/** Pipelines by ID, for projects whose pipelines the caller can read. */
async function pipelinesOf(
  services: Services,
  refs: readonly PipelineRef[],
): Promise<Map<number, PackagePipelineEntity>> {
  const readable = new Map(refs.flatMap(({ id, subject }) => (mayReadPipelines(subject) ? [[id, subject]] : [])));
  if (readable.size === 0) return new Map();
  const { db, externalUrl } = services;
  const pipelines = await pipelinesById(db.read, [...readable.keys()]);
  const users = await basicUsers(
    db.read,
    pipelines.map(({ user_id }) => user_id),
    externalUrl,
  );
  return new Map(
    pipelines.flatMap((pipeline) => {
      const subject = readable.get(pipeline.id);
      const user = (pipeline.user_id !== null && users.get(pipeline.user_id)) || null;
      return subject ? [[pipeline.id, { ...presentBasic(pipeline, projectUrl(services, subject)), user }]] : [];
    }),
  );
}

/** Pipelines of one project by ID, if the caller can read them. */
export function presentPipelines(
  services: Services,
  subject: ProjectSubject,
  ids: readonly number[],
): Promise<Map<number, PackagePipelineEntity>> {
  return pipelinesOf(
    services,
    ids.map((id) => ({ id, subject })),
  );
}

/** Presents packages of one or more projects. Packages whose project is not in the map are left out. */
export async function presentPackages(
  services: Services,
  of: ProjectSubject | ReadonlyMap<number, ProjectSubject>,
  rows: readonly PackageRow[],
): Promise<PackageEntity[]> {
  const found = rows.flatMap((row) => {
    const subject = of instanceof Map ? of.get(row.project_id) : (of as ProjectSubject);
    return subject ? [{ row, subject }] : [];
  });
  const ids = found.map(({ row }) => row.id);
  const [builds, creators, tags] = await Promise.all([
    buildsOf(services.db.read, ids),
    basicUsers(
      services.db.read,
      found.map(({ row }) => row.creator_id),
      services.externalUrl,
    ),
    tagsOfPackages(
      services.db.read,
      found.flatMap(({ row }) => (row.package_type === 'npm' ? [row.id] : [])),
    ),
  ]);
  const tagsOf = Map.groupBy(tags, ({ package_id }) => package_id);
  const numbers = new Map(builds.map(({ package_id, pipeline_id }) => [package_id, Number(pipeline_id)]));
  const refs = found.flatMap(({ row, subject }) => {
    const id = numbers.get(row.id);
    return id === undefined ? [] : [{ id, subject }];
  });
  const pipelines = await pipelinesOf(services, refs);
  return found.map(({ row, subject }) => {
    const pipeline = pipelines.get(numbers.get(row.id) ?? 0);
    const own = (tagsOf.get(row.id) ?? []).map((tag) => ({
      ...tag,
      created_at: instant(tag.created_at),
      updated_at: instant(tag.updated_at),
    }));
    return {
      ...presentPackage(services, subject, row),
      creator: (row.creator_id !== null && creators.get(row.creator_id)) || null,
      tags: own,
      ...(pipeline && { pipeline, pipelines: [pipeline] }),
    };
  });
}

/** Fields shown in package details. */
function presentPackage({ externalUrl }: Services, subject: ProjectSubject, row: PackageRow): PackageEntity {
  const address = `${externalUrl}/api/v4/projects/${row.project_id}/packages/${row.id}`;
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    package_type: row.package_type,
    status: row.status,
    ...(row.status === 'error' && { status_message: row.status_message }),
    _links: {
      web_path: `/${subject.fullPath}/-/packages/${row.id}`,
      ...(subject.can('destroy_package') ? { delete_api_path: address } : {}),
    },
    created_at: instant(row.created_at),
    creator: null,
    last_downloaded_at: instantOrNull(row.last_downloaded_at),
    tags: [],
    pipelines: [],
  };
}

export const fileFields = (row: PackageFileRow) => ({
  id: row.id,
  package_id: row.package_id,
  created_at: instant(row.created_at),
  file_name: row.file_name,
  size: Number(row.size),
  file_md5: row.md5,
  file_sha1: row.sha1,
  file_sha256: row.sha256,
});

/** Presents the files of one package. */
export async function presentFiles(
  services: Services,
  subject: ProjectSubject,
  rows: readonly PackageFileRow[],
): Promise<PackageFileEntity[]> {
  const builds = await buildsOfFiles(
    services.db.read,
    rows.map(({ id }) => id),
  );
  const pipelines = await presentPipelines(
    services,
    subject,
    builds.map(({ pipeline_id }) => pipeline_id),
  );
  return rows.map((row) => {
    const own = builds.filter(({ file_id }) => file_id === row.id);
    return { ...fileFields(row), pipelines: own.flatMap(({ pipeline_id }) => pipelines.get(pipeline_id) ?? []) };
  });
}
