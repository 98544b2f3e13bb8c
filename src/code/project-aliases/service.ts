import type { Services } from '../../access/services.ts';
import { projectById } from '../../access/subject-queries.ts';
import { lookUpProject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { aliasProblem } from './rules.ts';
import type { NewAliasParams, ProjectAliasEntity } from './schema.ts';
import * as store from './store.ts';

export async function listAliases({ db }: Services, slice: PageRequest): Promise<Page<ProjectAliasEntity>> {
  const { rows, total } = await store.listAliases(db.read, slice);
  return new Page(rows, total);
}

export async function getAlias({ db }: Services, name: string): Promise<ProjectAliasEntity> {
  const alias = await store.findAlias(db.read, name);
  if (!alias) throw new NotFound('Project Alias');
  return alias;
}

export async function createAlias({ db }: Services, { project_id, name }: NewAliasParams): Promise<ProjectAliasEntity> {
  const found = await lookUpProject(db.read, project_id);
  if (!found) throw new NotFound('Project');
  const problem = aliasProblem(name);
  if (problem !== undefined) throw new Invalid({ name: [problem] });
  return db
    .write((trx) => store.insertAlias(trx, found.project.id, name))
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ name: ['has already been taken'] }) : error;
    });
}

export async function removeAlias({ db }: Services, name: string): Promise<void> {
  if (!(await db.write((trx) => store.deleteAlias(trx, name)))) throw new NotFound('Project Alias');
}

/** Finds a project by its alias. */
export async function projectByAlias(db: Reader, name: string): Promise<Project | undefined> {
  const alias = await store.findAlias(db, name);
  return alias && projectById.first(db, { id: alias.project_id });
}
