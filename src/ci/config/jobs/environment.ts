import { durationSeconds, neverExpires } from '../duration.ts';
import { Entry } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import type { PlannedEnvironment } from '../plan.ts';
import { isMapping, plain, type Value } from '../yaml/values.ts';

const keys = ['name', 'url', 'action', 'on_stop', 'auto_stop_in', 'kubernetes', 'deployment_tier'];
const actions = ['start', 'stop', 'prepare', 'verify', 'access'] as const;
const tiers = ['production', 'staging', 'testing', 'development', 'other'] as const;
const namePattern = /^[\w\-/${}. ]+$/;

export function readEnvironment(
  value: Value | undefined,
  at: EntryPath,
  problems: Problems,
): PlannedEnvironment | null {
  if (value === undefined || value === null) return null;
  const mapping = typeof value === 'string' ? new Map<string, Value>([['name', value]]) : value;
  if (!isMapping(mapping)) {
    problems.add(at, 'config should be a hash or a string');
    return null;
  }
  const entry = new Entry(mapping, at, problems);
  entry.allow(keys);
  return {
    name: readName(entry),
    url: entry.string('url', 255),
    action: entry.oneOf('action', actions) ?? 'start',
    onStop: entry.string('on_stop', 255),
    autoStopIn: autoStop(entry),
    deploymentTier: readTier(entry),
    kubernetes: kubernetes(entry.entry('kubernetes')),
  };
}

function readName(entry: Entry): string {
  const name = entry.get('name');
  if (name === undefined || (typeof name === 'string' && name.trim() === '')) {
    entry.fault("name can't be blank");
    return '';
  }
  if (typeof name !== 'string' || !namePattern.test(name) || /^\/|\/$/.test(name)) {
    entry.fault(
      "name can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    );
    return '';
  }
  if (name.length > 255) entry.fault('name is too long (maximum is 255 characters)');
  return name;
}

/** The tier; may contain a variable, which is expanded when the pipeline is created. */
function readTier(entry: Entry): string | null {
  const value = entry.get('deployment_tier');
  return typeof value === 'string' && value.includes('$') ? value : entry.oneOf('deployment_tier', tiers);
}

/** The auto-stop time; may contain a variable, which is expanded after the job has run. */
function autoStop(entry: Entry): string | null {
  const text = entry.string('auto_stop_in');
  if (text === null) return null;
  if (!text.includes('$') && !neverExpires(text) && durationSeconds(text) === null) {
    entry.fault('auto stop in should be a duration');
  }
  return text;
}

function kubernetes(entry: Entry | null): Readonly<Record<string, unknown>> | null {
  if (entry === null) return null;
  entry.allow(['agent', 'namespace', 'flux_resource_path', 'managed_resources', 'dashboard']);
  if (entry.keys().length === 0) entry.fault("config can't be blank");
  const required = entry.has('flux_resource_path') ? ['namespace', 'agent'] : [];
  for (const key of required) if (!entry.has(key)) entry.fault(`${key} can't be blank`);
  return Object.fromEntries(entry.keys().map((key) => [key, plain(entry.get(key))]));
}
