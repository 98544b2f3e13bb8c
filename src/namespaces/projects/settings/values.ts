import { type ParamMap, param } from '../../../platform/http/params.ts';
import { isSetting, levelOfWord, type Setting } from './field-kinds.ts';
import { fieldRules } from './fields.ts';

const settings: ReadonlyMap<string, Setting> = new Map(
  Object.entries(fieldRules).flatMap(([name, rule]) => (isSetting(rule) ? [[name, rule] as const] : [])),
);

/** Older names of features, sent as booleans: true is enabled, false disabled. */
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
const defaults = Object.fromEntries(stored.map(([name, { fallback }]) => [name, fallback]));

/** The settings that a request may send, by the name of its parameter. */
export function settingParams(when: 'create' | 'update'): ParamMap {
  const params: Record<string, ParamMap[string]> = {};
  for (const [name, { sent, param: reader }] of settings) if (sent === 'both' || sent === when) params[name] = reader;
  for (const name of Object.keys(switches)) params[name] = param.boolean();
  params.emails_disabled = param.boolean({ description: 'Deprecated: the opposite of emails_enabled' });
  params.public_builds = param.boolean({ description: 'Deprecated: public_jobs' });
  return params;
}

type Values = Readonly<Record<string, unknown>>;

const merged = new Map<string, Values>();

/** Every setting of a project that has no column of its own; what was never set has its default. */
export function settingsFor(row: { readonly settings: string }): Values {
  // By content, not by project: it can never be out of date, and most projects share a few.
  let values = merged.get(row.settings);
  if (!values) {
    values = Object.freeze({ ...defaults, ...(JSON.parse(row.settings) as Values) });
    if (merged.size >= 1000) merged.clear();
    merged.set(row.settings, values);
  }
  return values;
}

/** The names that a request used, each by the setting that it means. */
function meant(sent: Values): Record<string, unknown> {
  const wanted: Record<string, unknown> = {};
  for (const [name, target] of Object.entries(switches)) {
    if (sent[name] !== undefined) wanted[target] = sent[name] === true ? 'enabled' : 'disabled';
  }
  if (sent.emails_disabled !== undefined) wanted.emails_enabled = sent.emails_disabled !== true;
  if (sent.public_builds !== undefined) wanted.public_jobs = sent.public_builds;
  for (const name of settings.keys()) if (sent[name] !== undefined) wanted[name] = sent[name];
  return wanted;
}

/** What is wrong with the settings that a request sends, by their names. */
export function settingProblems(sent: Values): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(meant(sent))) {
    const text = settings.get(name)?.problem?.(value as never);
    if (text !== undefined) found[name] = [text];
  }
  return found;
}

/** The settings a request wants to change that take more than a Maintainer. */
export function guardedChanges(sent: Values): { owner: boolean; admin: boolean } {
  const asked = Object.keys(meant(sent)).map((name) => settings.get(name)?.changedBy);
  return { owner: asked.includes('owner'), admin: asked.includes('admin') };
}

export interface SettingColumns {
  settings: string;
  issues_access?: number;
  merge_requests_access?: number;
  repository_access?: number;
}

/** The columns that hold the settings once a request is carried out: only what differs from the defaults is kept. */
export function changeSettings(row: { readonly settings: string }, sent: Values): SettingColumns {
  const kept = { ...(JSON.parse(row.settings) as Record<string, unknown>) };
  const columns: SettingColumns = { settings: row.settings };
  for (const [name, value] of Object.entries(meant(sent))) {
    const rule = settings.get(name) as Setting;
    if (rule.column) columns[rule.column] = levelOfWord(value);
    else if (isObject(value)) kept[name] = { ...(kept[name] as object | undefined), ...value };
    else if (same(value, rule.fallback)) delete kept[name];
    else kept[name] = value;
  }
  columns.settings = JSON.stringify(kept);
  return columns;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const same = (a: unknown, b: unknown) => a === b || (Array.isArray(a) && JSON.stringify(a) === JSON.stringify(b));

const shown = stored.filter(([, { hidden }]) => !hidden);
const namesSeenBy = (audience: Setting['seenBy']) =>
  shown.filter(([, { seenBy }]) => seenBy === audience).map(([name]) => name);
const forMaintainers = namesSeenBy('maintainer');
const forCodeReaders = namesSeenBy('code');
const hidden = stored.filter((entry) => entry[1].hidden).map(([name]) => name);

const views = [0, 1, 2, 3].map(() => new Map<string, Values>());

/** The settings that a viewer sees, as fields. Kept by content as well: do not change the object. */
export function shownSettings(
  row: { readonly settings: string },
  viewer: { code: boolean; maintainer: boolean },
): Values {
  const known = views[(viewer.code ? 1 : 0) + (viewer.maintainer ? 2 : 0)] as Map<string, Values>;
  let view = known.get(row.settings);
  if (!view) {
    const left: Record<string, unknown> = { ...settingsFor(row) };
    for (const name of hidden) delete left[name];
    if (!viewer.maintainer) for (const name of forMaintainers) delete left[name];
    if (!viewer.code) for (const name of forCodeReaders) delete left[name];
    // Deleting leaves a slow object behind; a copy is fast.
    view = { ...left };
    if (known.size >= 1000) known.clear();
    known.set(row.settings, view);
  }
  return view;
}
