import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import {
  type Reference,
  type ReferenceType,
  type ResolvedReference,
  type ResolvedReferences,
  referenceKey,
} from './references/reference.ts';

/** Maximum number of references resolved per request, because a text can contain any number of them. */
const MAX_REFERENCES = 1_000;
const MAX_PROJECTS = 50;

/** The reader of a text and the project it belongs to. */
export interface ReferenceContext {
  readonly reader: Actor;
  /** The project that references without a path refer to. */
  readonly project?: ProjectSubject;
  /** The project of a reference, if the reader may see it. */
  readonly projectOf: (reference: Reference) => ProjectSubject | undefined;
  /** Path of a page including the base path of the instance: `/base/group/project`. */
  readonly webPath: (path: string) => string;
}

/**
 * Resolves references of certain types. It is called once for all texts of a page and returns, by `referenceKey`, what
 * the reader may see; implementations have to check permissions.
 */
export interface ReferenceResolver {
  readonly types: readonly ReferenceType[];
  /** Only called for references that no other resolver has resolved. */
  readonly asLast?: true;
  readonly resolve: (
    services: Services,
    place: ReferenceContext,
    references: readonly Reference[],
  ) => Promise<ResolvedReferences>;
}

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'markdown.references': ReferenceResolver;
  }
}

/**
 * The path shown before the sign of a reference: empty within the project, the project path within its namespace,
 * otherwise the full path.
 */
export function referencePathPrefix(place: ReferenceContext, { project, namespace, fullPath }: ProjectSubject): string {
  if (place.project?.project.id === project.id) return '';
  return place.project?.namespace.id === namespace.id ? project.path : fullPath;
}

/** Projects that references name by path and that the reader may see. */
async function projectsNamed(
  { db }: Services,
  reader: Actor,
  project: ProjectSubject | undefined,
  references: readonly Reference[],
): Promise<ReadonlyMap<string, ProjectSubject>> {
  const paths = [...new Set(references.flatMap((reference) => ('path' in reference && reference.path) || []))];
  const found = await Promise.all(
    paths.slice(0, MAX_PROJECTS).map(async (path) => {
      // A path without a slash is a project in the same namespace.
      const full = path.includes('/') || project === undefined ? path : `${project.namespace.full_path}/${path}`;
      const row = await lookUpProject(db.read, full);
      const subject = row && (await projectSubject(db.read, reader, row.project));
      return subject?.can('read_project') ? [[path, subject] as const] : [];
    }),
  );
  return new Map(found.flat());
}

/**
 * Qualifies a reference in a text of a group: `&4` is an epic of the group, `project#1` an issue of a project in it.
 */
export function qualifyInGroup({ group: { full_path } }: GroupSubject, reference: Reference): Reference {
  if (reference.type === 'user' || reference.type === 'iteration' || reference.type === 'external_issue')
    return reference;
  if (reference.type === 'epic') return { ...reference, path: reference.path ?? full_path };
  const alone = reference.path !== undefined && !reference.path.includes('/');
  return alone ? { ...reference, path: `${full_path}/${reference.path}` } : reference;
}

/** Resolves references for one reader. */
export async function resolveReferences(
  services: Services,
  reader: Actor,
  project: ProjectSubject | undefined,
  references: readonly Reference[],
): Promise<ResolvedReferences> {
  const wanted = references.slice(0, MAX_REFERENCES);
  if (wanted.length === 0) return new Map();
  const projects = await projectsNamed(services, reader, project, wanted);
  const base = new URL(services.externalUrl).pathname.replace(/\/$/, '');
  const place: ReferenceContext = {
    reader,
    ...(project && { project }),
    projectOf: (reference) =>
      'path' in reference && reference.path !== undefined ? projects.get(reference.path) : project,
    webPath: (path) => `${base}/${path}`,
  };
  const ask = async (asLast: boolean, unknown: readonly Reference[]) => {
    const asked = services
      .contributions('markdown.references')
      .filter((resolver) => (resolver.asLast ?? false) === asLast);
    const found = await Promise.all(
      asked.map((resolver) => {
        const own = unknown.filter(({ type }) => resolver.types.includes(type));
        return own.length === 0 ? new Map<string, ResolvedReference>() : resolver.resolve(services, place, own);
      }),
    );
    return found.flatMap((resolved) => [...resolved]);
  };
  const known = new Map(await ask(false, wanted));
  const unknown = wanted.filter((reference) => !known.has(referenceKey(reference)));
  return new Map([...known, ...(await ask(true, unknown))]);
}
