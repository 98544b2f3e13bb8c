import { NotFound } from '../../../platform/http/errors.ts';
import { isRecord } from '../../../platform/http/parameters/param-readers.ts';
import { parameterProblems, type StrategyName, scopeProblem, strategyNames } from '../rules.ts';
import type { StrategyChanges } from './schema.ts';
import type { Planned, PlannedStrategy, Strategy } from './strategy.ts';

/** So many strategies of a flag, and environments of a strategy: each client is sent all of them, again and again. */
const most = 100;

/** What becomes of the strategies of a flag by what is asked; those that are not named stay. */
export function planStrategies(current: readonly Strategy[], changes: StrategyChanges): Planned {
  const removed: number[] = [];
  const kept: PlannedStrategy[] = [];
  for (const change of changes) {
    const before = change.id === undefined ? undefined : current.find(({ id }) => id === change.id);
    if (change.id !== undefined && !before) throw NotFound.record();
    if (change._destroy) removed.push(...(before ? [before.id] : []));
    else kept.push(planned(before, change));
  }
  const fresh = kept.filter(({ id }) => id === undefined).length;
  return { removed, kept, count: current.length - new Set(removed).size + fresh };
}

function planned(before: Strategy | undefined, change: StrategyChanges[number]): PlannedStrategy {
  const name = change.name ?? before?.name ?? '';
  const parameters = change.parameters ?? (change.name === undefined ? before?.parameters : undefined) ?? {};
  const listBefore = name === 'gitlabUserList' ? (before?.userList?.id ?? null) : null;
  return {
    id: before?.id,
    name,
    parameters: isRecord(parameters) ? parameters : { '': parameters },
    userListId: change.user_list_id === undefined ? listBefore : change.user_list_id,
    ...planScopes(before?.scopes ?? [], change.scopes ?? []),
  };
}

function planScopes(
  before: Strategy['scopes'],
  changes: NonNullable<StrategyChanges[number]['scopes']>,
): Pick<PlannedStrategy, 'scopes' | 'removedScopes'> {
  const scopes = new Map(before.map(({ id, environment_scope }) => [id, { id, environment_scope }]));
  const fresh: { environment_scope: string }[] = [];
  const removedScopes: number[] = [];
  for (const { id, environment_scope, _destroy } of changes) {
    const known = id === undefined ? undefined : scopes.get(id);
    if (id !== undefined && !known) throw NotFound.record();
    if (known && _destroy) {
      scopes.delete(known.id);
      removedScopes.push(known.id);
    } else if (known) {
      scopes.set(known.id, { id: known.id, environment_scope: environment_scope ?? known.environment_scope });
    } else if (!_destroy) {
      fresh.push({ environment_scope: environment_scope ?? '*' });
    }
  }
  return { scopes: [...scopes.values(), ...fresh], removedScopes };
}

const isStrategy = (name: string): name is StrategyName => strategyNames.some((known) => known === name);

/** What is wrong with what was planned; `lists` are the user lists of the project among those that it names. */
export function strategyProblems({ kept, count }: Planned, lists: ReadonlySet<number>): string[] {
  const found = kept.flatMap((strategy) => problemsOf(strategy, lists));
  if (count > most) found.push(`Strategies are too many (maximum is ${most})`);
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
  if (scopes.length > most) found.push(`Strategies scopes are too many (maximum is ${most})`);
  return found;
}
