import type { RE2JS } from 're2js';
import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { compileUserRegex } from '../../platform/user-regex.ts';
import {
  byDate,
  type NamedRef,
  namedRefs,
  pageOfRefs,
  type RefPagination,
  repositoryOf,
  searchRefs,
} from '../repository/public.ts';
import { presentBranches } from './present.ts';
import type { BranchEntity } from './schema.ts';

export interface BranchQuery extends RefPagination {
  readonly search?: string;
  readonly regex?: string;
  readonly sort: 'name_asc' | 'updated_asc' | 'updated_desc';
}

export async function listBranches(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  query: BranchQuery,
  page: PageRequest,
): Promise<Page<BranchEntity> | KeysetPage<BranchEntity>> {
  const repo = repositoryOf(services, subject);
  const listed = await namedRefs(services, repo, 'refs/heads/');
  const defaultTip = listed.find((ref) => ref.name === subject.project.default_branch)?.oid;
  const all = filtered(listed, query);
  const byName = query.sort === 'name_asc';
  const direction = query.sort === 'updated_asc' ? 'asc' : 'desc';
  const ordered = byName ? all : await byDate(services.git.objects(repo), 'refs/heads/', all, direction);
  const found = query.search ? searchRefs(ordered, query.search) : ordered;
  const after = byName ? (name: string) => indexAfter(found, name) : undefined;
  const slice = pageOfRefs(found, query, page, 'refs/heads/', after);
  const items = await presentBranches(services, caller, subject, slice.items, defaultTip);
  return slice instanceof Page ? new Page(items, slice.total) : new KeysetPage(items, slice.next);
}

const maxRegexLength = 1000;

function filtered(refs: NamedRef[], { regex }: BranchQuery): NamedRef[] {
  if (!regex) return refs;
  const expression = compiled(regex);
  return refs.filter((ref) => expression.matcher(ref.name).find());
}

function compiled(regex: string): RE2JS {
  if (regex.length > maxRegexLength) throw BadRequest.plain('Regex is invalid');
  try {
    return compileUserRegex(regex);
  } catch {
    // Compilation only fails because of the expression itself.
    throw BadRequest.plain('Regex is invalid');
  }
}

/** Index of the first branch after the given name, which need not exist any more. */
function indexAfter(refs: readonly NamedRef[], name: string): number {
  const bytes = Buffer.from(name);
  const at = refs.findIndex((ref) => Buffer.compare(Buffer.from(ref.name), bytes) > 0);
  return at < 0 ? refs.length : at;
}
