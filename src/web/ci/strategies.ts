import { drawField, type Field, splitList } from '../forms/fields.ts';
import type { Entity, JsonBody } from '../frame/api.ts';
import { type Html, html } from '../frame/html.ts';

/** Display names of feature flag strategies. */
export const strategyNames: Readonly<Record<string, string>> = {
  default: 'All users',
  flexibleRollout: 'Percent of users',
  gradualRolloutUserId: 'Percent of signed-in users',
  userWithId: 'User IDs',
  gitlabUserList: 'User list',
};

const kinds = Object.entries(strategyNames);
const stickiness = [
  ['default', 'User ID, else session, else random'],
  ['userId', 'User'],
  ['sessionId', 'Session'],
  ['random', 'Random'],
] as const;

/** Describes a strategy in one line. */
export function strategyWords({ name, parameters, user_list: list, scopes }: Entity): string {
  const share = parameters.rollout ?? parameters.percentage;
  const what = strategyNames[name] ?? name;
  const details = share !== undefined ? `, ${share}%` : list ? `: ${list.name}` : '';
  const places = scopes.map(({ environment_scope: scope }: Entity) => (scope === '*' ? 'everywhere' : scope));
  return `${what}${details} (${places.join(', ') || 'nowhere'})`;
}

/** Returns the form fields of one strategy. They include those of all kinds, because no script hides them. */
function fieldsAt(at: number, isNew: boolean, lists: readonly Entity[]): Field[] {
  const name = (part: string) => `strategy_${at}_${part}`;
  const options = lists.map(({ id, name: text }) => [String(id), text] as const);
  return [
    { name: name('kind'), label: 'On for', kind: 'select', options: isNew ? [['', 'None'], ...kinds] : kinds },
    { name: name('scopes'), label: 'Environments', hint: 'Comma-separated names, * as wildcard; empty: all' },
    { name: name('share'), label: 'Percentage', kind: 'number', hint: 'For “Percent of users”' },
    {
      name: name('stickiness'),
      label: 'Stickiness',
      kind: 'select',
      options: stickiness,
      hint: 'For “Percent of users”',
    },
    {
      name: name('users'),
      label: 'Users',
      hint: 'Comma-separated user IDs of the application, for “User IDs”',
    },
    {
      name: name('list'),
      label: 'User list',
      kind: 'select',
      options: [['', 'None'], ...options],
      hint: 'For “User list”',
    },
  ];
}

/** Returns the initial values of a strategy's fields. */
function valuesOf(at: number, strategy: Entity | undefined): Record<string, unknown> {
  const { parameters = {}, scopes = [] } = strategy ?? {};
  const values = {
    kind: strategy?.name ?? '',
    scopes: scopes.map(({ environment_scope: scope }: Entity) => scope).join(', '),
    share: parameters.rollout ?? parameters.percentage ?? '100',
    stickiness: parameters.stickiness ?? 'default',
    users: parameters.userIds ?? '',
    list: strategy?.user_list?.id ?? '',
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`strategy_${at}_${name}`, value]));
}

/** Form sections for the existing strategies and for a new one. */
export function strategyFields(
  strategies: readonly Entity[],
  lists: readonly Entity[],
  typed: URLSearchParams | undefined,
): Html {
  const part = (at: number, strategy: Entity | undefined) => {
    const values = typed ? Object.fromEntries(typed) : valuesOf(at, strategy);
    const removal: Field = { name: `strategy_${at}_remove`, label: 'Remove this strategy', kind: 'check' };
    const fields = fieldsAt(at, strategy === undefined, lists).map((field) => drawField(field, values[field.name]));
    const legend = strategy ? strategyWords(strategy) : 'Another strategy';
    return html`<fieldset class="strategy"><legend>${legend}</legend>${fields}${strategy && drawField(removal, values[removal.name])}</fieldset>`;
  };
  return html`${strategies.map((strategy, at) => part(at, strategy))}${part(strategies.length, undefined)}`;
}

/** Returns the API parameters of a strategy kind. */
function parametersOf(kind: string, typed: (part: string) => string, before: Entity): JsonBody {
  const groupId = before?.parameters?.groupId ?? 'default';
  switch (kind) {
    case 'flexibleRollout':
      return { groupId, rollout: typed('share'), stickiness: typed('stickiness') };
    case 'gradualRolloutUserId':
      return { groupId, percentage: typed('share') };
    case 'userWithId':
      return { userIds: splitList(typed('users')).join(',') };
    default:
      return {};
  }
}

/** Returns the changed environment scopes: removed ones are marked as deleted, new ones are added. */
function scopesOf(named: readonly string[], before: readonly Entity[]): JsonBody[] {
  const known = new Set(before.map(({ environment_scope: scope }) => scope));
  const removed = before.filter(({ environment_scope: scope }) => !named.includes(scope));
  const added = named.filter((scope) => !known.has(scope));
  return [
    ...removed.map(({ id }) => ({ id, _destroy: true })),
    ...added.map((environment_scope) => ({ environment_scope })),
  ];
}

/** Reads the strategies from the form, as changes to the current ones. */
export function readStrategies(form: URLSearchParams, current: readonly Entity[]): JsonBody[] {
  return [...current, undefined].flatMap((before, at): JsonBody[] => {
    const typed = (part: string) => (form.get(`strategy_${at}_${part}`) ?? '').trim();
    const kind = typed('kind');
    if (before && typed('remove') === 'true') return [{ id: before.id, _destroy: true }];
    if (kind === '') return [];
    const named = [...new Set(splitList(typed('scopes')))];
    return [
      {
        ...(before && { id: before.id }),
        name: kind,
        parameters: parametersOf(kind, typed, before),
        user_list_id: kind === 'gitlabUserList' && typed('list') !== '' ? Number(typed('list')) : null,
        scopes: scopesOf(named.length > 0 ? named : ['*'], before?.scopes ?? []),
      },
    ];
  });
}
