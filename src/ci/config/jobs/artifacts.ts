import { trimTrailing } from '../../../platform/trim.ts';
import { durationSeconds, neverExpires } from '../duration.ts';
import { Entry } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import type { PlannedArtifacts, PlannedPages } from '../plan.ts';
import { isMapping, type Value } from '../yaml/values.ts';

const keys = ['name', 'untracked', 'paths', 'reports', 'when', 'expire_in', 'expose_as', 'exclude', 'access', 'public'];
const whens = ['on_success', 'on_failure', 'always'] as const;
const reportTypes = [
  'junit codequality sast secret_detection dependency_scanning container_scanning cluster_image_scanning dast',
  'performance browser_performance load_performance license_scanning metrics lsif scip dotenv terraform accessibility',
  'coverage_fuzzing api_fuzzing cyclonedx annotations repository_xray requirements requirements_v2 coverage_report',
].flatMap((line) => line.split(' '));

export function readArtifacts(value: Value | undefined, at: EntryPath, problems: Problems): PlannedArtifacts | null {
  if (value === undefined || value === null) return null;
  if (!isMapping(value)) {
    problems.add(at, 'config should be a hash');
    return null;
  }
  const entry = new Entry(value, at, problems);
  entry.allow(keys);
  return {
    paths: entry.strings('paths') ?? [],
    exclude: entry.strings('exclude') ?? [],
    untracked: entry.boolean('untracked') ?? false,
    name: entry.string('name'),
    when: entry.oneOf('when', whens) ?? 'on_success',
    expireIn: expiry(entry, 'expire_in'),
    exposeAs: exposeAs(entry),
    access: access(entry),
    reports: reports(entry.entry('reports')),
  };
}

const noArtifacts: PlannedArtifacts = {
  paths: [],
  exclude: [],
  untracked: false,
  name: null,
  when: 'on_success',
  expireIn: null,
  exposeAs: null,
  access: 'all',
  reports: {},
};

const normalizedPath = (path: string) => trimTrailing(path, '/').replace(/^\.\//, '');

/** Adds the published folder of a Pages job to its artifacts. */
export function withPublished(artifacts: PlannedArtifacts | null, pages: PlannedPages | null): PlannedArtifacts | null {
  if (pages === null) return artifacts;
  const { paths, ...rest } = artifacts ?? noArtifacts;
  const folder = pages.publish ?? 'public';
  const included = paths.some((path) => normalizedPath(path) === normalizedPath(folder));
  return { ...rest, paths: included ? paths : [...paths, folder] };
}

/** Validates a duration or `never`, and returns it unchanged. */
export function expiry(entry: Entry, key: string): string | null {
  const value = entry.get(key);
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : '';
  if (neverExpires(text) || durationSeconds(text) !== null) return text;
  entry.fault(`${key.replaceAll('_', ' ')} should be a duration`);
  return null;
}

function exposeAs(entry: Entry): string | null {
  const text = entry.string('expose_as', 100);
  if (text === null) return null;
  if (!/^\w[-\w ]*$/.test(text)) entry.fault('expose as can contain only letters, digits, -, _ and spaces');
  const paths = entry.strings('paths');
  if (paths === null) entry.fault("paths can't be blank when using expose_as");
  else if (paths.some((path) => path.includes('*'))) {
    entry.fault("paths can't contain '*' when used with 'expose_as'");
  }
  return text;
}

function access(entry: Entry): PlannedArtifacts['access'] {
  if (entry.has('access') && entry.has('public')) {
    entry.fault('config these keys cannot be used together: public, access');
  }
  if (entry.boolean('public') === false) return 'developer';
  return entry.oneOf('access', ['all', 'developer', 'maintainer', 'none'] as const) ?? 'all';
}

function reports(entry: Entry | null): Record<string, readonly string[]> {
  if (entry === null) return {};
  entry.allow(reportTypes);
  const found: [string, readonly string[]][] = [];
  for (const type of entry.keys()) {
    if (type === 'coverage_report') found.push(...coverage(entry.entry(type)));
    else {
      const files = entry.stringOrStrings(type);
      if (files !== null) found.push([type, files]);
    }
  }
  return Object.fromEntries(found);
}

function coverage(entry: Entry | null): [string, readonly string[]][] {
  if (entry === null) return [];
  entry.allow(['coverage_format', 'path']);
  entry.require('coverage_format', 'path');
  const format = entry.oneOf('coverage_format', ['cobertura', 'jacoco'] as const);
  const path = entry.string('path');
  return format === null || path === null ? [] : [[format, [path]]];
}
