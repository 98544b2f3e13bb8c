import { NotFound } from '../../../platform/http/errors.ts';
import { isRecord } from '../../../platform/http/parameters/param-readers.ts';
import { parameterProblems, type StrategyName, scopeProblem, strategyNames } from '../rules.ts';
import type { StrategyChanges } from './schema.ts';
import type { Planned, PlannedStrategy, Strategy } from './strategy.ts';

/** Maximum number of strategies per flag and of scopes per strategy. Clients repeatedly download all of them. */
const maxPerFlag = 100;

/** Computes the new strategies of a flag. Strategies the request does not mention are kept. */
export function planStrategies(current: readonly Strategy[], changes: StrategyChanges): Planned {
  const removed: number[] = [];
  const saved: PlannedStrategy[] = [];
  for (const change of changes) {
    const before = change.id === undefined ? undefined : current.find(({ id }) => id === change.id);
    if (change.id !== undefined && !before) throw NotFound.record();
    if (change._destroy) removed.push(...(before ? [before.id] : []));
    else saved.push(planned(before, change));
  }
  const added = saved.filter(({ id }) => id === undefined).length;
  return { removed, saved, count: current.length - new Set(removed).size + added };
}

function planned(before: Strategy | undefined, change: StrategyChanges[number]): PlannedStrategy {
  const name = change.name ?? before?.name ?? '';
  const parameters = change.parameters ?? (change.name === undefined ? before?.parameters : undefined) ?? {};
  const currentList = name === 'gitlabUserList' ? (before?.userList?.id ?? null) : null;
  return {
    id: before?.id,
    name,
    parameters: isRecord(parameters) ? parameters : { '': parameters },
    userListId: change.user_list_id === undefined ? currentList : change.user_list_id,
    ...planScopes(before?.scopes ?? [], change.scopes ?? []),
  };
}

function planScopes(
  before: Strategy['scopes'],
  changes: NonNullable<StrategyChanges[number]['scopes']>,
): Pick<PlannedStrategy, 'scopes' | 'removedScopes'> {
  const scopes = new Map(before.map(({ id, environment_scope }) => [id, { id, environment_scope }]));
  const added: { environment_scope: string }[] = [];
  const removedScopes: number[] = [];
  for (const { id, environment_scope, _destroy } of changes) {
    const existing = id === undefined ? undefined : scopes.get(id);
    if (id !== undefined && !existing) throw NotFound.record();
    if (existing && _destroy) {
      scopes.delete(existing.id);
      removedScopes.push(existing.id);
    } else if (existing) {
      scopes.set(existing.id, { id: existing.id, environment_scope: environment_scope ?? existing.environment_scope });
    } else if (!_destroy) {
      added.push({ environment_scope: environment_scope ?? '*' });
    }
  }
  return { scopes: [...scopes.values(), ...added], removedScopes };
}

const isStrategy = (name: string): name is StrategyName => strategyNames.some((existing) => existing === name);

/**
 * Returns the validation errors of planned strategies. `lists` are the referenced user lists that belong to the
 * project.
 */
export function strategyProblems({ saved, count }: Planned, lists: ReadonlySet<number>): string[] {
  const found = saved.flatMap((strategy) => problemsOf(strategy, lists));
  if (count > maxPerFlag) found.push(`Strategies are too many (maximum is ${maxPerFlag})`);
  return [...new Set(found)];
}

function problemsOf({ name, parameters, userListId, scopes }: PlannedStrategy, lists: ReadonlySet<number>): string[] {
  if (!isStrategy(name)) return ['Strategies name strategy name is invalid'];
  const found = parameterProblems(name, parameters).map((problem) => `Strategies parameters ${problem}`);
  if (name === 'gitlabUserList' && userListId === null) found.push("Strategies user list can't be blank");
  if (name !== 'gitlabUserList' && userListId !== null) found.push('Strategies user list must be blank');
  if (userListId !== null && !lists.has(userListId)) {
    found.push('Strategies user list must belong to the same project');
  }
  const environments = scopes.map(({ environment_scope }) => environment_scope);
  for (const scope of environments) {
    const problem = scopeProblem(scope);
    if (problem !== undefined) found.push(`Strategies scopes environment scope ${problem}`);
  }
  if (new Set(environments).size < environments.length) {
    found.push('Strategies scopes environment scope has already been taken');
  }
  if (scopes.length > maxPerFlag) found.push(`Strategies scopes are too many (maximum is ${maxPerFlag})`);
  return found;
}
