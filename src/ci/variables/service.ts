import { planLimits } from '../../access/limits/plan-limits.ts';
import { type OwnerColumns, ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { acquireLock } from '../../platform/database/locks.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { Conflict, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { checkVariable } from './rules.ts';
import type { NewVariable, VariableChangeParams, VariableEntity } from './schema.ts';
import { valuePurpose } from './settings.ts';
import * as store from './store.ts';
import type { VariableRow } from './tables.ts';

/** Owner of a variable: a project, a group or the instance. */
export type VariableOwner = ProjectOrGroup | 'instance';

const limits = { project: 8000, group: 30_000 };

function ownerOf(owner: VariableOwner): OwnerColumns {
  return owner === 'instance' ? { project_id: null, namespace_id: null } : ownerColumnsOf(owner);
}

async function limitOf(db: Reader, owner: VariableOwner): Promise<number> {
  if (owner === 'instance') return (await planLimits(db)).ci_instance_level_variables;
  return 'project' in owner ? limits.project : limits.group;
}

function present({ encryption }: Services, row: VariableRow): VariableEntity {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value: row.hidden === 1 ? null : encryption.decrypt(row.value, valuePurpose),
    hidden: row.hidden === 1,
    protected: row.protected === 1,
    masked: row.masked === 1,
    raw: row.raw === 1,
    environment_scope: row.environment_scope,
    description: row.description,
  };
}

export async function listVariables(
  services: Services,
  owner: VariableOwner,
  slice: Slice,
): Promise<Page<VariableEntity>> {
  const { rows, total } = await store.listVariables(services.db.read, ownerOf(owner), slice);
  return new Page(rows, total).map((row) => present(services, row));
}

interface Named {
  readonly key: string;
  readonly filter?: { readonly environment_scope?: string };
}

async function requireVariable(db: Reader, owner: VariableOwner, { key, filter }: Named): Promise<VariableRow> {
  const [found, another] = await store.variablesOfKey(db, ownerOf(owner), key, filter?.environment_scope);
  if (!found) throw new NotFound(owner === 'instance' ? 'InstanceVariable' : 'Variable');
  if (another) {
    const text = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'";
    throw new Conflict(text);
  }
  return found;
}

export async function getVariable(services: Services, owner: VariableOwner, named: Named): Promise<VariableEntity> {
  return present(services, await requireVariable(services.db.read, owner, named));
}

function rethrowDuplicateKey(error: unknown, key: string): never {
  throw uniqueViolation(error) ? new Invalid({ key: [`(${key}) has already been taken`] }) : error;
}

export async function createVariable(
  services: Services,
  owner: VariableOwner,
  params: NewVariable,
): Promise<VariableEntity> {
  const hidden = params.masked_and_hidden ?? false;
  const variable = {
    key: params.key,
    value: params.value,
    variable_type: params.variable_type,
    masked: hidden || (params.masked ?? false),
    raw: params.raw ?? false,
    environment_scope: params.environment_scope || '*',
    description: params.description ?? null,
  };
  checkVariable(variable, owner === 'instance');
  const row = await services.db
    .write(async (trx) => {
      await enforceLimit(trx, owner);
      return store.insertVariable(trx, {
        ...ownerOf(owner),
        ...variable,
        value: services.encryption.encrypt(variable.value, valuePurpose),
        protected: params.protected ? 1 : 0,
        masked: variable.masked ? 1 : 0,
        hidden: hidden ? 1 : 0,
        raw: variable.raw ? 1 : 0,
      });
    })
    .catch((error: unknown) => rethrowDuplicateKey(error, params.key));
  return present(services, row);
}

/** Enforces the limit under a lock: two concurrent requests would otherwise both take the last free slot. */
async function enforceLimit(trx: Writer, owner: VariableOwner): Promise<void> {
  const { project_id, namespace_id } = ownerOf(owner);
  await acquireLock(trx, `variables of ${project_id ?? ''}/${namespace_id ?? ''}`);
  const limit = await limitOf(trx, owner);
  if ((await store.countVariables(trx, { project_id, namespace_id }, limit)) < limit) return;
  const kind = owner === 'instance' ? 'instance' : project_id === null ? 'group' : 'project';
  throw new Invalid({ base: [`Maximum number of ${kind} level CI variables (${limit}) exceeded`] });
}

export async function updateVariable(
  services: Services,
  owner: VariableOwner,
  params: VariableChangeParams,
): Promise<VariableEntity> {
  const { encryption } = services;
  const row = await services.db
    .write(async (trx) => {
      const old = await requireVariable(trx, owner, params);
      if (old.hidden === 1 && params.masked === false) {
        const text = 'The visibility setting cannot be changed for masked and hidden variables.';
        throw new Invalid({ base: [text] });
      }
      const variable = {
        key: old.key,
        value: params.value ?? encryption.decrypt(old.value, valuePurpose),
        variable_type: params.variable_type ?? old.variable_type,
        masked: params.masked ?? old.masked === 1,
        raw: params.raw ?? old.raw === 1,
        environment_scope: params.environment_scope || old.environment_scope,
        description: params.description === undefined ? old.description : params.description,
      };
      checkVariable(variable, owner === 'instance');
      return store.updateVariable(trx, old.id, {
        ...variable,
        value: encryption.encrypt(variable.value, valuePurpose),
        protected: (params.protected ?? old.protected === 1) ? 1 : 0,
        masked: variable.masked ? 1 : 0,
        raw: variable.raw ? 1 : 0,
      });
    })
    .catch((error: unknown) => rethrowDuplicateKey(error, params.key));
  if (!row) throw new NotFound('Variable');
  return present(services, row);
}

export async function deleteVariable(
  services: Services,
  owner: VariableOwner,
  named: Named,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  await services.db.write(async (trx) => {
    const row = await requireVariable(trx, owner, named);
    checkUnmodified(http, row.updated_at ?? 0);
    await store.deleteVariable(trx, row.id);
  });
}
