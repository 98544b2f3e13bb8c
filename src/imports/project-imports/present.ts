import type { ProjectSubject } from '../../access/subjects.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import { instant } from '../../platform/http/schema.ts';
import type { FailedRelationEntity, ImportResultEntity, ImportStatusEntity } from './schema.ts';
import type { ImportFailureRow, ProjectImportRow } from './tables.ts';

/** An import as shown to the user who requested it. */
export function presentImport(project: Project, namespace: Namespace, source: string): ImportResultEntity {
  const full_path = `/${namespace.full_path}/${project.path}`;
  const { import_status } = project;
  return {
    id: project.id,
    name: project.name,
    full_path,
    full_name: `${namespace.full_name} / ${project.name}`,
    refs_url: `${full_path}/refs`,
    forked: project.forked_from_id !== null,
    import_source: source,
    import_status,
    human_import_status_name: import_status,
    provider_link: /^https?:/.test(source) ? source : `/${source}`,
    relation_type: null,
    import_warning: null,
    ...(project.import_error === null ? {} : { import_error: project.import_error }),
  };
}

type Stats = NonNullable<ImportStatusEntity['stats']>;

export function presentStatus(
  subject: ProjectSubject,
  row: ProjectImportRow | undefined,
  failures: readonly ImportFailureRow[],
  stats: Stats | undefined,
): ImportStatusEntity {
  const { project, namespace } = subject;
  const hidden = 'Ask a maintainer to check the import status for more details.';
  const error = project.import_error;
  const maintains = subject.can('admin_project');
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${namespace.full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: `${namespace.full_path}/${project.path}`,
    created_at: instant(project.created_at),
    import_status: project.import_status,
    import_type: project.import_type,
    correlation_id: row?.correlation_id ?? null,
    failed_relations: failures.map((failure) => ({
      ...presentFailure(failure),
      ...(!maintains && { exception_message: null }),
    })),
    import_error: error === null || maintains ? error : hidden,
    stats: stats && row?.import_type === 'github' ? stats : null,
  };
}

/** A record that could not be imported, with the reason. */
export function presentFailure(failure: Omit<ImportFailureRow, 'project_id'>): FailedRelationEntity {
  const { id, exception_class, exception_message, source, relation_name } = failure;
  const created_at = instant(failure.created_at);
  return { id, created_at, exception_class, exception_message, source, line_number: null, relation_name };
}
