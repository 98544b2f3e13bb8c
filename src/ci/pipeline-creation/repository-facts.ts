import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { repositoryOf, resolveCommit } from '../../code/repository/public.ts';
import { mergeBase } from '../../platform/git/history/ancestry.ts';
import { lastCommit } from '../../platform/git/history/log.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { gitLines } from '../../platform/git/process/output.ts';
import { linesBelow } from '../../platform/git/trees/list.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { compileGlob, type FilesAt, hasWildcard, type RepositoryFacts } from '../config/public.ts';

/** Whom a pipeline runs for, and on which commit of which project. */
export interface PipelineSource {
  readonly actor: Actor;
  readonly subject: ProjectSubject;
  readonly commit: Commit;
  /** The commit before it, where the pipeline comes of a push to a branch that was there already. */
  readonly before: string | null;
  /** The pipeline that starts it, if one does. */
  readonly parent?: { readonly pipelineId: number };
}

const gitTimeout = 30_000;
/** Files of one commit that patterns are held against. */
const maxFiles = 50_000;

/** Answers what rules ask of the repository. */
export function repositoryFacts(services: Services, place: PipelineSource): RepositoryFacts {
  const repo = repositoryOf(services, place.subject);
  const objects = services.git.objects(repo);
  return {
    async changedPaths(compareTo, limit) {
      if (compareTo === null) {
        return place.before === null ? 'no_base' : changedBetween(repo, place.before, place.commit.oid, limit);
      }
      const other = await resolveCommit(services, place.subject, compareTo);
      if (!other) return 'unknown_ref';
      const base = await mergeBase(repo, [other.oid, place.commit.oid], { timeoutMs: gitTimeout });
      return changedBetween(repo, base ?? other.oid, place.commit.oid, limit);
    },
    async anyFile(at, paths) {
      const found = await treeAt(services, place, at);
      if (!found) return 'unknown_ref';
      for (const path of paths) {
        const folder = path.endsWith('/');
        const entry = await services.git
          .objects(repositoryOf(services, found.subject))
          .entryAt(found.commit.tree, path.replace(/^\/|\/$/g, ''));
        if (entry && (entryType(entry) === 'tree') === folder) return true;
      }
      return false;
    },
    async listFiles(at, limit) {
      const found = await treeAt(services, place, at);
      return found ? filesOf(services, found, limit) : 'unknown_ref';
    },
    async fileIds(kind, patterns) {
      const paths = await matching(services, place, patterns);
      const ids = await Promise.all(
        paths.map(async (path) =>
          kind === 'blob'
            ? (await objects.entryAt(place.commit.tree, path))?.oid
            : lastCommit(repo, place.commit.oid, path, { timeoutMs: gitTimeout }),
        ),
      );
      return ids.flatMap((id) => id ?? []);
    },
  };
}

async function changedBetween(
  repo: ReturnType<typeof repositoryOf>,
  from: string,
  to: string,
  limit: number,
): Promise<string[]> {
  const command = { name: 'diff-tree', flags: ['-r', '-z', '--raw', '--no-abbrev'], args: [from, to] } as const;
  const paths: string[] = [];
  for await (const part of gitLines(repo, command, { timeoutMs: gitTimeout }, 0)) {
    // What begins with a colon says how the path after it has changed.
    if (part[0] === colon) continue;
    paths.push(decodeText(part));
    if (paths.length >= limit) break;
  }
  return paths;
}

const colon = 0x3a;

async function treeAt(services: Services, place: PipelineSource, at: FilesAt | null) {
  if (at === null) return place;
  const subject = at.project === null ? place.subject : await readableCode(services, place.actor, at.project);
  const commit = subject && (await resolveCommit(services, subject, at.ref ?? undefined));
  return subject && commit ? { subject, commit } : undefined;
}

/** A project whose code somebody may read, by its path. */
export async function readableCode(
  services: Services,
  actor: Actor,
  path: string,
): Promise<ProjectSubject | undefined> {
  try {
    const subject = await readableProject(services.db, actor, path);
    return subject.can('read_code') ? subject : undefined;
  } catch (error) {
    if (error instanceof HttpError) return undefined;
    throw error;
  }
}

/** The files of a commit, or the first of them. */
export async function filesOf(
  services: Services,
  { subject, commit }: Pick<PipelineSource, 'subject' | 'commit'>,
  limit = maxFiles,
): Promise<string[]> {
  const files: string[] = [];
  for await (const lines of linesBelow(repositoryOf(services, subject), commit.tree, { timeoutMs: gitTimeout })) {
    for (const line of lines) {
      if (line.type !== 'blob') continue;
      files.push(decodeText(line.path));
      if (files.length >= limit) return files;
    }
  }
  return files;
}

async function matching(services: Services, place: PipelineSource, patterns: readonly string[]): Promise<string[]> {
  const plain = patterns.filter((pattern) => !hasWildcard(pattern));
  if (plain.length === patterns.length) return plain;
  const globs = patterns.flatMap((pattern) => compileGlob(pattern) ?? []);
  return (await filesOf(services, place)).filter((path) => globs.some((glob) => glob.test(path)));
}
