import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import { repositoryOf, resolveCommit } from '../../code/repository/public.ts';
import { mergeBase } from '../../platform/git/history/ancestry.ts';
import { lastCommit } from '../../platform/git/history/log.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { decodeText } from '../../platform/git/objects/text.ts';
import { gitLines } from '../../platform/git/process/output.ts';
import { listTreeRecursively } from '../../platform/git/trees/list.ts';
import { entryType } from '../../platform/git/trees/tree.ts';
import { HttpError } from '../../platform/http/errors.ts';
import { compileGlob, type FilesAt, hasWildcard, type RepositoryFacts } from '../config/public.ts';

/** The user, project and commit of a pipeline. */
export interface PipelineSource {
  readonly actor: Actor;
  readonly subject: ProjectSubject;
  readonly commit: Commit;
  /** The previous commit of the branch, when the pipeline was caused by a push to an existing branch. */
  readonly before: string | null;
  /** The parent pipeline, if any. */
  readonly parent?: { readonly pipelineId: number };
}

const gitTimeout = 30_000;
/** Maximum number of files of a commit that patterns are matched against. */
const maxFiles = 50_000;

/** Repository access for `rules:changes`, `rules:exists` and cache keys. */
export function repositoryFacts(services: Services, source: PipelineSource): RepositoryFacts {
  const repo = repositoryOf(services, source.subject);
  const objects = services.git.objects(repo);
  return {
    async changedPaths(compareTo, limit) {
      if (compareTo === null) {
        return source.before === null ? 'no_base' : changedBetween(repo, source.before, source.commit.oid, limit);
      }
      const other = await resolveCommit(services, source.subject, compareTo);
      if (!other) return 'unknown_ref';
      const base = await mergeBase(repo, [other.oid, source.commit.oid], { timeoutMs: gitTimeout });
      return changedBetween(repo, base ?? other.oid, source.commit.oid, limit);
    },
    async anyFile(at, paths) {
      const found = await treeAt(services, source, at);
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
      const found = await treeAt(services, source, at);
      return found ? filesOf(services, found, limit) : 'unknown_ref';
    },
    async fileIds(kind, patterns) {
      const paths = await matchingPaths(services, source, patterns);
      const ids = await Promise.all(
        paths.map(async (path) =>
          kind === 'blob'
            ? (await objects.entryAt(source.commit.tree, path))?.oid
            : lastCommit(repo, source.commit.oid, path, { timeoutMs: gitTimeout }),
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
    // Records starting with a colon describe the change of the path that follows.
    if (part[0] === colon) continue;
    paths.push(decodeText(part));
    if (paths.length >= limit) break;
  }
  return paths;
}

const colon = 0x3a;

async function treeAt(services: Services, source: PipelineSource, at: FilesAt | null) {
  if (at === null) return source;
  const subject = at.project === null ? source.subject : await readableCode(services, source.actor, at.project);
  const commit = subject && (await resolveCommit(services, subject, at.ref ?? undefined));
  return subject && commit ? { subject, commit } : undefined;
}

/** Looks up a project by path, if the actor can read its code. */
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

/** Lists up to `limit` files of a commit. */
export async function filesOf(
  services: Services,
  { subject, commit }: Pick<PipelineSource, 'subject' | 'commit'>,
  limit = maxFiles,
): Promise<string[]> {
  const files: string[] = [];
  for await (const lines of listTreeRecursively(repositoryOf(services, subject), commit.tree, {
    timeoutMs: gitTimeout,
  })) {
    for (const line of lines) {
      if (line.type !== 'blob') continue;
      files.push(decodeText(line.path));
      if (files.length >= limit) return files;
    }
  }
  return files;
}

async function matchingPaths(
  services: Services,
  source: PipelineSource,
  patterns: readonly string[],
): Promise<string[]> {
  const literal = patterns.filter((pattern) => !hasWildcard(pattern));
  if (literal.length === patterns.length) return literal;
  const globs = patterns.flatMap((pattern) => compileGlob(pattern) ?? []);
  return (await filesOf(services, source)).filter((path) => globs.some((glob) => glob.test(path)));
}
