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

/** Texts may name any number of things; this many are looked up. */
const MAX_REFERENCES = 1_000;
const MAX_PROJECTS = 50;

/** Who reads a text, and where it stands. */
export interface ReferenceContext {
  readonly reader: Actor;
  /** The project that is meant where a reference names none. */
  readonly project?: ProjectSubject;
  /** The project that a reference is to, if the reader may know of it. */
  readonly projectOf: (reference: Reference) => ProjectSubject | undefined;
  /** The address of a page without the server: `/base/group/project`. */
  readonly webPath: (path: string) => string;
}

/**
 * Looks up references of some types. It gets all of a page of texts at once, and answers, by `referenceKey`, for what the
 * reader may see: whoever implements it asks the policy.
 */
export interface ReferenceResolver {
  readonly types: readonly ReferenceType[];
  /** Is asked for what no other knows. */
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

/** What stands before the sign of a reference: nothing in its own project, a name in its namespace, else the whole path. */
export function shownPath(place: ReferenceContext, { project, namespace, fullPath }: ProjectSubject): string {
  if (place.project?.project.id === project.id) return '';
  return place.project?.namespace.id === namespace.id ? project.path : fullPath;
}

/** The projects that references name by their paths, as far as the reader may know of them. */
async function projectsNamed(
  { db }: Services,
  reader: Actor,
  project: ProjectSubject | undefined,
  references: readonly Reference[],
): Promise<ReadonlyMap<string, ProjectSubject>> {
  const paths = [...new Set(references.flatMap((reference) => ('path' in reference && reference.path) || []))];
  const found = await Promise.all(
    paths.slice(0, MAX_PROJECTS).map(async (path) => {
      // A name alone is that of a neighbour.
      const full = path.includes('/') || project === undefined ? path : `${project.namespace.full_path}/${path}`;
      const row = await lookUpProject(db.read, full);
      const subject = row && (await projectSubject(db.read, reader, row.project));
      return subject?.can('read_project') ? [[path, subject] as const] : [];
    }),
  );
  return new Map(found.flat());
}

/** What a reference in a text of a group means: `&4` is an epic of it, `project#1` an issue of a project in it. */
export function inGroup({ group: { full_path } }: GroupSubject, reference: Reference): Reference {
  if (reference.type === 'user' || reference.type === 'iteration' || reference.type === 'external_issue')
    return reference;
  if (reference.type === 'epic') return { ...reference, path: reference.path ?? full_path };
  const alone = reference.path !== undefined && !reference.path.includes('/');
  return alone ? { ...reference, path: `${full_path}/${reference.path}` } : reference;
}

/** What the references of some texts are, for one reader. */
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
