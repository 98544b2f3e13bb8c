import { Entry, flatStrings } from '../entry.ts';
import type { EntryPath, Problems } from '../errors.ts';
import { compilePattern } from '../expressions/pattern.ts';
import type { PlannedJob, PlannedRetry, PlannedVariable } from '../plan.ts';
import { type Policy, readPolicy } from '../rules/only-except.ts';
import { type Rule, readRules } from '../rules/rules.ts';
import { jobVariableKeys, readVariables } from '../variables/variables.ts';
import { isInteger, isList, isMapping, plain, type Value } from '../yaml/values.ts';
import { expiry, readArtifacts, withPublished } from './artifacts.ts';
import { type CacheEntry, readCaches } from './cache.ts';
import { type Inherit, readInherit } from './default.ts';
import { readEnvironment } from './environment.ts';
import { failureReasons } from './failure-reasons.ts';
import { readIdTokens } from './id-tokens.ts';
import { readImage, readServices } from './image.ts';
import { type Execution, readExecution } from './job-execution.ts';
import { readJobInputs } from './job-inputs.ts';
import { type NeedEntry, readNeeds } from './needs.ts';
import { readRelease } from './release.ts';
import { readRunSteps } from './run-steps.ts';
import { readSecrets } from './secrets.ts';
import { readTrigger } from './trigger.ts';

const maxRetries = 2;
const noRetry: PlannedRetry = { max: 0, when: ['always'], exitCodes: [] };

function readRetry(value: Value | undefined, at: EntryPath, problems: Problems): PlannedRetry {
  if (value === undefined || value === null) return noRetry;
  if (isInteger(value)) return { ...noRetry, max: inRange(value, at, problems) };
  if (!isMapping(value)) {
    problems.add(at, 'has to be either an integer or a hash');
    return noRetry;
  }
  const entry = new Entry(value, at, problems);
  entry.allow(['max', 'when', 'exit_codes']);
  const max = entry.get('max');
  if (max !== undefined && !isInteger(max)) entry.fault('max is not a number');
  const exitCodes = entry.integers('exit_codes') ?? [];
  const when = entry.stringOrStrings('when');
  const unknown = when?.filter((reason) => reason !== 'always' && !failureReasons.includes(reason)) ?? [];
  if (unknown.length > 0) entry.fault(`when contains unknown values: ${unknown.join(', ')}`);
  return {
    max: isInteger(max) ? inRange(max, at, problems) : 0,
    when: when ?? (entry.has('exit_codes') ? [] : ['always']),
    exitCodes,
  };
}

function inRange(max: number, at: EntryPath, problems: Problems): number {
  if (max < 0) problems.add(at, 'config must be greater than or equal to 0');
  if (max > maxRetries) problems.add(at, `config must be less than or equal to ${maxRetries}`);
  return Math.min(Math.max(max, 0), maxRetries);
}

const shared =
  'extends rules stage only except environment when variables inherit allow_failure resource_group needs interruptible parallel manual_confirmation';
const buildKeys = [
  ...shared.split(' '),
  ...'script before_script after_script run image services start_in artifacts cache dependencies hooks coverage'.split(
    ' ',
  ),
  ...'retry timeout release id_tokens secrets identity pages publish tags dast_configuration inputs'.split(' '),
];
const bridgeKeys = [...shared.split(' '), 'trigger'];

/** Fields that are copied to the plan unchanged, independent of rules and matrix. */
type FixedFields = Pick<
  PlannedJob,
  | 'kind'
  | 'beforeScript'
  | 'script'
  | 'afterScript'
  | 'hooks'
  | 'image'
  | 'services'
  | 'dependencies'
  | 'artifacts'
  | 'environment'
  | 'resourceGroup'
  | 'retry'
  | 'coverage'
  | 'trigger'
  | 'upstream'
  | 'release'
  | 'idTokens'
  | 'secrets'
  | 'identity'
  | 'pages'
  | 'manualConfirmation'
  | 'inputs'
  | 'run'
>;

/** A job of the file, before its rules are evaluated and its instances created. */
export interface JobDefinition extends FixedFields, Execution {
  readonly name: string;
  readonly stage: string;
  readonly inherit: Inherit;
  readonly variables: readonly PlannedVariable[];
  readonly tags: readonly string[];
  readonly caches: readonly CacheEntry[];
  readonly needs: readonly NeedEntry[] | null;
  readonly rules: readonly Rule[] | null;
  readonly only: Policy | null;
  readonly except: Policy | null;
  /** Original values, for the lint result. */
  readonly written: { readonly only: unknown; readonly except: unknown; readonly needs: unknown };
}

const maxTags = 49;

