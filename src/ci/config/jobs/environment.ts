import { durationSeconds, neverExpires } from '../duration.ts';
import { Entry } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import type { PlannedEnvironment } from '../plan.ts';
import { isMapping, plain, scalarText, type Value } from '../yaml/values.ts';

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
  const text = scalarText(value);
  const mapping = text === undefined ? value : new Map<string, Value>([['name', text]]);
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
  const name = scalarText(entry.get('name'));
  if (name === undefined || name.trim() === '') {
    entry.fault("name can't be blank");
    return '';
  }
  if (name.length > 255) entry.fault('name is too long (maximum is 255 characters)');
  if (!namePattern.test(name) || /^\/|\/$/.test(name)) {
    entry.fault(
      "name can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'",
    );
  }
  return name;
}

/** The tier; may contain a variable, which is expanded when the pipeline is created. */
function readTier(entry: Entry): string | null {
  const value = entry.get('deployment_tier');
  return typeof value === 'string' && value.includes('$') ? value : entry.oneOf('deployment_tier', tiers);
}

/** The auto-stop time; may contain a variable, which is expanded after the job has run. */
function autoStop(entry: Entry): string | null {
  const text = scalarText(entry.get('auto_stop_in'));
  if (text === undefined) return null;
  if (!text.includes('$') && !neverExpires(text) && durationSeconds(text) === null) {
    entry.fault('auto stop in should be a duration');
  }
  return text;
}

function kubernetes(entry: Entry | null): Readonly<Record<string, unknown>> | null {
  if (entry === null) return null;
  entry.allow(['agent', 'namespace', 'flux_resource_path', 'managed_resources', 'dashboard']);
  return Object.fromEntries(entry.keys().map((key) => [key, plain(entry.get(key))]));
}
