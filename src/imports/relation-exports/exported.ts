import type { Services } from '../../access/services.ts';
import type { Namespace, Project } from '../../access/tables.ts';
import type { TarEntry } from '../../platform/git/archive/tar.ts';
import {
  attributesOf,
  type Line,
  largeFiles,
  type Relation,
  relations,
  repositoryBundle,
  uploads,
} from '../project-exports/public.ts';
import { groupAttributes, groupRelations } from './group/relations.ts';

/** A relation exported as one file: a single line or an archive. */
type Whole = { line(): Line | Promise<Line> } | { entries(): AsyncIterable<TarEntry> };

/** A project or group to export. */
export interface Exported {
  readonly services: Services;
  readonly id: number;
  /** Relations with many lines, which can be split into batches. */
  readonly relations: readonly Relation[];
  readonly whole: Readonly<Record<string, Whole>>;
}

export function exportedProject(
  services: Services,
  project: Project,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Exported {
  const context = { services, project, description: null, folder, signal };
  return {
    services,
    id: project.id,
    relations,
    whole: {
      self: { line: () => attributesOf(context) },
      repository: { entries: () => repositoryBundle(context, 'repository.bundle') },
      uploads: { entries: () => uploads(services, { project_id: project.id, namespace_id: null }, '') },
      lfs_objects: { entries: () => largeFiles(context, { folder: '', list: 'lfs_objects.json' }) },
    },
  };
}

export function exportedGroup(services: Services, group: Namespace): Exported {
  return {
    services,
    id: group.id,
    relations: groupRelations,
    whole: {
      self: { line: () => groupAttributes(group) },
      uploads: { entries: () => uploads(services, { project_id: null, namespace_id: group.id }, '') },
    },
  };
}
