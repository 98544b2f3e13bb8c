import { type ParamMap, param } from '../../../platform/http/params.ts';
import { accessLevelName, accessLevelNumber, isSetting, type Setting } from './field-kinds.ts';
import { fieldRules } from './fields.ts';

type Values = Readonly<Record<string, unknown>>;

const settings: ReadonlyMap<string, Setting> = new Map(
  Object.entries(fieldRules).flatMap(([name, rule]) => (isSetting(rule) ? [[name, rule] as const] : [])),
);

/** Deprecated boolean names of features: true is `enabled`, false is `disabled`. */
const switches: Readonly<Record<string, string>> = {
  issues_enabled: 'issues_access_level',
  merge_requests_enabled: 'merge_requests_access_level',
  wiki_enabled: 'wiki_access_level',
  jobs_enabled: 'builds_access_level',
  snippets_enabled: 'snippets_access_level',
  container_registry_enabled: 'container_registry_access_level',
  packages_enabled: 'package_registry_access_level',
};

const stored = [...settings].filter(([, { column }]) => column === undefined);
const defaults: Values = Object.freeze(Object.fromEntries(stored.map(([name, { fallback }]) => [name, fallback])));

/** Parameters for the settings accepted by a request. */
export function settingParams(when: 'create' | 'update'): ParamMap {
  const params: Record<string, ParamMap[string]> = {};
  for (const [name, { sent, param: reader }] of settings) if (sent === 'both' || sent === when) params[name] = reader;
  for (const name of Object.keys(switches)) params[name] = param.boolean();
  params.emails_disabled = param.boolean({ description: 'Deprecated: the opposite of emails_enabled' });
  params.public_builds = param.boolean({ description: 'Deprecated: public_jobs' });
  return params;
}

interface StoredRow {
  readonly settings: string;
}

/** Parses the stored settings that differ from the defaults, ignoring obsolete ones and those with a column. */
function ownSettings({ settings: text }: StoredRow): Record<string, unknown> {
  if (text === '{}') return {};
  const parsed: unknown = JSON.parse(text);
  if (!isObject(parsed)) throw new TypeError('the stored project settings are not an object');
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => Object.hasOwn(defaults, name)));
}

/** Returns all settings without a column of their own, with defaults for those never set. */
export function settingsFor(row: StoredRow): Values {
  return row.settings === '{}' ? defaults : { ...defaults, ...ownSettings(row) };
}

/** The columns of a project row that hold settings. */
export type SettingsRow = StoredRow & Readonly<Record<NonNullable<Setting['column']>, number>>;

/** Returns the access level of each feature by setting name, except those that are unset and derived. */
export function featureLevelsOf(row: SettingsRow): Record<string, unknown> {
  const values = settingsFor(row);
  const levels: Record<string, unknown> = {};
  for (const [name, { column }] of settings) {
    const level = column === undefined ? values[name] : accessLevelName(row[column]);
    if (name.endsWith('_access_level') && level !== undefined) levels[name] = level;
  }
  return levels;
}

/** Maps the parameter names of a request, including deprecated ones, to settings. */
function resolveNames(sent: Values): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, target] of Object.entries(switches)) {
    if (sent[name] !== undefined) result[target] = sent[name] === true ? 'enabled' : 'disabled';
  }
  if (sent.emails_disabled !== undefined) result.emails_enabled = sent.emails_disabled !== true;
  if (sent.public_builds !== undefined) result.public_jobs = sent.public_builds;
  for (const name of settings.keys()) if (sent[name] !== undefined) result[name] = sent[name];
  return result;
}

/** Validates the settings in a request; returns errors by name. */
export function settingProblems(sent: Values): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(resolveNames(sent))) {
    const problem = settings.get(name)?.problem?.(value as never);
    Object.assign(found, typeof problem === 'string' ? { [name]: [problem] } : problem);
  }
  return found;
}

/** Whether a request changes settings reserved for owners or administrators. */
export function guardedChanges(sent: Values): { owner: boolean; admin: boolean } {
  const requiredRoles = Object.keys(resolveNames(sent)).map((name) => settings.get(name)?.changedBy);
  return { owner: requiredRoles.includes('owner'), admin: requiredRoles.includes('admin') };
}

export interface SettingColumns {
  settings: string;
  issues_access?: number;
  merge_requests_access?: number;
  repository_access?: number;
}

/** Returns the settings columns after applying a request; only values that differ from the defaults are stored. */
export function changeSettings(row: StoredRow, sent: Values): SettingColumns {
  const merged = ownSettings(row);
  const columns: SettingColumns = { settings: row.settings };
  for (const [name, value] of Object.entries(resolveNames(sent))) {
    const rule = settings.get(name) as Setting;
    if (rule.column) columns[rule.column] = accessLevelNumber(value);
    else if (isObject(value)) merged[name] = { ...(merged[name] as object | undefined), ...value };
    else if (same(value, rule.fallback)) delete merged[name];
    else merged[name] = value;
  }
  columns.settings = JSON.stringify(merged);
  return columns;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const same = (a: unknown, b: unknown) => a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b));

/** Roles of the viewer that decide which settings are visible. */
export interface SettingsViewer {
  readonly code: boolean;
  readonly developer: boolean;
  readonly maintainer: boolean;
}

const isShownTo = ({ hidden, seenBy }: Setting, viewer: SettingsViewer) =>
  !hidden && (seenBy === 'all' || viewer[seenBy]);

const defaultsShownTo = (viewer: SettingsViewer): Values =>
  Object.fromEntries(stored.filter(([, rule]) => isShownTo(rule, viewer)).map(([name, rule]) => [name, rule.fallback]));

const viewNumber = ({ code, developer, maintainer }: SettingsViewer) =>
  Number(code) + 2 * Number(developer) + 4 * Number(maintainer);

const defaultViews = Array.from({ length: 8 }, (_, view) =>
  defaultsShownTo({ code: (view & 1) > 0, developer: (view & 2) > 0, maintainer: (view & 4) > 0 }),
);

/**
 * Returns an object with the settings visible to the viewer, to which the entity adds its own fields. The defaults are
 * inherited through the prototype: an object with all fields of its own is too large for V8 to keep in fast mode.
 */
export function shownSettings(row: StoredRow, viewer: SettingsViewer): Record<string, unknown> {
  const shown: Record<string, unknown> = Object.create(defaultViews[viewNumber(viewer)] ?? null);
  for (const [name, value] of Object.entries(ownSettings(row))) {
    const rule = settings.get(name);
    if (rule && isShownTo(rule, viewer)) shown[name] = value;
  }
  return shown;
}