export function readJob(name: string, job: Entry): JobDefinition {
  const kind = job.has('script') || job.has('run') ? 'build' : 'bridge';
  job.allow(kind === 'build' ? buildKeys : bridgeKeys);
  if (job.has('run') && job.has('script')) job.fault('config these keys cannot be used together: script, run');
  const run = job.has('run') ? readRunSteps(job.get('run') as Value, job.below('run'), job.problems) : null;
  if (name.length > 255) job.fault('name is too long (maximum is 255 characters)');
  const script = job.script('script');
  const written = job.get('script');
  if (written === '' || (isList(written) && written.length === 0)) job.fault("script can't be blank");
  const { problems } = job;
  const hooks = job.entry('hooks');
  hooks?.allow(['pre_get_sources_script']);
  // On-demand scans are not supported, but files that configure them must be accepted.
  job.entry('dast_configuration')?.allow(['site_profile', 'scanner_profile']);
  const pages = kind === 'build' ? readPages(name, job) : null;
  const idTokens = readIdTokens(job.entry('id_tokens'));
  const inputs = kind === 'build' ? readJobInputs(job.entry('inputs')) : [];
  return {
    name,
    kind,
    stage: job.string('stage') ?? 'test',
    inherit: readInherit(job.get('inherit'), job.below('inherit'), problems),
    script,
    beforeScript: job.script('before_script'),
    afterScript: job.script('after_script'),
    hooks: { preGetSourcesScript: hooks?.script('pre_get_sources_script') ?? [] },
    image: readImage(job.get('image'), job.below('image'), problems),
    services: readServices(job.get('services'), job.below('services'), problems),
    variables: readVariables(job.get('variables'), job.below('variables'), problems, jobVariableKeys),
    tags: readTags(job),
    dependencies: job.strings('dependencies'),
    artifacts: withPublished(readArtifacts(job.get('artifacts'), job.below('artifacts'), problems), pages),
    caches: readCaches(job.get('cache'), job.below('cache'), problems),
    environment: readEnvironment(job.get('environment'), job.below('environment'), problems),
    resourceGroup: job.string('resource_group', 255),
    retry: readRetry(job.get('retry'), job.below('retry'), problems),
    trigger: job.has('trigger') ? readTrigger(job.get('trigger') as Value, job.below('trigger'), problems) : null,
    release: readRelease(job.entry('release')),
    idTokens,
    secrets: readSecrets(job.entry('secrets'), idTokens),
    identity: job.oneOf('identity', ['google_cloud'] as const),
    pages,
    manualConfirmation: job.string('manual_confirmation'),
    ...(inputs.length > 0 && { inputs }),
    ...(run !== null && { run }),
    ...readExecution(job, kind),
    ...readSelection(job, kind),
  };
}

/** Reads what determines whether the job is part of a pipeline, and its needs. */
function readSelection(job: Entry, kind: 'build' | 'bridge') {
  const { problems } = job;
  const rules = readRules(job.get('rules'), kind === 'bridge' ? 'bridge' : 'job', job.below('rules'), problems);
  if (rules !== null) {
    const conflicts = ['only', 'except', 'start_in'].filter((key) => job.has(key));
    if (conflicts.length > 0) job.fault(`config key may not be used with \`rules\`: ${conflicts.join(', ')}`);
  }
  const needs = job.get('needs');
  const read = needs === undefined ? null : readNeeds(needs, job.below('needs'), problems, kind);
  const upstreams = (read ?? []).flatMap((need) => (need.type === 'bridge' ? need.project : []));
  if (kind === 'bridge' && upstreams.length > 1) job.fault('config should contain at most one bridge need');
  else if (kind === 'bridge' && upstreams.length + (job.has('trigger') ? 1 : 0) !== 1) {
    job.fault('config should contain either a trigger or a needs:pipeline');
  }
  const [upstream] = upstreams;
  return {
    rules,
    only: readPolicy(job.get('only'), job.below('only'), problems),
    except: readPolicy(job.get('except'), job.below('except'), problems),
    needs: read,
    written: { only: plain(job.get('only')), except: plain(job.get('except')), needs: plain(needs) },
    coverage: readCoverage(job),
    ...(upstream !== undefined && { upstream }),
  };
}

function readTags(job: Entry): string[] {
  const value = job.get('tags');
  if (value === undefined) return [];
  const tags = isList(value) ? flatStrings(value) : undefined;
  if (tags === undefined) job.problems.add(job.below('tags'), 'config should be an array of strings');
  else if (tags.length > maxTags) {
    job.problems.add(job.below('tags'), `config must be less than the limit of ${maxTags + 1} tags`);
  }
  return tags ?? [];
}

function readCoverage(job: Entry): string | null {
  const value = job.get('coverage');
  if (value === undefined) return null;
  const match = typeof value === 'string' ? /^\/(.+)\/$/s.exec(value) : null;
  if (match !== null && compilePattern(match[1] as string) !== undefined) return match[1] as string;
  job.fault('coverage must be a regular expression');
  return null;
}

/** Expiry of the site; may contain a variable, which is expanded when the site is published. */
function pagesExpiry(pages: Entry): string | null {
  const value = pages.get('expire_in');
  return typeof value === 'string' && value.includes('$') ? value : expiry(pages, 'expire_in');
}

/** A job named `pages` publishes by default, unless it sets `pages: false`. */
function readPages(name: string, job: Entry): PlannedJob['pages'] {
  const value = job.get('pages');
  const publish = job.string('publish');
  const empty = value === undefined || (isMapping(value) && value.size === 0);
  if (value === false || (empty && name !== 'pages')) {
    if (publish !== null) job.fault('publish can only be used within a `pages` job');
    return null;
  }
  if (value === undefined || value === true) return { publish, pathPrefix: null, expireIn: null };
  const entry = job.entry('pages');
  entry?.allow(['publish', 'path_prefix', 'expire_in']);
  if (publish !== null && entry?.has('publish')) {
    job.problems.addMessage(job.at, `${name} job: use either ${name}:publish or ${name}:pages:publish`);
  }
  return {
    publish: entry?.string('publish') ?? publish,
    pathPrefix: entry?.string('path_prefix') ?? null,
    expireIn: entry && pagesExpiry(entry),
  };
}
